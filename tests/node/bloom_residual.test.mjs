// BLOOM's option that residuals start at the normalised states, against a naive twin in float64: the twin itself is checked
// by the reference case, which does not use the option.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { alibiTwin } from '../lib/alibi_twin.mjs';
import { assertNear, readFamilyCase, tolerance } from '../lib/families.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

const given = readFamilyCase('bloom');
const weights = readSafetensors(given.file('model.safetensors'));
const { hidden_size: width, n_layer: layers, layer_norm_epsilon: eps } = given.config;
/** Of 3 heads: those of 2, and the first of 4. */
const slopes = [2 ** -4, 2 ** -8, 2 ** -2];

const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

const twin = (ids, isNormed) =>
  alibiTwin(weights, { width, layers, eps }, { slopes, activation: gelu, isNormed })(ids);

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
