/** The option `constrain` in the engine's terms: what the model's tokens write, and the automaton of a form. */

import { hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { type CodePoints, everyCharacter, intersection, union } from '../grammar/code_points.js';
import { compileConstraint, keyOf, type Writing } from '../grammar/constraint.js';
import type { GrammarTables } from '../grammar/tables.js';
import type { GenerationInput } from '../modules/embind.js';
import { vocabularyOf } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';

/** Forms of a model that are kept compiled. */
const mostKept = 16;

interface Prepared extends Writing {
  readonly forms: Map<string, GrammarTables>;
}

/** What a model's tokens write, as the engine knows it already, and its forms. */
const prepared = new WeakMap<Loaded['handle'], Promise<Prepared>>();

/**
 * @param prefixLength ids at the end of the prompts that are the beginning of the answer
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export async function formOf(
  model: Loaded,
  given: Readonly<Record<string, unknown>>,
  prefixLength: number,
): Promise<Pick<GenerationInput, 'formNodes' | 'formEdges' | 'formBegun'>> {
  const key = keyOf(given);
  const known = prepared.get(model.handle) ?? prepare(model);
  prepared.set(model.handle, known);
  known.catch(() => prepared.delete(model.handle));
  const { alphabet, forms, ...writing } = await known;
  const beginsWithSpace = writing.beginsWithSpace && (hasEncoder(model) || prefixLength > 0);
  const name = JSON.stringify([key, beginsWithSpace]);
  const form = forms.get(name) ?? compileConstraint(key, { alphabet, beginsWithSpace });
  forms.delete(name);
  forms.set(name, form);
  const [oldest = ''] = forms.keys();
  if (forms.size > mostKept) forms.delete(oldest);
  return { formNodes: form.nodes, formEdges: form.edges, formBegun: prefixLength };
}

async function prepare(model: Loaded): Promise<Prepared> {
  const tokenizer = requireTokenizer(model, 'constrain cannot be used');
  const writing =
    tokenizer.writing(Math.min(tokenizer.size, vocabularyOf(model.plan, 'decoder'))) ??
    fail('unsupported', 'constrain needs a tokenizer whose tokens write the same text wherever they stand');
  const texts: { id: number; bytes: readonly number[]; text: string }[] = [];
  for (const [id, bytes] of writing.pieces.entries())
    if (bytes && bytes.length > 0) texts.push({ id, bytes, text: String.fromCharCode(...bytes) });
  texts.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.id - b.id));
  let end = 0;
  const ends = Int32Array.from(texts, ({ bytes }) => (end += bytes.length));
  const bytes = Int32Array.from(texts.flatMap((one) => one.bytes));
  await model.host.invoke(
    model.handle,
    'setPieces',
    Int32Array.from(texts, ({ id }) => id),
    ends,
    bytes,
  );
  const alphabet = alphabetOf(texts.map((one) => one.bytes));
  return { alphabet, beginsWithSpace: writing.dropsFirstSpace, forms: new Map() };
}

/** The characters that one token, or one for each byte, can write; `null`: all. */
function alphabetOf(pieces: readonly (readonly number[])[]): CodePoints | null {
  const single = new Set(pieces.flatMap((bytes) => (bytes.length === 1 ? bytes : [])));
  const own: [number, number][] = [];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const bytes of pieces) {
    if (bytes.length > 4) continue;
    const letters = Array.from(decoder.decode(Uint8Array.from(bytes)));
    const code = letters[0]?.codePointAt(0) ?? 0;
    if (letters.length === 1 && (code !== 0xfffd || bytes.length === 3)) own.push([code, code]);
  }
  const first = Array.from({ length: 0x80 }, (_, code): [number, number] => [code, code]);
  const ascii = first.filter(([code]) => single.has(code));
  const isComplete = Array.from({ length: 0xf5 }, (_, byte) => byte).every(
    (byte) => byte === 0xc0 || byte === 0xc1 || single.has(byte),
  );
  if (isComplete) return null;
  const upper = Array.from({ length: 0x35 }, (_, i) => 0xc0 + i).slice(2);
  const continues = Array.from({ length: 0x40 }, (_, i) => 0x80 + i);
  const hasBytes = [...upper, ...continues].every((byte) => single.has(byte));
  return intersection(union(own, ascii, hasBytes ? [[0x80, 0x10ffff]] : []), everyCharacter);
}
