/** Filters that apply another filter, or a test, to each entry of a list. */

import { entriesIn, type Machine } from './builtin.js';
import { pathOf } from './text_filters.js';
import { type Given, isTrue, Stream, toText, type Value } from './values.js';

type Chooser = (value: Value, given: Given, machine: Machine) => Value;

/** The arguments without the first ones. */
const after = ({ positional, named }: Given, count: number): Given => ({
  positional: positional.slice(count),
  named,
});

/** @param byAttribute whether the first argument names what is tested */
function chooser(isKept: boolean, byAttribute: boolean): Chooser {
  return (value, given, machine) => new Stream(chosen(value, given, machine));

  function* chosen(value: Value, given: Given, machine: Machine): Generator<Value> {
    // Python asks first whether there is anything to choose from: `none` is as good as an empty list.
    if (!isTrue(value)) return;
    const [attribute] = given.positional;
    if (byAttribute && attribute === undefined) throw new Error('Missing parameter for attribute name');
    const rest = byAttribute ? after(given, 1) : given;
    const [test] = rest.positional;
    for (const item of entriesIn(value, machine.budget)) {
      const tested = byAttribute ? pathOf(item, attribute ?? null, machine) : item;
      const passes =
        test === undefined
          ? isTrue(tested)
          : machine.test(toText(test, "a test's name"), tested, after(rest, 1));
      if (passes === isKept) yield item;
    }
  }
}

const map: Chooser = (value, given, machine) => new Stream(mapped(value, given, machine));

function* mapped(value: Value, given: Given, machine: Machine): Generator<Value> {
  if (!isTrue(value)) return;
  const [filter] = given.positional;
  const { attribute, default: otherwise, ...others } = Object.fromEntries(given.named);
  const [other] = Object.keys(others);
  if (filter === undefined && attribute === undefined) throw new Error('map requires a filter argument');
  if (filter === undefined && other !== undefined) throw new Error(`Unexpected keyword argument '${other}'`);
  for (const item of entriesIn(value, machine.budget)) {
    if (filter === undefined) yield pathOf(item, attribute ?? null, machine, otherwise);
    else yield machine.filter(toText(filter, "a filter's name"), item, after(given, 1));
  }
}

export const choosingFilters: Readonly<Record<string, Chooser>> = {
  map,
  select: chooser(true, false),
  reject: chooser(false, false),
  selectattr: chooser(true, true),
  rejectattr: chooser(false, true),
};
