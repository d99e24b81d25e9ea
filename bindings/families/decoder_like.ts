/** What the decoder-only families share. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { LayerConfig, ProjectionConfig, StackConfig, TransformerConfig } from '../modules/embind.js';
import { type Family, fieldsOf, headOf, readTokens, type TransformerPlan } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { type NameTable, nameBefore, renamed, type StoredName, tied } from '../plans/renaming.js';
import {
  preNorm,
  readSizes,
  type SizeKeys,
  type Stack,
  type StackSizes,
  stackOf,
  withLayer,
} from '../plans/stack.js';
import type { Shapes, Slice } from '../weights/slices.js';

/**
 * A decoder with norms before each block and at the end.
 *
 * @param isTied whether the output projection is the embedding
 * @param normPlace a variant of "before each block"
 */
export function decoderModel(
  decoder: Stack & Pick<StackConfig, 'vocab'>,
  isTied: boolean,
  normPlace: LayerConfig['normPlace'] = 'pre',
): Partial<TransformerConfig> {
  const stack = withLayer(preNorm(decoder), { normPlace });
  return { decoder: stack, projection: { vocab: decoder.vocab, tied: isTied } };
}

/** The plan of a decoder alone. */
export function planDecoder(
  fields: Fields,
  shapes: Shapes,
  { model, table, maxPositions }: Pick<TransformerPlan, 'model' | 'maxPositions'> & { table: NameTable },
): TransformerPlan {
  return {
    model,
    slices: tied(renamed(shapes, table), model.projection?.tied === true && 'decoder.embedding.weight'),
    tokens: readTokens(fields, false),
    maxPositions,
    storedName: (name) => nameBefore(name, table),
  };
}

/** How a decoder differs from one of the original layers with norms before each block. */
interface DecoderParts {
  readonly table: NameTable;
  /** Its positions, and what else differs around the layers. */
  readonly stack: Partial<StackConfig>;
  readonly layer?: Partial<LayerConfig>;
  readonly normPlace?: LayerConfig['normPlace'];
  readonly projection?: Partial<ProjectionConfig>;
}

/** A family of decoders, of which only the language model is known. */
interface DecoderFamily extends Omit<Family, 'plan'> {
  /** The prefix of its classes. */
  readonly classes: string;
  /** The suffix of its language model; default: ForCausalLM. */
  readonly head?: string;
  readonly keys?: SizeKeys;
  /** config.json under the names that are read. */
  named?(config: JsonObject): JsonObject;
  /** @throws TransformerError `unsupported` for a setting that would change the computation */
  parts(fields: Fields, sizes: StackSizes & { readonly dHead: number }): DecoderParts;
}

export const decoderFamily = ({ classes, head, keys, named, parts, ...family }: DecoderFamily): Family => ({
  ...family,
  plan(config, shapes) {
    headOf(config, classes, [head ?? 'ForCausalLM']);
    const fields = fieldsOf(named?.(config) ?? config);
    const sizes = readSizes(fields, keys);
    const dHead = Math.floor(sizes.dModel / sizes.numHeads);
    const { table, stack, layer = {}, normPlace, projection } = parts(fields, { ...sizes, dHead });
    const decoder = { ...withLayer(stackOf(sizes), layer), vocab: fields.count('vocab_size'), ...stack };
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'), normPlace);
    return planDecoder(fields, shapes, {
      model: { ...model, projection: { ...model.projection, ...projection } },
      table,
      maxPositions: maxLengthOf(stack.positions),
    });
  },
});

/** config.json with the values of other fields, where they are given: `{ n_head: 'num_attention_heads' }`. */
export const withNames = (config: JsonObject, names: Readonly<Record<string, string>>): JsonObject => ({
  ...config,
  ...Object.fromEntries(
    Object.entries(names)
      .map(([name, other]) => [name, config[other] ?? null])
      .filter(([, value]) => value !== null),
  ),
});

/** The plan of a decoder as that of an encoder, which sees later tokens too. */
export function asEncoder({ model, slices, storedName, ...plan }: TransformerPlan): TransformerPlan {
  const { decoder, ...rest } = model;
  const inEncoder = (name: string) => name.replace(/^decoder\./, 'encoder.');
  return {
    ...plan,
    model: { ...rest, ...(decoder && { encoder: decoder }) },
    slices: slices.map((slice) => ({
      ...slice,
      name: inEncoder(slice.name),
      ...(slice.unlessSameAs && { unlessSameAs: inEncoder(slice.unlessSameAs) }),
    })),
    storedName: (name) => storedName?.(name.replace(/^encoder\./, 'decoder.')) ?? name,
  };
}

/** Splits a weight stored as [in, out] into the layers whose columns it holds side by side. */
export function transposed(stored: StoredName, targets: readonly string[]): Slice[] {
  const [first = 0, second = 0] = stored.shape;
  const isMatrix = stored.shape.length === 2;
  const out = Math.floor((isMatrix ? second : first) / targets.length);
  return targets.map((target, i) => {
    const slice = { name: target, from: stored.name, firstRow: 0, rows: null };
    if (!isMatrix) return { ...slice, firstRow: i * out, rows: out, shape: [out] };
    const view = { offset: i * out, dims: [out, first], strides: [1, second] };
    return { ...slice, shape: [out, first], view };
  });
}
