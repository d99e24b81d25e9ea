// BLOOM's option that residuals start at the normalised states, against a naive twin in float64: the twin itself is checked
// by the reference case, which does not use the option.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { assertNear, readFamilyCase, tolerance } from '../lib/families.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

const given = readFamilyCase('bloom');
const weights = readSafetensors(given.file('model.safetensors'));
const { hidden_size: width, n_head: heads, n_layer: layers, layer_norm_epsilon: eps } = given.config;
const perHead = width / heads;
/** Of 3 heads: those of 2, and the first of 4. */
const slopes = [2 ** -4, 2 ** -8, 2 ** -2];

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const plus = (x, y) => x.map((row, i) => row.map((value, j) => value + y[i][j]));

function norm(x, name) {
  const [{ data: scale }, { data: shift }] = ['weight', 'bias'].map((part) => weights.get(`${name}.${part}`));
  return x.map((row) => {
    const mean = sum(row) / width;
    const deviation = Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / width + eps);
    return row.map((value, j) => ((value - mean) / deviation) * scale[j] + shift[j]);
  });
}

function linear(x, { data, shape: [out, into] }, bias) {
  return x.map((row) =>
    Array.from({ length: out }, (_, i) => {
      const products = row.map((value, j) => value * data[i * into + j]);
      return sum(products) + (bias ? bias.data[i] : 0);
    }),
  );
}

const dense = (x, name) => linear(x, weights.get(`${name}.weight`), weights.get(`${name}.bias`));
const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

function attend(x, name) {
  const fused = dense(x, `${name}.query_key_value`);
  const part = (row, head, which) => {
    const begin = (head * 3 + which) * perHead;
    return row.slice(begin, begin + perHead);
  };
  const joined = fused.map((query, i) =>
    slopes.flatMap((slope, head) => {
      const scores = fused.slice(0, i + 1).map((key, j) => {
        const products = part(query, head, 0).map((value, k) => value * part(key, head, 1)[k]);
        return sum(products) / Math.sqrt(perHead) + slope * j;
      });
      const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
      return Array.from({ length: perHead }, (_, k) =>
        sum(powers.map((power, j) => (power / sum(powers)) * part(fused[j], head, 2)[k])),
      );
    }),
  );
  return dense(joined, `${name}.dense`);
}

function twin(ids, isNormed) {
  const embeddings = weights.get('transformer.word_embeddings.weight');
  let x = ids.map((id) => Array.from(embeddings.data.subarray(id * width, (id + 1) * width)));
  x = norm(x, 'transformer.word_embeddings_layernorm');
  for (let layer = 0; layer < layers; layer++) {
    const name = `transformer.h.${layer}`;
    const y = norm(x, `${name}.input_layernorm`);
    x = plus(attend(y, `${name}.self_attention`), isNormed ? y : x);
    const z = norm(x, `${name}.post_attention_layernorm`);
    const inner = dense(z, `${name}.mlp.dense_h_to_4h`).map((row) => row.map(gelu));
    x = plus(dense(inner, `${name}.mlp.dense_4h_to_h`), isNormed ? z : x);
  }
  const logits = linear(norm(x, 'transformer.ln_f'), embeddings);
  return { data: Float32Array.from(logits.flat()), shape: [1, ids.length, logits[0].length] };
}

test('the residual after the norm', async () => {
  const { data, shape } = given.get('input_ids');
  const mask = given.get('attention_mask').data.slice(0, shape[1]);
  const ids = Array.from(data.slice(0, shape[1]), Number).filter((_, i) => Number(mask[i]) === 1);
  for (const isNormed of [false, true]) {
    const config = { apply_residual_connection_post_layernorm: isNormed };
    const model = await loadModel(given.changed({ config }));
    const { logits } = await model.forward({ inputIds: [ids] });
    const expected = twin(ids, isNormed);
    assertNear(logits, expected, `option ${isNormed}`, tolerance.states);
    // A cache, and one token at a time, give what the whole gives.
    const [{ sequences }] = await model.generate([ids], { maxNewTokens: 4, numBeams: 1, doSample: false });
    const next = twin(sequences[0].ids.slice(0, -1), isNormed);
    const vocab = next.shape[2];
    const row = next.data.slice(-vocab);
    assert.equal(row.indexOf(Math.max(...row)), sequences[0].ids.at(-1));
    await model.dispose();
  }
});
