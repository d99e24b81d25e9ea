// This engine, through its public API.

import { safetensors } from './weights.mjs';

export async function openOurs({ createEngine, loadModel }, { threads, simd, worker, dtype }) {
  const engine = await createEngine({ threads, simd, worker });
  const layer = (made, run, read) => ({ run: () => run(made), read, dispose: () => made.dispose() });
  const prepare = {
    async linear({ weight, src }) {
      const [outFeatures, inFeatures] = weight.shape;
      const made = await engine.linear({ inFeatures, outFeatures, bias: false }, { weight });
      return layer(
        made,
        () => made.forward(src),
        ({ data }) => data,
      );
    },
    attention: ({ query, key, value }) => ({
      run: () => engine.scaledDotProductAttention(query, key, value),
      read: ({ output }) => output.data,
      dispose() {},
    }),
    async transformer({ config, weights, src, tgt }) {
      const made = await engine.transformer(config, weights);
      return tgt
        ? layer(
            made,
            () => made.forward(src, tgt),
            ({ output }) => output.data,
          )
        : layer(
            made,
            () => made.encode(src),
            ({ data }) => data,
          );
    },
    async decoding({ config, weights, srcIds, startId, newTokens }) {
      const model = await loadModel(modelFiles(config, weights, startId), { engine, dtype });
      return layer(
        model,
        () => model.generate(srcIds, { maxNewTokens: newTokens }),
        ({ sequences: [{ ids }] }) => ids.slice(1),
      );
    },
  };
  return { name: `transformer-wasm ${dtype}`, engine, prepare, dispose: () => engine.dispose() };
}

/** The folder of a model, in memory. No token ends a text, so every side writes as many as it is asked for. */
export function modelFiles(config, weights, startId) {
  const json = {
    model_type: 'transformer',
    d_model: config.dModel,
    num_heads: config.numHeads,
    d_ff: config.dFf,
    num_encoder_layers: config.numEncoderLayers,
    num_decoder_layers: config.numDecoderLayers,
    vocab_size: config.vocabSize,
    max_length: 512,
    scale_embedding: true,
    decoder_start_token_id: startId,
  };
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(json))],
    ['model.safetensors', safetensors(weights)],
  ]);
}
