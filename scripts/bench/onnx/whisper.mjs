// Whisper as ONNX files: the encoder, what the decoder needs from it, and a step of the decoder with its cache.

import { INT64 } from './graph.mjs';
import { LayersGraph } from './layers.mjs';

/** Layers with norms in front, and names of Hugging Face. */
class WhisperGraph extends LayersGraph {
  projected(x, name) {
    const bias = name.endsWith('k_proj') ? undefined : `${name}.bias`;
    return this.linear(x, `${name}.weight`, bias);
  }

  gelu(x) {
    return this.node('Gelu', [x], {}, 'com.microsoft');
  }

  /** x + f(norm(x)) */
  added(x, norm, layer) {
    return this.node('Add', [x, layer(this.norm(x, norm))]);
  }

  feedForward(x, layer) {
    const inner = (y) => this.projected(this.gelu(this.projected(y, `${layer}.fc1`)), `${layer}.fc2`);
    return this.added(x, `${layer}.final_layer_norm`, inner);
  }

  /** [1, heads, queries, width] -> [1, queries, d], projected */
  merged(mixed, queries, name) {
    const byTime = queries === 1 ? mixed : this.node('Transpose', [mixed], { perm: [0, 2, 1, 3] });
    const joined = this.node('Reshape', [byTime, this.ints(1, queries, this.config.dModel)]);
    return this.projected(joined, `${name}.out_proj`);
  }

  convolution(x, name, stride) {
    const constants = ['weight', 'bias'].map((part) => {
      const { data, shape } = this.weights[`model.encoder.${name}.${part}`];
      return this.constant(shape, data);
    });
    const attributes = { kernel_shape: [3], pads: [1, 1], strides: [stride] };
    return this.gelu(this.node('Conv', [x, ...constants], attributes));
  }

  /** [1, bands, frames] -> [1, frames / 2, d] */
  encoded(features) {
    const { frames, numEncoderLayers } = this.config;
    const time = frames / 2;
    const convolved = this.convolution(this.convolution(features, 'conv1', 1), 'conv2', 2);
    const positions = this.weights['model.encoder.embed_positions.weight'];
    let x = this.node('Add', [
      this.node('Transpose', [convolved], { perm: [0, 2, 1] }),
      this.constant(positions.shape, positions.data),
    ]);
    for (let i = 0; i < numEncoderLayers; i++) {
      const layer = `model.encoder.layers.${i}`;
      const name = `${layer}.self_attn`;
      x = this.added(x, `${name}_layer_norm`, (y) => {
        const heads = (part, order) => this.heads(this.projected(y, `${name}.${part}`), time, order);
        const keys = heads('k_proj', [0, 2, 3, 1]);
        const mixed = this.attend(heads('q_proj', [0, 2, 1, 3]), keys, heads('v_proj', [0, 2, 1, 3]));
        return this.merged(mixed, time, name);
      });
      x = this.feedForward(x, layer);
    }
    return this.norm(x, 'model.encoder.layer_norm');
  }
}

const featuresOf = (graph, { bands, frames }) => graph.input('features', [1, bands, frames]);

/** `features` [1, bands, frames] -> `output` [1, frames / 2, d] */
export function whisperEncoderOnnx({ config, weights }, dtype) {
  const graph = new WhisperGraph(config, weights, { dtype });
  const shape = [1, config.frames / 2, config.dModel];
  graph.output('output', shape, graph.encoded(featuresOf(graph, config)));
  return graph.toBytes();
}

/** `features` -> every layer's `cross.<i>.key` (transposed) and `.value` */
export function whisperSourceOnnx({ config, weights }, dtype) {
  const { dModel: d, numHeads, numDecoderLayers, frames } = config;
  const time = frames / 2;
  const graph = new WhisperGraph(config, weights, { dtype });
  const memory = graph.encoded(featuresOf(graph, config));
  for (let i = 0; i < numDecoderLayers; i++) {
    const name = `model.decoder.layers.${i}.encoder_attn`;
    const heads = (part, order) => graph.heads(graph.projected(memory, `${name}.${part}`), time, order);
    graph.output(`cross.${i}.key`, [1, numHeads, d / numHeads, time], heads('k_proj', [0, 2, 3, 1]));
    graph.output(`cross.${i}.value`, [1, numHeads, time, d / numHeads], heads('v_proj', [0, 2, 1, 3]));
  }
  return graph.toBytes();
}

/** One step, with the same inputs and outputs as `stepOnnx`. */
export function whisperStepOnnx({ config, weights }, dtype) {
  const { dModel: d, numHeads, numDecoderLayers, vocabSize, frames } = config;
  const [width, time] = [d / numHeads, frames / 2];
  const graph = new WhisperGraph(config, weights, { dtype });
  const table = (name) => {
    const { data, shape } = weights[`model.decoder.${name}.weight`];
    return graph.constant(shape, data);
  };
  const [id, position] = [graph.input('id', [1, 1], INT64), graph.input('position', [1], INT64)];
  let x = graph.node('Add', [
    graph.node('Gather', [table('embed_tokens'), id]),
    graph.node('Gather', [table('embed_positions'), position]),
  ]);
  // With one query no transposition is needed: [1, 1, d] and [1, heads, 1, width] have the same layout.
  const heads = (y, name) =>
    graph.node('Reshape', [graph.projected(y, name), graph.ints(1, numHeads, 1, width)]);
  for (let i = 0; i < numDecoderLayers; i++) {
    const layer = `model.decoder.layers.${i}`;
    const self = `${layer}.self_attn`;
    x = graph.added(x, `${self}_layer_norm`, (y) => {
      const [keys, values] = ['key', 'value'].map((part) => {
        const past = graph.input(`past.${i}.${part}`, [1, numHeads, 'past', width]);
        const all = graph.node('Concat', [past, heads(y, `${self}.${part[0]}_proj`)], { axis: 2 });
        graph.output(`present.${i}.${part}`, [1, numHeads, 'total', width], all);
        return all;
      });
      const transposed = graph.node('Transpose', [keys], { perm: [0, 1, 3, 2] });
      return graph.merged(graph.attend(heads(y, `${self}.q_proj`), transposed, values), 1, self);
    });
    const cross = `${layer}.encoder_attn`;
    x = graph.added(x, `${cross}_layer_norm`, (y) => {
      const keys = graph.input(`cross.${i}.key`, [1, numHeads, width, time]);
      const values = graph.input(`cross.${i}.value`, [1, numHeads, time, width]);
      return graph.merged(graph.attend(heads(y, `${cross}.q_proj`), keys, values), 1, cross);
    });
    x = graph.feedForward(x, layer);
  }
  const normed = graph.norm(x, 'model.decoder.layer_norm');
  graph.output('logits', [1, 1, vocabSize], graph.linear(normed, 'model.decoder.embed_tokens.weight'));
  return graph.toBytes();
}
