// onnxruntime-web's wasm backend, on graphs that the benchmark generates.

import {
  attentionOnnx,
  fusedAttentionOnnx,
  linearOnnx,
  sourceOnnx,
  stepOnnx,
  transformerOnnx,
} from '../onnx/models.mjs';
import { whisperEncoderOnnx, whisperSourceOnnx, whisperStepOnnx } from '../onnx/whisper.mjs';
import { fastest } from './fastest.mjs';

/** [heads, time, width] -> [1, time, heads * width]. */
function byTime({ data, shape: [heads, time, width] }) {
  const transposed = new Float32Array(data.length);
  for (let h = 0; h < heads; h++)
    for (let t = 0; t < time; t++)
      transposed.set(
        data.subarray((h * time + t) * width, (h * time + t + 1) * width),
        (t * heads + h) * width,
      );
  return { data: transposed, shape: [1, time, heads * width] };
}

function byHead({ data, shape: [, time, both] }, heads) {
  const width = both / heads;
  const transposed = new Float32Array(data.length);
  for (let t = 0; t < time; t++)
    for (let h = 0; h < heads; h++)
      transposed.set(
        data.subarray((t * heads + h) * width, (t * heads + h + 1) * width),
        (h * time + t) * width,
      );
  return transposed;
}

function argmax(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
}

/** The graphs for decoding. */
export const filesOf = (problem, dtype) =>
  new Map([
    ['source.onnx', sourceOnnx(problem, dtype)],
    ['step.onnx', stepOnnx(problem, dtype)],
  ]);

/** The same for Whisper. */
export const whisperFilesOf = (problem, dtype) =>
  new Map([
    ['source.onnx', whisperSourceOnnx(problem, dtype)],
    ['step.onnx', whisperStepOnnx(problem, dtype)],
  ]);

/** Sessions of the runtime on graphs, and its tensors. */
class Runtime {
  #ort;
  #threads;

  constructor(ort, threads) {
    this.#ort = ort;
    this.#threads = threads;
  }

  open(graph) {
    return this.#ort.InferenceSession.create(graph, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: this.#threads,
    });
  }

  float({ data, shape }) {
    return new this.#ort.Tensor('float32', data, shape);
  }

  ids(values, shape) {
    return new this.#ort.Tensor('int64', BigInt64Array.from(values, BigInt), shape);
  }

  /** A graph with one output; `read` converts it to the form of the other sides. */
  async one(graph, inputs, read = ({ data }) => data) {
    const session = await this.open(graph);
    const feeds = Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [name, this.float(value)]),
    );
    return {
      run: async () => (await session.run(feeds)).output,
      read,
      dispose: () => session.release(),
    };
  }

  /** As transformers.js decodes: what a step gives as `present` goes into the next one as `past`. */
  async load(files, { config, srcIds, features, startId, newTokens }) {
    const { dModel, numHeads, numDecoderLayers } = config;
    const source = await this.open(files.get('source.onnx'));
    const step = await this.open(files.get('step.onnx'));
    const caches = Array.from({ length: numDecoderLayers }, (_, i) => [`${i}.key`, `${i}.value`]).flat();
    const nothing = { data: new Float32Array(0), shape: [1, numHeads, 0, dModel / numHeads] };
    const given = features
      ? { features: this.float(features) }
      : { ids: this.ids(srcIds, [1, srcIds.length]) };
    const run = async () => {
      const cross = await source.run(given);
      const feeds = { ...cross };
      for (const name of caches) feeds[`past.${name}`] = this.float(nothing);
      const found = [];
      for (let last = startId; found.length < newTokens; found.push(last)) {
        feeds.id = this.ids([last], [1, 1]);
        feeds.position = this.ids([found.length], [1]);
        const results = await step.run(feeds);
        for (const name of caches) feeds[`past.${name}`] = results[`present.${name}`];
        last = argmax(results.logits.data);
      }
      return found;
    };
    return {
      run,
      read: (found) => found,
      dispose: async () => {
        await source.release();
        await step.release();
      },
    };
  }
}

/** The faster of two graphs of attention. */
const attentionOf = (runtime, { query, key, value }) =>
  fastest({
    'MatMul, Softmax, MatMul': () => runtime.one(attentionOnnx({ query }), { query, key, value }),
    MultiHeadAttention: () =>
      runtime.one(
        fusedAttentionOnnx({ query }),
        { query: byTime(query), key: byTime(key), value: byTime(value) },
        (output) => byHead({ data: output.data, shape: output.dims }, query.shape[0]),
      ),
  });

/**
 * Graphs of standard operators, which the runtime fuses by itself. Graphs with its own operators are as fast, all within 3 %:
 * one product for query, key and value, Gemm with its bias, MultiHeadAttention and Attention in encoders of 64 and 512 tokens,
 * and DynamicQuantizeMatMul for int8.
 */
export function openOnnxruntime({ ort }, { threads, dtype }) {
  ort.env.wasm.numThreads = threads;
  const runtime = new Runtime(ort, threads);
  const load = (files, problem) => runtime.load(files, problem);
  const prepare = {
    linear: (problem) => runtime.one(linearOnnx(problem, dtype), { src: problem.src }),
    transformer: (problem) => {
      const { src, tgt } = problem;
      return runtime.one(transformerOnnx(problem, dtype), tgt ? { src, tgt } : { src });
    },
    decoding: (problem) => load(filesOf(problem, dtype), problem),
    whisper: (problem) => load(whisperFilesOf(problem, dtype), problem),
    whisperEncoder: (problem) =>
      runtime.one(whisperEncoderOnnx(problem, dtype), { features: problem.features }),
  };
  // It has no weights.
  if (dtype === 'f32') prepare.attention = (problem) => attentionOf(runtime, problem);
  return { prepare, load, dispose() {} };
}
