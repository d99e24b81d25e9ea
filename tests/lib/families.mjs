// Reference cases computed with the Python library: their files as a folder to load, their inputs and expected results.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readSafetensors, writeSafetensors } from './safetensors.mjs';

// Another folder of cases in the same format can replace the fixtures.
const root = process.env.REFERENCE_CASES
  ? new URL(`file://${process.env.REFERENCE_CASES}/`)
  : new URL('../fixtures/reference/', import.meta.url);

/** Tolerances for a float32 implementation. */
export const tolerance = { states: 5e-5, attentions: 1e-5, scores: 1e-4 };

const isModel = (name) =>
  existsSync(new URL(`${name}/config.json`, root)) &&
  JSON.parse(readFileSync(new URL(`${name}/config.json`, root))).model_type !== undefined;

export const caseNames = readdirSync(root).filter(isModel).sort();

export const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** @param name of the case */
export function readFamilyCase(name) {
  const file = (path) => readFileSync(new URL(`${name}/${path}`, root));
  const about = JSON.parse(file('expected.json'));
  const tensors = readSafetensors(file('expected.safetensors'));
  const names = readdirSync(new URL(`${name}/`, root));
  return {
    name,
    about,
    get: (key) => tensors.get(key),
    has: (key) => tensors.has(key),
    config: JSON.parse(file('config.json')),
    /** Other files with the same weights, by their index in the list of files. */
    otherNames: names.filter((other) => /^model_.*\.safetensors$/.test(other)),
    /** config.json in other words: as older releases wrote it, or without the fields that have defaults. */
    otherConfigs: names.filter((other) => /^config_(minimal|hub)\.json$/.test(other)),
    /** The files to load; `changes` replaces some of them (`null`: removes one). */
    files(changes = {}) {
      const wanted =
        /^(config|generation_config|model\.safetensors\.index)\.json$|^model(-\d+-of-\d+)?\.safetensors$/;
      const map = new Map(names.filter((one) => wanted.test(one)).map((one) => [one, file(one)]));
      for (const [one, bytes] of Object.entries(changes)) {
        if (bytes === null) map.delete(one);
        else map.set(one, bytes);
      }
      return map;
    },
    /** Whether a folder of sentence-transformers takes the vector of the last token. */
    takesLast:
      names.includes('1_Pooling') && JSON.parse(file('1_Pooling/config.json')).pooling_mode_lasttoken,
    file,
    /** The files with other fields in config.json (`undefined`: removes one) and other tensors. */
    changed({ config = {}, tensors: change }) {
      const changes = { 'config.json': json({ ...this.config, ...config }) };
      if (change) {
        const weights = readSafetensors(file('model.safetensors'));
        changes['model.safetensors'] = writeSafetensors(change(weights));
      }
      return this.files(changes);
    },
    inputs: inputsOf(tensors),
  };
}

const inputNames = {
  inputIds: 'input_ids',
  attentionMask: 'attention_mask',
  tokenTypeIds: 'token_type_ids',
  decoderInputIds: 'decoder_input_ids',
  pixelValues: 'pixel_values',
  spatialShapes: 'spatial_shapes',
  pixelAttentionMask: 'pixel_attention_mask',
  inputFeatures: 'input_features',
};

function inputsOf(tensors) {
  const there = Object.entries(inputNames).filter(([, stored]) => tensors.has(stored));
  const inputs = Object.fromEntries(there.map(([ours, stored]) => [ours, tensors.get(stored)]));
  const sound = tensors.get('audio_int16');
  return sound
    ? { ...inputs, inputValues: { ...sound, data: Float32Array.from(sound.data, (one) => one / 32768) } }
    : inputs;
}

/** The largest difference at real positions: rows of `mask` that are 1. `axis` is the one that the mask applies to. */
export function largestDifference(actual, expected, what, { mask, axis = 1 } = {}) {
  assert.ok(actual, `${what} is missing`);
  assert.deepEqual(actual.shape, expected.shape, `${what}: shape`);
  const inner = expected.shape.slice(axis + 1).reduce((all, size) => all * size, 1);
  const time = expected.shape[axis];
  const outer = expected.shape.slice(1, axis).reduce((all, size) => all * size, 1);
  let worst = 0;
  let compared = 0;
  for (let i = 0; i < expected.data.length; i++) {
    const place = Math.floor(i / inner);
    const row = Math.floor(place / time / outer);
    if (mask && !mask.data[row * time + (place % time)]) continue;
    const difference = Math.abs(actual.data[i] - expected.data[i]);
    assert.ok(!Number.isNaN(difference), `${what}: element ${i} is ${actual.data[i]}`);
    worst = Math.max(worst, difference);
    compared += 1;
  }
  assert.ok(compared > 0, `${what}: nothing was compared`);
  return worst;
}

export function assertNear(actual, expected, what, limit, places) {
  const difference = largestDifference(actual, expected, what, places);
  assert.ok(difference <= limit, `${what}: differs by ${difference}, allowed are ${limit}`);
  return difference;
}

/** The last row of each sequence: [batch, time, width] -> [batch, width]. */
function lastRows({ data, shape: [batch, time, width] }) {
  const rows = Array.from({ length: batch }, (_, i) =>
    data.subarray(((i + 1) * time - 1) * width, (i + 1) * time * width),
  );
  return { data: Float32Array.from(rows.flatMap((row) => Array.from(row))), shape: [batch, width] };
}

/** Compares all results of a pass with the case's. */
export function assertPass(given, output) {
  const { get, has } = given;
  const mask = get('attention_mask');
  const differences = {};
  const check = (name, actual, limit, places) => {
    const kind = name.replace(/\.\d+$/, '');
    const difference = assertNear(actual, get(name), `${given.name} ${name}`, limit, places);
    differences[kind] = Math.max(differences[kind] ?? 0, difference);
  };
  const states = (name, actual, places) => has(name) && check(name, actual, tolerance.states, places);
  const list = (name, actual, limit, places) => {
    for (let i = 0; has(`${name}.${i}`); i++) check(`${name}.${i}`, actual?.[i], limit, places);
    if (has(`${name}.0`)) assert.ok(!has(`${name}.${actual.length}`), `${name}: as many as there should be`);
  };
  // One result for each text, and not for each token.
  const isWhole =
    get('logits')?.shape.length === 2 && !given.config.architectures?.[0].endsWith('ForPreTraining');
  const decodes = has('decoder_input_ids');
  states('logits', output.logits, { mask: decodes || isWhole ? undefined : mask });
  states('start_logits', output.startLogits, { mask });
  states('end_logits', output.endLogits, { mask });
  states('last_hidden_state', output.lastHiddenState, { mask });
  states('token_embeddings', output.lastHiddenState, { mask });
  states('pooler_output', output.poolerOutput);
  states('last_logits', output.logits && lastRows(output.logits));
  if (given.takesLast) states('pooled', lastRows(output.lastHiddenState));
  states('encoder_last_hidden_state', output.encoderLastHiddenState, { mask });
  list('encoder_hidden_states', output.encoderHiddenStates, tolerance.states, { mask });
  list('decoder_hidden_states', output.decoderHiddenStates, tolerance.states);
  list('hidden_states', output.hiddenStates, tolerance.states, { mask });
  list('encoder_attentions', output.encoderAttentions, tolerance.attentions, { mask, axis: 2 });
  list('decoder_attentions', output.decoderAttentions, tolerance.attentions);
  list('cross_attentions', output.crossAttentions, tolerance.attentions);
  list('attentions', output.attentions, tolerance.attentions, { mask, axis: 2 });
  const towers = { text: output.textModelOutput, vision: output.visionModelOutput };
  for (const [name, tower] of Object.entries(towers)) {
    const places = name === 'text' ? { mask } : {};
    states(`${name}_last_hidden_state`, tower?.lastHiddenState, places);
    states(`${name}_pooler_output`, tower?.poolerOutput ?? tower?.[`${name}Features`]);
    list(`${name}_hidden_states`, tower?.hiddenStates, tolerance.states, places);
    list(`${name}_attentions`, tower?.attentions, tolerance.attentions, { ...places, axis: 2 });
  }
  states('text_features', output.textModelOutput?.textFeatures);
  states('image_features', output.visionModelOutput?.imageFeatures);
  for (const one of ['text_embeds', 'image_embeds', 'logits_per_image', 'logits_per_text'])
    states(one, output[one.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())]);
  assert.ok(Object.keys(differences).length > 0, `${given.name}: nothing was compared`);
  return differences;
}

/** Converts keyword arguments of Python's `generate()` to our options. */
export function optionsOf(kwargs) {
  const inCamelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [inCamelCase(name), value]));
}

/** Converts the inputs of a call of Python's `generate()` to those of our `generate`. */
export function generationInputs({ about, inputs }, { batch_rows: batchRows }) {
  const rows = batchRows === '0' ? 1 : undefined;
  for (const [name, { data, shape }] of Object.entries(inputs)) {
    if (!['inputFeatures', 'inputValues', 'pixelValues'].includes(name)) continue;
    const [batch, ...one] = shape;
    const count = rows ?? batch;
    const firstOf = (tensor) => ({
      data: tensor.data.slice(0, (count * tensor.data.length) / batch),
      shape: [count, ...one],
    });
    const mask = name === 'inputValues' && { attentionMask: firstOf(inputs.attentionMask) };
    return { [name]: firstOf({ data }), ...mask };
  }
  const { input_ids: ids, attention_mask: mask } = about.generation_inputs ?? about.inputs;
  const real = ids.map((row, i) => row.filter((_, j) => mask[i][j] === 1));
  return real.slice(0, rows);
}
