// The trained translation models, in 8 bits as they ship. PyTorch's results are for the same 8 bits taken as float32, as
// `dtype: 'f32'` does.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSafetensors } from './safetensors.mjs';

const root = new URL('../../', import.meta.url);
const fixture = (path) => readFileSync(new URL(`tests/fixtures/${path}`, root));

export const folderOf = (name) => fileURLToPath(new URL(`web/public/models/${name}`, root));

/** What PyTorch makes of a model: translations, and every number of one of them. */
export const readTorch = (name) => ({
  sentences: JSON.parse(fixture(`${name}/expected.json`)).sentences,
  tensors: Object.fromEntries(readSafetensors(fixture(`${name}/expected.safetensors`))),
});

export const readCopied = () => JSON.parse(fixture('en-fr/copied.json')).sentences;

/** The largest difference is below the tolerance. */
export function assertNear(actual, expected, tolerance, what) {
  assert.equal(actual.length, expected.length, what);
  const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - actual[i])), 0);
  assert.ok(worst < tolerance, `${what} is off by ${worst}`);
}

/** The same ids, texts and scores as PyTorch. */
export async function assertTranslations(model, sentences) {
  const results = await model.generate(sentences.map(({ english }) => english));
  for (const [i, { sequences, inputIds }] of results.entries()) {
    const expected = sentences[i];
    assert.deepEqual(inputIds, expected.source_ids);
    assert.deepEqual(sequences[0].ids, expected.target_ids);
    assert.equal(sequences[0].text, expected.text);
    assert.ok(Math.abs(sequences[0].score - expected.log_probability) < 1e-3, expected.english);
  }
}

/** One teacher-forced pass over the sentence whose numbers PyTorch gives. */
export function passOver(model, { source_ids, target_ids }) {
  const inputs = {
    inputIds: Array.from(source_ids.data),
    decoderInputIds: Array.from(target_ids.data.slice(0, -1)),
  };
  return model.forward(inputs, { outputAttentions: true });
}

/** The per cent of a set (tests/fixtures/en-fr/NAME.tsv) that are translated to the letter. */
export async function exactMatch(model, name) {
  const lines = fixture(`en-fr/${name}.tsv`).toString().trim().split('\n');
  const pairs = lines.map((line) => line.split('\t'));
  const translations = await model.translate(pairs.map(([english]) => english));
  const right = translations.filter(({ text }, i) => pairs[i].slice(1).includes(text)).length;
  return { share: (100 * right) / pairs.length, count: pairs.length, translations };
}
