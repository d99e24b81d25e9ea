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

async function openOurs({ createEngine, loadModel }, { url }) {
  const engine = await createEngine();
  const begin = performance.now();
  const model = await loadModel(url, { engine, cache: false, prefixCacheBytes: 1 << 28 });
  const load = performance.now() - begin;
  const generate = async (ids, count) => {
    const options = { minNewTokens: count, maxNewTokens: count, doSample: false, numBeams: 1 };
    const [{ sequences }] = await model.generate([ids], options);
    if (sequences[0].ids.length !== ids.length + count) throw new Error('ended early');
  };
  return { load, memory: () => engine.info.memoryBytes, generate };
}

/** Every letter is a token. Its own clock gives the rates; ours agrees with it. */
async function openWllama(_ours, { url, keeps = false, room = 512 }) {
  const { Wllama } = await import('./node_modules/@wllama/wllama/esm/index.js');
  const wasm = './node_modules/@wllama/wllama/esm/wasm/wllama.wasm';
  const wllama = new Wllama({ default: new URL(wasm, location.href).href }, { suppressNativeLog: true });
  const file = await (await fetch(url)).blob();
  const begin = performance.now();
  await wllama.loadModel([file], {
    n_ctx: room,
    n_threads: navigator.hardwareConcurrency,
    n_gpu_layers: 0,
    n_parallel: 1,
  });
  const load = performance.now() - begin;
  const generate = async (ids, count) => {
    const prompt = String.fromCharCode(...ids);
    const given = { prompt, max_tokens: count, temperature: 0, ignore_eos: true, cache_prompt: keeps };
    const { usage, timings } = await wllama.createCompletion(given);
    if (usage && usage.completion_tokens !== count) throw new Error(`${usage.completion_tokens} tokens`);
    return timings;
  };
  return { load, generate };
}

/**
 * The graph of onnx/qwen3.mjs, decoded as transformers.js does: what a step gives as `present` is the next one's `past`, and
 * with `keeps` the next call's, where it goes on from what was read.
 */
async function openOnnxruntime(_ours, { url, size: { keys, dHead }, keeps = false }) {
  const ort = await import('./node_modules/onnxruntime-web/dist/ort.wasm.min.mjs');
  ort.env.wasm.numThreads = navigator.hardwareConcurrency;
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const begin = performance.now();
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  const load = performance.now() - begin;
  const caches = session.inputNames.filter((name) => name.startsWith('past.'));
  const int32 = (value, dims) => new ort.Tensor('int32', Int32Array.of(value), dims);
  const nothing = new ort.Tensor('float32', new Float32Array(), [1, keys, 0, dHead]);
  let kept = { read: [], feeds: {} };
  const generate = async (prompt, count) => {
    const goesOn = keeps && kept.read.length > 0 && kept.read.every((id, i) => prompt[i] === id);
    const read = goesOn ? kept.read : [];
    const feeds = goesOn ? kept.feeds : Object.fromEntries(caches.map((name) => [name, nothing]));
    let next = prompt.slice(read.length);
    for (let written = 0; written < count; written++) {
      read.push(...next);
      feeds.ids = new ort.Tensor('int64', BigInt64Array.from(next, BigInt), [1, next.length]);
      feeds.last = int32(read.length - 1, [1]);
      feeds.total = int32(read.length, []);
      const results = await session.run(feeds);
      for (const name of caches) feeds[name] = results[name.replace('past', 'present')];
      const { data } = results.logits;
      next = [data.reduce((best, value, i) => (value > data[best] ? i : best), 0)];
    }
    kept = { read, feeds };
  };
  return { load, generate };
}

const sides = { ours: openOurs, wllama: openWllama, onnxruntime: openOnnxruntime };

const letters = (count, first = 0) => Array.from({ length: count }, (_, i) => 65 + ((i + first) % 26));

/** @param side the engine that reads the file */
export async function measureChat(ours, { side, ...given }) {
  const { load, memory, generate } = await sides[side](ours, given);
  let timings;
  const rates = await ratesOf(async (count) => {
    timings = await generate(letters(promptTokens), count);
  });
  return { load, memory: memory?.(), ...rates, timings };
}

/**
 * Milliseconds to the first token: of a conversation of `tokens`, which is read as a whole, and of its next turn of 30 tokens
 * after it, for which each engine keeps what it has computed, in its own way.
 */
export async function measureTurns(ours, { side, tokens, ...given }) {
  const { generate } = await sides[side](ours, { ...given, keeps: true, room: tokens + 256 });
  const timeOf = async (ids) => {
    const begin = performance.now();
    await generate(ids, 1);
    return performance.now() - begin;
  };
  const taken = [];
  for (let round = 0; round <= 5; round++) {
    const ids = letters(tokens, 5 * round);
    taken.push([await timeOf(ids), await timeOf([...ids, ...letters(30, 3)])]);
  }
  const times = taken.slice(1); // the first one warms up
  return { whole: median(times.map(([whole]) => whole)), next: median(times.map(([, next]) => next)) };
}
