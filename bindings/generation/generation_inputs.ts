/** Batches for generation as in Python's `generate()`: padded token ids with a mask, audio features, or pictures. */

import { hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { frontOf } from '../plans/front_end_config.js';
import { allowsLeadingPadding } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { checkNames, toObject } from '../values/options.js';
import { elements, type TensorLike, toIds, toTensor } from '../values/tensor.js';
import { type GenerationInputs, type RowInput, sourceNames } from './input_tensors.js';

/** @throws TransformerError `invalid_argument`, `unsupported` */
export function rowsOf(model: Loaded, inputs: GenerationInputs): RowInput[] {
  const given = toObject(inputs, 'the input of generate');
  const names = [...sourceNames, 'attentionMask', 'decoderInputIds'];
  checkNames(given, names, 'the input of generate');
  const rows = rowsOfSource(model, inputs);
  if (inputs.decoderInputIds === undefined) return rows;
  const prompts = toRows(inputs.decoderInputIds, 'decoderInputIds');
  if (prompts.length !== rows.length && prompts.length !== 1) {
    fail('invalid_argument', `decoderInputIds has ${prompts.length} rows for ${rows.length} inputs`);
  }
  return rows.map((row, i) => ({ ...row, decoderInputIds: prompts[prompts.length === 1 ? 0 : i] ?? [] }));
}

function rowsOfSource(model: Loaded, inputs: GenerationInputs): RowInput[] {
  const name = frontOf(model.plan)?.input;
  for (const other of ['inputFeatures', 'inputValues', 'pixelValues'] as const)
    if (inputs[other] !== undefined && other !== name)
      fail('unsupported', `this model does not take ${other}`);
  const features = name && inputs[name];
  if (!name || features === undefined) return idRows(model, inputs);
  const rows = featureRows(features, name);
  return name === 'inputValues' && inputs.attentionMask !== undefined
    ? masked(rows, inputs.attentionMask)
    : rows;
}

/** Sounds [batch, bands, frames] or pictures [batch, channels, height, width], with or without the batch axis. */
function featureRows(given: TensorLike, name: Exclude<(typeof sourceNames)[number], 'inputIds'>): RowInput[] {
  const { data, shape } = toTensor(given, name);
  const axes = { pixelValues: 3, inputFeatures: 2, inputValues: 1 }[name];
  const one = shape.slice(-axes);
  const size = elements(one);
  const count = shape.length === axes + 1 ? (shape[0] ?? 0) : 1;
  return Array.from({ length: count }, (_, i) => ({
    features: { data: data.subarray(i * size, (i + 1) * size), shape: one },
    padding: 0,
  }));
}

function masked(rows: readonly RowInput[], given: MaskLike): RowInput[] {
  const { data } = toMask(given, 'attentionMask');
  const time = data.length / rows.length;
  if (rows.some(({ features }) => features?.data.length !== time))
    fail('invalid_argument', 'attentionMask must have the shape of inputValues');
  return rows.map((row, i) => ({
    ...row,
    mask: { data: data.slice(i * time, (i + 1) * time), shape: [time] },
  }));
}

function idRows(model: Loaded, { inputIds = [], attentionMask }: GenerationInputs): RowInput[] {
  const rows = toRows(inputIds, 'inputIds');
  const masks = attentionMask === undefined ? null : toMask(attentionMask, 'attentionMask').data;
  const [time = 0] = rows.map((row) => row.length);
  if (masks && masks.length !== rows.length * time) {
    fail('invalid_argument', `attentionMask has ${masks.length} entries for ${rows.length * time} ids`);
  }
  const { padTokenId, eosTokenIds } = model.generation;
  const isPad = (id: number) => id === padTokenId && !eosTokenIds.includes(id);
  return rows.map((ids, i) => {
    const isReal = ids.map((id, j) => (masks ? masks[i * time + j] === 1 : !isPad(id)));
    const begin = isReal.indexOf(true);
    const end = isReal.lastIndexOf(true) + 1;
    checkPadding(model, isReal, begin, end);
    return { inputIds: ids.slice(Math.max(0, begin), end), padding: Math.max(0, begin) };
  });
}

function checkPadding(model: Loaded, isReal: readonly boolean[], begin: number, end: number): void {
  if (isReal.slice(Math.max(0, begin), end).includes(false))
    fail('unsupported', 'inputIds has padding between real tokens');
  if (!hasEncoder(model)) {
    if (end < isReal.length)
      fail(
        'invalid_argument',
        'inputIds must be padded on the left: a decoder-only model continues at the end of its input',
      );
    return;
  }
  // For other schemes, left padding would shift the positions of the tokens.
  if (begin > 0 && !allowsLeadingPadding(model.plan))
    fail('unsupported', 'inputIds is padded on the left; this model needs padding on the right');
}

function toRows(given: TensorLike, name: string): number[][] {
  const { data, shape } = toIds(given, name);
  if (shape.length > 2)
    fail('invalid_argument', `${name} must be token ids [batch, time], got [${shape.join(', ')}]`);
  const time = shape.at(-1) ?? 0;
  const count = time > 0 ? data.length / time : 0;
  return Array.from({ length: count }, (_, i) => Array.from(data.subarray(i * time, (i + 1) * time)));
}
