/** How values are written: as JSON, as Python's literals, or between marks as FunctionGemma does. */

import { everyCharacter, intersection, single, union, without } from './code_points.js';
import { choice, empty, type Form, literal, ofSet, refuse, repeat, rule, sequence } from './form.js';
import { lengths, otherKey, type StringLimits, stringForm, stringLiteral } from './json_strings.js';
import { machineOf, product, written } from './machine.js';

export interface ValueStyle {
  /** What may stand between brackets, commas and values. */
  readonly space: Form;
  word(value: boolean | null): string;
  string(limits: StringLimits): Form;
  /** A string as it is. */
  text(text: string): Form;
  /** A property's name, with the mark after it. */
  key(name: string): Form;
  /** The same for a name that is none of these; `null`: others cannot be written. */
  otherKey(names: readonly string[]): Form | null;
}

const space = rule('space');

export const jsonStyle: ValueStyle = {
  space,
  word: (value) => `${value}`,
  string: stringForm,
  text: stringLiteral,
  key: (name) => sequence(stringLiteral(name), literal(':'), space),
  otherKey: (names) => sequence(otherKey(names), literal(':'), space),
};

/** JSON's strings and numbers are Python's, too. */
export const pythonStyle: ValueStyle = {
  ...jsonStyle,
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
};

const among = (letters: string) =>
  union(...Array.from(letters, (letter) => single(letter.codePointAt(0) ?? 0)));
const mark = literal('<escape>');
const unmarked = without(everyCharacter, among('<'));
/** No text in which a mark could begin; where lengths or a pattern count its characters, it has no `<` at all. */
const anyText = repeat(
  choice(ofSet(unmarked), sequence(literal('<'), ofSet(without(unmarked, among('e'))))),
  0,
  Number.POSITIVE_INFINITY,
);
const letters = union([[0x41, 0x5a]], [[0x61, 0x7a]], among('_'));

/** A name without quotes. @throws TransformerError `unsupported` for one that needs them */
export function bareName(name: string): string {
  if (!/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name))
    refuse(`${JSON.stringify(name)} cannot be the name of an argument in this format`);
  return name;
}

export const markedStyle: ValueStyle = {
  space: empty,
  word: jsonStyle.word,
  string({ min, max, patterns }) {
    const isFree = patterns.length === 0 && min === 0 && max === Number.POSITIVE_INFINITY;
    const counted = [...patterns.map(machineOf), lengths(min, max)];
    const text = isFree
      ? anyText
      : written(counted.reduce(product), (set) => ofSet(intersection(set, unmarked)));
    return sequence(mark, text, mark);
  },
  text: (text) =>
    text.includes('<escape>')
      ? refuse('a text with <escape> cannot be an argument in this format')
      : sequence(mark, literal(text), mark),
  key: (name) => literal(`${bareName(name)}:`),
  otherKey: (names) =>
    names.length > 0
      ? null
      : sequence(
          ofSet(letters),
          repeat(ofSet(union(letters, [[0x30, 0x39]])), 0, Number.POSITIVE_INFINITY),
          literal(':'),
        ),
};
