/** Filters that apply another filter, or a test, to each entry of a list. */

import { entriesOf, type Machine } from './builtin.js';
import { pathOf } from './text_filters.js';
import { type Given, isTrue, Stream, toText, Undefined, type Value } from './values.js';

type Chooser = (value: Value, given: Given, machine: Machine) => Value;

/** The arguments without the first ones. */
const after = ({ positional, named }: Given, count: number): Given => ({
  positional: positional.slice(count),
  named,
});

/** @param byAttribute whether the first argument names what is tested */
function chooser(isKept: boolean, byAttribute: boolean): Chooser {
  return (value, given, machine) => {
    const [attribute] = given.positional;
    if (byAttribute && attribute === undefined) throw new Error('Missing parameter for attribute name');
    const rest = byAttribute ? after(given, 1) : given;
    const [test] = rest.positional;
    const chosen = new Stream();
    for (const item of entriesOf(value, machine.budget)) {
      const tested = byAttribute ? pathOf(item, attribute ?? null, machine) : item;
      const passes =
        test === undefined
          ? isTrue(tested)
          : machine.test(toText(test, "a test's name"), tested, after(rest, 1));
      if (passes === isKept) chosen.push(item);
    }
    return chosen;
  };
}

const map: Chooser = (value, given, machine) => {
  const attribute = given.named.get('attribute');
  const otherwise = given.named.get('default');
  const [filter] = given.positional;
  if (attribute === undefined && filter === undefined) throw new Error('map requires a filter argument');
  const mapped = new Stream();
  for (const item of entriesOf(value, machine.budget)) {
    if (attribute === undefined) {
      mapped.push(machine.filter(toText(filter ?? null, "a filter's name"), item, after(given, 1)));
      continue;
    }
    const found = pathOf(item, attribute, machine);
    mapped.push(found instanceof Undefined && otherwise !== undefined ? otherwise : found);
  }
  return mapped;
};

export const choosingFilters: Readonly<Record<string, Chooser>> = {
  map,
  select: chooser(true, false),
  reject: chooser(false, false),
  selectattr: chooser(true, true),
  rejectattr: chooser(false, true),
};
