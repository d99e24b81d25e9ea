/** What a text has to look like: characters, what follows what, choices, repetitions, and rules by name. */

import { fail } from '../values/errors.js';
import { type CodePoints, single } from './code_points.js';

export type Form =
  /** One character. */
  | { readonly kind: 'set'; readonly set: CodePoints }
  | { readonly kind: 'sequence'; readonly parts: readonly Form[] }
  /** One of them; of none: what no text has. */
  | { readonly kind: 'choice'; readonly parts: readonly Form[] }
  | { readonly kind: 'repeat'; readonly part: Form; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly name: string }
  /** States from the first on, with what is read on the way to the next one. */
  | { readonly kind: 'machine'; readonly machine: Machine };

export interface Machine {
  readonly edges: readonly (readonly { readonly part: Form; readonly target: number }[])[];
  /** Whether each state may be the last one. */
  readonly ends: readonly boolean[];
}

/** Forms by their names, which may refer to each other. */
export type Rules = Map<string, Form>;

export const sequence = (...parts: Form[]): Form => ({ kind: 'sequence', parts });
export const choice = (...parts: Form[]): Form => ({ kind: 'choice', parts });
/** Of more times than it may be repeated: nothing. */
export const repeat = (part: Form, min: number, max: number): Form =>
  min > max ? nothing : { kind: 'repeat', part, min, max };
export const optional = (part: Form): Form => repeat(part, 0, 1);
export const rule = (name: string): Form => ({ kind: 'rule', name });
export const ofSet = (set: CodePoints): Form => ({ kind: 'set', set });
export const nothing: Form = choice();
export const empty: Form = sequence();

/** The form with each of its sets of characters written in some way. */
export function withSets(form: Form, write: (set: CodePoints) => Form): Form {
  switch (form.kind) {
    case 'set':
      return write(form.set);
    case 'sequence':
    case 'choice':
      return { ...form, parts: form.parts.map((part) => withSets(part, write)) };
    case 'repeat':
      return { ...form, part: withSets(form.part, write) };
    default:
      return form;
  }
}

/** A text as it is. @throws TransformerError `invalid_argument` for half of a surrogate pair */
export const literal = (text: string): Form =>
  sequence(...Array.from(text, (letter) => ofSet(single(codeOf(letter)))));

function codeOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  return code >= 0xd800 && code <= 0xdfff
    ? fail('invalid_argument', 'constrain contains half of a surrogate pair, which no text can have')
    : code;
}

/** @throws TransformerError `unsupported` */
export const refuse = (what: string): never => fail('unsupported', `constrain: ${what}`);
