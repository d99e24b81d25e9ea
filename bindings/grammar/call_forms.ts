/** Calls of functions that are not written as JSON: `[f(a="b")]`, or `call:f{a:<escape>b<escape>}`. */

import { choice, type Form, literal, type Rules, repeat, sequence } from './form.js';
import { schemaWriter } from './json_schema.js';
import type { Schema } from './schema_facts.js';
import { bareName, markedStyle, pythonStyle, type ValueStyle } from './value_styles.js';

interface CallStyle {
  readonly values: ValueStyle;
  /** What stands before the arguments, and after them. */
  readonly open: string;
  readonly lead?: string;
  readonly close: string;
  key(name: string): Form;
}

const styles = {
  python: { values: pythonStyle, open: '(', close: ')', key: (name) => literal(`${bareName(name)}=`) },
  marked: { values: markedStyle, lead: 'call:', open: '{', close: '}', key: markedStyle.key },
} satisfies Readonly<Record<string, CallStyle>>;

/** One call, or several: all that stands between the marks around them. */
export interface CallForm {
  readonly style: keyof typeof styles;
  readonly begin?: string;
  /** Absent: only one call. */
  readonly between?: string;
  readonly end?: string;
  /** The functions' names with the places of their arguments' schemas. */
  readonly calls: readonly { readonly name: string; readonly arguments: { readonly $ref: string } }[];
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** @throws TransformerError like `formOfSchema` */
export function formOfCalls(json: string, rules: Rules): Form {
  const { style, begin = '', between, end = '', calls, $defs } = JSON.parse(json) as CallForm;
  const { values, lead = '', open, close, key }: CallStyle = styles[style];
  const writer = schemaWriter({ $defs }, rules, values);
  const parts = calls.map(({ name, arguments: schema }) => {
    const brackets = { open, close, key };
    return sequence(literal(lead + name), writer.argumentsOf([schema], brackets));
  });
  writer.finish();
  const call = choice(...parts);
  const more =
    between === undefined ? [] : [repeat(sequence(literal(between), call), 0, Number.POSITIVE_INFINITY)];
  return sequence(literal(begin), call, ...more, literal(end));
}
