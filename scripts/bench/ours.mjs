// This engine, through its public API.

import { safetensors } from './weights.mjs';

const solver = (made, run, read) => ({ run, read, dispose: () => made.dispose() });

export async function openOurs({ createEngine, loadModel }, { threads, simd, worker, dtype }) {
  const engine = await createEngine({ threads, simd, worker });
  const prepare = {
    async linear({ weight, src }) {
      const [outFeatures, inFeatures] = weight.shape;
      const made = await engine.linear({ inFeatures, outFeatures, bias: false, dtype }, { weight });
      return solver(
        made,
        () => made.forward(src),
        ({ data }) => data,
      );
    },
    async transformer({ config, weights, src, tgt }) {
      const made = await engine.transformer({ ...config, dtype }, weights);
      if (!tgt)
        return solver(
          made,
          () => made.encode(src),
          ({ data }) => data,
        );
      return solver(
        made,
        () => made.forward(src, tgt),
        ({ output }) => output.data,
      );
    },
    decoding: async (problem) => load(filesOf(problem), problem),
  };
  // It has no weights.
  if (dtype === 'f32') {
    prepare.attention = ({ query, key, value }) => ({
      run: () => engine.scaledDotProductAttention(query, key, value),
      read: ({ output }) => output.data,
      dispose() {},
    });
  }

  /** A model from the files of `filesOf`, to decode with. */
  async function load(files, { srcIds, newTokens }) {
    const model = await loadModel(files, { engine, dtype });
    return solver(
      model,
      () => model.generate(srcIds, { maxNewTokens: newTokens }),
      ({ sequences: [{ ids }] }) => ids.slice(1),
    );
  }

  return { engine, prepare, load, dispose: () => engine.dispose() };
}

/** The files of a model. There is no end token, so every side writes as many tokens as requested. */
export function filesOf({ config, weights, startId }) {
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
