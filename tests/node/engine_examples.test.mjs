// The building blocks on worked examples from textbooks.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, Tensor } from '../../dist/index.js';
import { assertClose, workedExamples } from '../lib/reference.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const close = (actual, expected, what) => assertClose(actual, Tensor.from(expected), 1e-5, what);
const transpose = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));

for (const options of variants) {
  describe(`threads: ${options.threads}, simd: ${options.simd}`, () => {
    let engine;
    before(async () => {
      engine = await createEngine(options);
      assert.equal(engine.info.threads, options.threads);
      assert.equal(engine.info.simd, options.simd);
    });
    after(() => engine.dispose());

    describe('worked examples', () => {
      const examples = workedExamples();

      for (const [name, keys, from] of [
        ['four_inputs_seed25', ['W_Q', 'W_K', 'W_V'], 'four_inputs_seed25'],
        ['three_tokens_seed42', ['W_q', 'W_k', 'W_v'], 'three_tokens_seed42'],
        ['three_tokens_causal', ['W_q', 'W_k', 'W_v'], 'three_tokens_seed42'],
      ]) {
        test(name, async () => {
          const { mask, weights, output } = examples[name];
          const source = examples[from];
          const [q, k, v] = await Promise.all(keys.map((key) => engine.matmul(source.inputs, source[key])));
          const result = await engine.scaledDotProductAttention(q, k, v, {
            needWeights: true,
            ...(mask && { mask }),
          });
          close(result.weights, weights, 'weights');
          close(result.output, output, 'output');
        });
      }

      test('positional encoding', async () => {
        const encoding = (await engine.positionalEncoding(100, 64)).tolist();
        for (const [row, expected] of Object.entries(examples.positional_encoding_100x64.rows)) {
          close(Tensor.from(encoding[row]), expected, `row ${row}`);
        }
        const later = await engine.positionalEncoding(2, 64, { offset: 50 });
        close(Tensor.from(later.tolist()[0]), encoding[50], 'row 50 by its offset');
      });

      test('layer norm', async () => {
        const { x, output } = examples.layer_norm_std_plus_eps;
        close(await engine.layerNorm(x, { eps: 0 }), output, 'output');
      });

      test('feed-forward', async () => {
        const { x, W1, b1, W2, b2, output } = examples.feed_forward_relu;
        const layer = await engine.feedForward(
          { dModel: 8, dFf: 16 },
          {
            'linear1.weight': transpose(W1),
            'linear1.bias': b1,
            'linear2.weight': transpose(W2),
            'linear2.bias': b2,
          },
        );
        assert.equal(layer.parameterCount, 8 * 16 + 16 + 16 * 8 + 8);
        close(await layer.forward(x), output, 'output');
        await layer.dispose();
      });

      for (const name of ['multi_head', 'multi_head_causal']) {
        test(name, async () => {
          const { x, W_q, W_k, W_v, W_o, weights, output } = examples[name];
          const layer = await engine.multiHeadAttention(
            { dModel: 8, numHeads: 2 },
            { in_proj_weight: [W_q, W_k, W_v].flatMap(transpose), 'out_proj.weight': transpose(W_o) },
          );
          const isCausal = name.endsWith('causal');
          const result = await layer.forward(x, x, x, { isCausal, needWeights: true });
          close(result.weights, weights, 'weights');
          close(result.output, output, 'output');
          const masked = await layer.forward(x, x, x, {
            mask: isCausal ? await engine.causalMask(5) : Tensor.from([[1, 1, 1, 1, 1]]),
          });
          close(masked.output, output, 'output under a mask');
          await layer.dispose();
        });
      }

      test('additive attention', async () => {
        const { states, memory, W_s: Ws, W_h: Wh, v, scores, weights, context } = examples.additive_bahdanau;
        const result = await engine.additiveAttention(states, memory, { Ws, Wh, v });
        close(result.scores, scores, 'scores');
        close(result.weights, weights, 'weights');
        close(result.context, context, 'context');
      });

      for (const score of ['dot', 'general', 'concat']) {
        test(`Luong, ${score}`, async () => {
          const { states, memory, W, v, scores, weights, context } = examples[`luong_${score}`];
          const result = await engine.luongAttention(states, memory, { score, W, v });
          close(result.scores, scores, 'scores');
          close(result.weights, weights, 'weights');
          close(result.context, context, 'context');
        });
      }

      for (const [name, gaussian] of [
        ['luong_local_monotonic_window', false],
        ['luong_local_predictive', true],
      ]) {
        test(name, async () => {
          const { states, memory, centers, D, weights, context } = examples[name];
          const local = { D, centers, gaussian };
          const result = await engine.luongAttention(states, memory, { score: 'dot', local });
          close(result.weights, weights, 'weights');
          close(result.context, context, 'context');
        });
      }
    });
  });
}

repeatWithRelaxedSimd(import.meta.url);
