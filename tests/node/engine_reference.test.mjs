// The building blocks and layers against textbook formulas in float64 and against PyTorch's modules.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine } from '../../dist/index.js';
import { allowed, assertClose, readCase } from '../lib/reference.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

/** Tolerance: 1e-5 of the largest absolute value. */
function assertRelative(actual, expected, what) {
  const largest = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  assertClose(actual, expected, 1e-5 * largest, what);
}

for (const options of variants) {
  describe(`threads: ${options.threads}, simd: ${options.simd}`, () => {
    let engine;
    before(async () => {
      engine = await createEngine(options);
      assert.equal(engine.info.threads, options.threads);
      assert.equal(engine.info.simd, options.simd);
    });
    after(() => engine.dispose());

    describe('formulas in float64', () => {
      const attention = readCase('attention_f64');
      for (const [call, { scale }] of Object.entries(attention.about.calls)) {
        test(`attention: ${call}`, async () => {
          const get = (key) => attention.get(`${call}.${key}`);
          const [mask, bias] = [get('mask'), get('bias')];
          const result = await engine.scaledDotProductAttention(get('query'), get('key'), get('value'), {
            scale,
            needWeights: true,
            ...(mask && { mask }),
            ...(bias && { bias }),
          });
          assertRelative(result.output, get('output'), 'output');
          assertRelative(result.weights, get('weights'), 'weights');
        });
      }

      const scores = readCase('luong_bahdanau_f64');
      const param = (name) => scores.get(`param.${name}`);
      const forms = {
        dot: (q, mask) => engine.luongAttention(q, scores.get('key_same_dim'), { score: 'dot', mask }),
        general: (q, mask) =>
          engine.luongAttention(q, scores.get('key'), { score: 'general', W: param('general.weight'), mask }),
        concat: (q, mask) =>
          engine.luongAttention(q, scores.get('key'), {
            score: 'concat',
            W: param('concat.weight'),
            v: param('concat.v'),
            mask,
          }),
        additive: (q, mask) =>
          engine.additiveAttention(q, scores.get('key'), {
            Ws: param('additive.query_weight'),
            Wh: param('additive.key_weight'),
            v: param('additive.v'),
            bias: param('additive.bias'),
            mask,
          }),
      };
      for (const [form, attend] of Object.entries(forms)) {
        test(`scores: ${form}`, async () => {
          const result = await attend(scores.get('query'), scores.get('mask'));
          assertRelative(result.scores, scores.get(`scores.${form}`), 'scores');
          assertRelative(result.weights, scores.get(`weights.${form}`), 'weights');
          assertRelative(result.context, scores.get(`context.${form}`), 'context');
        });
      }

      test('norms and softmax', async () => {
        const norms = readCase('norms_f64');
        const [x, weight, bias] = ['input', 'weight', 'bias'].map(norms.get);
        const cancelling = [1, 1, 1, 0, 1, 1]; // row 3: a large mean with a small spread
        for (const eps of [1e-3, 1e-5, 1e-12]) {
          const name = String(eps).replace('e-5', 'e-05').replace('0.00001', '1e-05');
          const expected = norms.get(`layer_norm_eps${name}`);
          const actual = await engine.layerNorm(x, { weight, bias, eps });
          assertClose(actual, expected, 2e-5, `layer norm, eps ${eps}`, cancelling);
          assertClose(actual, expected, 1e-2, `layer norm, eps ${eps}, all rows`);
          assertRelative(
            await engine.rmsNorm(x, { weight, eps }),
            norms.get(`rms_norm_eps${name}`),
            `RMS norm, eps ${eps}`,
          );
        }
        assertRelative(await engine.softmax(x), norms.get('softmax'), 'softmax');
      });

      test('positions', async () => {
        const positions = readCase('positions_f64');
        for (const width of [7, 10, 16]) {
          const expected = positions.get(`interleaved_d${width}`);
          assertClose(await engine.positionalEncoding(40, width), expected, 1e-6, `sinusoids ${width} wide`);
        }
        const x = positions.get('rope_input_d8');
        for (const [layout, interleaved] of [
          ['halves', false],
          ['interleaved', true],
        ]) {
          const turned = await engine.rotaryEmbedding(x, { interleaved });
          assertClose(turned, positions.get(`rope_output_${layout}_d8`), 1e-5, `rotary, ${layout}`);
        }
      });
    });

    describe("PyTorch's modules", () => {
      for (const name of ['self', 'cross_kdim_vdim', 'no_bias', 'bias_kv_zero']) {
        const module = readCase(`torch_mha_${name}`);
        const {
          embed_dim: dModel,
          num_heads: numHeads,
          kdim,
          vdim,
          add_zero_attn: addZeroAttn = false,
        } = module.config.args;
        const config = {
          dModel,
          numHeads,
          addZeroAttn,
          ...(kdim && { kDim: kdim }),
          ...(vdim && { vDim: vdim }),
        };
        for (const [call, masks] of Object.entries(module.about.calls)) {
          test(`multi-head attention, ${name}: ${call}`, async () => {
            const layer = await engine.multiHeadAttention(config, module.weights);
            const query = module.get('query');
            const given = module.tensors.has('key');
            const [key, value] = given ? [module.get('key'), module.get('value')] : [query, query];
            const padding = masks.key_padding_mask && module.raw(`mask.${masks.key_padding_mask}`);
            const mask = masks.attn_mask && module.raw(`mask.${masks.attn_mask}`);
            const options = {
              needWeights: true,
              ...(padding && { keyPaddingMask: allowed(padding) }),
              ...(mask && (mask.dtype === 'BOOL' ? { mask: allowed(mask) } : { bias: mask })),
            };
            const { output, weights } = await layer.forward(query, key, value, options);
            assertClose(output, module.get(`output.${call}`), 1e-4, 'output');
            assertClose(weights, module.raw(`weights_per_head.${call}`), 1e-5, 'weights of each head');
            const averaged = await layer.forward(query, key, value, { ...options, averageWeights: true });
            assertClose(averaged.weights, module.raw(`weights.${call}`), 1e-5, 'weights averaged');
            await layer.dispose();
          });
        }
      }

      const layerConfig = ({ d_model, nhead, dim_feedforward, activation, norm_first }) => ({
        dModel: d_model,
        numHeads: nhead,
        dFf: dim_feedforward,
        activation,
        norm: norm_first ? 'pre' : 'post',
      });
      /** 1 for each real position, if the call has padding. */
      const realRows = (padding, call) => (call.includes('padding') ? allowed(padding).data : undefined);

      for (const name of ['post_relu', 'pre_gelu']) {
        const module = readCase(`torch_encoder_layer_${name}`);
        for (const call of module.about.calls) {
          test(`encoder layer, ${name}: ${call}`, async () => {
            const layer = await engine.encoderLayer(layerConfig(module.config.layer_args), module.weights);
            const padding = module.raw('mask.padding');
            const output = await layer.forward(module.get('src'), {
              ...(call.includes('causal') && { mask: allowed(module.raw('mask.causal')) }),
              ...(call.includes('padding') && { keyPaddingMask: allowed(padding) }),
            });
            assertClose(output, module.get(`output.${call}`), 1e-4, 'output', realRows(padding, call));
            await layer.dispose();
          });
        }
      }

      const stack = readCase('torch_encoder_stack');
      for (const call of stack.about.calls) {
        test(`encoder stack: ${call}`, async () => {
          const model = await engine.transformer(layerConfig(stack.config.layer_args), stack.weights);
          const padding = stack.raw('mask.padding');
          const keyPaddingMask = call.includes('padding') && { keyPaddingMask: allowed(padding) };
          const isCausal = call.includes('causal');
          const rows = realRows(padding, call);
          const expected = stack.get(`output.${call}`);
          const memory = await model.encode(stack.get('src'), { ...keyPaddingMask, isCausal });
          assertClose(memory, expected, 1e-4, 'encode', rows);
          const { output } = await model.forward(stack.get('src'), undefined, {
            ...(keyPaddingMask && { srcKeyPaddingMask: allowed(padding) }),
            isCausal,
          });
          assertClose(output, expected, 1e-4, 'forward', rows);
          await model.dispose();
        });
      }

      for (const name of ['post_relu', 'pre_gelu']) {
        const module = readCase(`torch_decoder_layer_${name}`);
        for (const call of module.about.calls) {
          test(`decoder layer, ${name}: ${call}`, async () => {
            const layer = await engine.decoderLayer(layerConfig(module.config.layer_args), module.weights);
            const padding = module.raw('mask.tgt_padding');
            const isPadded = call.includes('padding');
            const output = await layer.forward(module.get('tgt'), module.get('memory'), {
              ...(call.includes('causal') && { bias: module.raw('mask.causal') }),
              ...(isPadded && { keyPaddingMask: allowed(padding) }),
              ...(isPadded && { memoryKeyPaddingMask: allowed(module.raw('mask.memory_padding')) }),
            });
            assertClose(output, module.get(`output.${call}`), 1e-4, 'output', realRows(padding, call));
            await layer.dispose();
          });
        }
      }

      for (const name of ['post_relu', 'pre_gelu']) {
        const module = readCase(`torch_transformer_${name}`);
        const config = layerConfig(module.config.args);
        const masksOf = (call) =>
          call.includes('padding')
            ? {
                srcKeyPaddingMask: allowed(module.raw('mask.src_padding')),
                tgtKeyPaddingMask: allowed(module.raw('mask.tgt_padding')),
                memoryKeyPaddingMask: allowed(module.raw('mask.src_padding')),
              }
            : {};
        for (const call of module.about.calls) {
          test(`transformer, ${name}: ${call}`, async () => {
            const model = await engine.transformer(config, module.weights);
            const { output } = await model.forward(module.get('src'), module.get('tgt'), {
              ...masksOf(call),
              isCausal: call !== 'plain',
            });
            const rows = realRows(module.raw('mask.tgt_padding'), call);
            assertClose(output, module.get(`output.${call}`), 1e-4, 'output', rows);
            await model.dispose();
          });
        }

        test(`transformer, ${name}: inner results`, async () => {
          const model = await engine.transformer(config, module.weights);
          const masks = masksOf('padding');
          const srcRows = masks.srcKeyPaddingMask.data;
          const tgtRows = masks.tgtKeyPaddingMask.data;
          const [src, tgt] = [module.get('src'), module.get('tgt')];
          const result = await model.forward(src, tgt, {
            ...masks,
            outputHiddenStates: true,
            outputAttentions: true,
          });
          const { num_encoder_layers: encoders, num_decoder_layers: decoders, nhead } = module.config.args;
          for (const [stackName, layers, rows] of [
            ['encoder', encoders, srcRows],
            ['decoder', decoders, tgtRows],
          ]) {
            const states = result[`${stackName}HiddenStates`];
            assert.equal(states.length, layers + 1);
            for (let i = 0; i + 1 < layers; i++) {
              const expected = module.get(`causal_padding.${stackName}_layer.${i}`);
              assertClose(states[i + 1], expected, 1e-4, `${stackName} layer ${i}`, rows);
            }
          }
          assertClose(result.encoderOutput, module.get('causal_padding.memory'), 1e-4, 'memory', srcRows);
          assertClose(
            result.encoderHiddenStates.at(-1),
            module.get('causal_padding.memory'),
            1e-4,
            'memory',
            srcRows,
          );
          assert.equal(result.crossAttentions.length, decoders);
          const [batch, queries] = tgt.shape;
          assert.deepEqual(result.crossAttentions[0].shape, [batch, nhead, queries, src.shape[1]]);
          const memory = await model.encode(src, { keyPaddingMask: masks.srcKeyPaddingMask });
          assertClose(memory, module.get('causal_padding.memory'), 1e-4, 'encode', srcRows);
          const { output } = await model.decode(tgt, memory, {
            keyPaddingMask: masks.tgtKeyPaddingMask,
            memoryKeyPaddingMask: masks.memoryKeyPaddingMask,
          });
          assertClose(output, module.get('output.causal_padding'), 1e-4, 'decode', tgtRows);
          await model.dispose();
        });
      }

      test('a translation model around nn.Transformer, token ids to logits', async () => {
        const module = readCase('torch_seq2seq');
        const { emb_size: dModel, nhead: numHeads, dim_feedforward: dFf, pad } = module.config;
        const model = await engine.transformer({ dModel, numHeads, dFf }, module.weights);
        const { src, tgt } = module.about;
        const real = (ids) => ids.map((row) => row.map((id) => id !== pad));
        const { logits } = await model.forward(src, tgt, {
          srcKeyPaddingMask: real(src),
          tgtKeyPaddingMask: real(tgt),
          memoryKeyPaddingMask: real(src),
        });
        assertClose(logits, module.get('logits'), 1e-4, 'logits', real(tgt).flat());
        await model.dispose();
      });
    });
  });
}

repeatWithRelaxedSimd(import.meta.url);
