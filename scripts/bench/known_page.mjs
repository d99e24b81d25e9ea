// What known.mjs measures of a model in a page: loading, memory, reading and writing.

import { median } from './timing.mjs';

const tokens = 64;
const rounds = 8;

/** Of the fastest round: others may use the machine. */
async function secondsOf(run) {
  await run();
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    await run();
    fastest = Math.min(fastest, performance.now() - begin);
  }
  return fastest / 1e3;
}

/** The fastest of the rounds of each pass: name to tokens a second. */
async function passRates(model) {
  const rates = {};
  for (let round = 0; round < rounds; round++) {
    for (const { name, tokens: count, milliseconds } of await model.profile({ tokens, rounds: 1 }))
      rates[name] = Math.max(rates[name] ?? 0, (1e3 * count) / milliseconds);
  }
  return rates;
}

const noise = (...shape) => ({
  data: Float32Array.from({ length: shape.reduce((product, axis) => product * axis, 1) }, (_, i) =>
    Math.sin(i),
  ),
  shape,
});

/** Of a picture, or of so many seconds of sound: the inputs of a pass, and how much one is. */
const inputsOf = {
  picture: () => ({ inputs: { pixelValues: noise(1, 3, 224, 224) }, amount: 1 }),
  sound: ({ model_type: family }) =>
    family === 'whisper'
      ? { inputs: { inputFeatures: noise(1, 80, 3000), decoderInputIds: [[1]] }, amount: 30 }
      : { inputs: { inputValues: noise(1, 160_000), decoderInputIds: [[1]] }, amount: 10 },
};

/** Tokens a second that are read and written; of pictures and sound, pictures or seconds a second that are read. */
async function ratesOf(model, input) {
  const { encoder, decoder, step } = input === 'picture' ? {} : await passRates(model);
  if (!input) return { read: encoder ?? decoder, write: step };
  const { inputs, amount } = inputsOf[input](model.config);
  return { read: amount / (await secondsOf(() => model.forward(inputs))), write: step };
}

/** @returns milliseconds to load, bytes of the weights and of the engine's memory, and rates per second */
export async function measureKnown({ createEngine, loadModel }, { url, dtype, input }) {
  const engine = await createEngine();
  const begin = performance.now();
  const model = await loadModel(url, { engine, dtype, cache: false });
  const load = performance.now() - begin;
  const rates = await ratesOf(model, input);
  const { parameters, weightBytes } = model.info;
  return { parameters, bytes: weightBytes, memory: engine.info.memoryBytes, load, ...rates };
}

/** How many times as long each of some models takes as the first, by turns: the median of the rounds. */
export async function measurePeers({ createEngine, loadModel }, { urls, dtype }) {
  const engine = await createEngine();
  const models = [];
  for (const url of urls) models.push(await loadModel(url, { engine, dtype, cache: false }));
  const taken = models.map(() => ({ read: [], write: [] }));
  for (let round = 0; round < 4 * rounds; round++) {
    for (const [i, model] of models.entries()) {
      const [read, write] = await model.profile({ tokens, rounds: 1 });
      taken[i].read.push(read.milliseconds);
      taken[i].write.push(write.milliseconds);
    }
  }
  const [first] = taken;
  const ratio = (times, whole) => median(times.map((time, round) => time / whole[round]));
  return taken.map(({ read, write }) => ({
    read: ratio(read, first.read),
    write: ratio(write, first.write),
  }));
}
