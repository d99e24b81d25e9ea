// What known.mjs measures of a chat model in a page: loading a GGUF file, reading a prompt, writing tokens after it.

import { median } from './timing.mjs';

const promptTokens = 64;
const newTokens = 16;
const rounds = 3;

/** Rates of `generate(count)`, which writes that many tokens after the prompt: of the prompt, and of the tokens after it. */
async function ratesOf(generate) {
  const secondsOf = async (count) => {
    const begin = performance.now();
    await generate(count);
    return (performance.now() - begin) / 1e3;
  };
  await secondsOf(2);
  const taken = [];
  for (let round = 0; round < rounds; round++)
    taken.push([await secondsOf(1), await secondsOf(1 + newTokens)]);
  const reading = median(taken.map(([one]) => one));
  const writing = median(taken.map(([one, all]) => all - one));
  return { read: promptTokens / reading, write: newTokens / writing };
}

async function measureOurs({ createEngine, loadModel }, { url }) {
  const engine = await createEngine();
  const begin = performance.now();
  const model = await loadModel(url, { engine, cache: false });
  const load = performance.now() - begin;
  const ids = Array.from({ length: promptTokens }, (_, i) => 65 + (i % 26));
  const rates = await ratesOf(async (count) => {
    const options = { minNewTokens: count, maxNewTokens: count, doSample: false, numBeams: 1 };
    const [{ sequences }] = await model.generate([ids], options);
    if (sequences[0].ids.length !== ids.length + count) throw new Error('ended early');
  });
  return { load, memory: engine.info.memoryBytes, ...rates };
}

/** Every letter is a token. Its own clock gives the rates; ours agrees with it. */
async function measureWllama(_ours, { url }) {
  const { Wllama } = await import('./node_modules/@wllama/wllama/esm/index.js');
  const wasm = './node_modules/@wllama/wllama/esm/wasm/wllama.wasm';
  const wllama = new Wllama({ default: new URL(wasm, location.href).href }, { suppressNativeLog: true });
  const file = await (await fetch(url)).blob();
  const begin = performance.now();
  await wllama.loadModel([file], {
    n_ctx: 512,
    n_threads: navigator.hardwareConcurrency,
    n_gpu_layers: 0,
    n_parallel: 1,
  });
  const load = performance.now() - begin;
  const prompt = Array.from({ length: promptTokens }, (_, i) => String.fromCharCode(65 + (i % 26))).join('');
  const taken = [];
  const rates = await ratesOf(async (count) => {
    const given = { prompt, max_tokens: count, temperature: 0, ignore_eos: true, cache_prompt: false };
    const { usage, timings } = await wllama.createCompletion(given);
    if (usage && usage.completion_tokens !== count) throw new Error(`${usage.completion_tokens} tokens`);
    taken.push(timings);
  });
  return { load, ...rates, timings: taken.at(-1) };
}

/** The graph of onnx/qwen3.mjs, decoded as transformers.js does: what a step gives as `present` is the next one's `past`. */
async function measureOnnxruntime(_ours, { url, size: { keys, dHead } }) {
  const ort = await import('./node_modules/onnxruntime-web/dist/ort.wasm.min.mjs');
  ort.env.wasm.numThreads = navigator.hardwareConcurrency;
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const begin = performance.now();
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  const load = performance.now() - begin;
  const caches = session.inputNames.filter((name) => name.startsWith('past.'));
  const int32 = (value, dims) => new ort.Tensor('int32', Int32Array.of(value), dims);
  const prompt = Array.from({ length: promptTokens }, (_, i) => 65 + (i % 26));
  const rates = await ratesOf(async (count) => {
    const nothing = new ort.Tensor('float32', new Float32Array(), [1, keys, 0, dHead]);
    const feeds = Object.fromEntries(caches.map((name) => [name, nothing]));
    let [next, total] = [prompt, 0];
    for (let written = 0; written < count; written++) {
      total += next.length;
      feeds.ids = new ort.Tensor('int64', BigInt64Array.from(next, BigInt), [1, next.length]);
      feeds.last = int32(total - 1, [1]);
      feeds.total = int32(total, []);
      const results = await session.run(feeds);
      for (const name of caches) feeds[name] = results[name.replace('past', 'present')];
      const { data } = results.logits;
      next = [data.reduce((best, value, i) => (value > data[best] ? i : best), 0)];
    }
  });
  return { load, ...rates };
}

const sides = { ours: measureOurs, wllama: measureWllama, onnxruntime: measureOnnxruntime };

/** @param side the engine that reads the file */
export const measureChat = (ours, { side, ...given }) => sides[side](ours, given);
