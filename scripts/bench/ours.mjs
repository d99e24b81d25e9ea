// This engine, through its public API.

import { safetensors } from './weights.mjs';

const solver = (made, run, read) => ({ run, read, dispose: () => made.dispose() });
const dataOf = ({ data }) => data;
const idsOf = (results) => [results].flat()[0].sequences[0].ids.slice(1);

/** The ways in which this engine works on problems of each kind, by their names. */
class Ours {
  #loadModel;
  #dtype;

  constructor(engine, { loadModel, dtype }) {
    this.engine = engine;
    this.#loadModel = loadModel;
    this.#dtype = dtype;
  }

  open = (files, dtype = this.#dtype) => this.#loadModel(files, { engine: this.engine, dtype });

  async linear({ weight, src }) {
    const [outFeatures, inFeatures] = weight.shape;
    const options = { inFeatures, outFeatures, bias: false, dtype: this.#dtype };
    const made = await this.engine.linear(options, { weight });
    return solver(made, () => made.forward(src), dataOf);
  }

  async transformer({ config, weights, src, tgt }) {
    const made = await this.engine.transformer({ ...config, dtype: this.#dtype }, weights);
    if (!tgt) return solver(made, () => made.encode(src), dataOf);
    return solver(
      made,
      () => made.forward(src, tgt),
      ({ output }) => output.data,
    );
  }

  /** A model from the files of `filesOf`, to decode with. */
  async load(files, { srcIds, features, newTokens, sampling }) {
    const model = await this.open(files);
    const input = features ? { inputFeatures: features } : srcIds;
    return solver(model, () => model.generate(input, { ...sampling, maxNewTokens: newTokens }), idsOf);
  }

  /** With a single token of the decoder, which takes less than a hundredth of the time. */
  async whisperEncoder(problem) {
    const model = await this.open(whisperFilesOf(problem));
    const decoderInputIds = { data: [problem.startId], shape: [1, 1] };
    return solver(
      model,
      () => model.forward({ inputFeatures: problem.features, decoderInputIds }),
      ({ encoderLastHiddenState }) => encoderLastHiddenState.data,
    );
  }

  /** A model that generates for all sources at once, or in another way. Page tasks are those of a browser only. */
  async loadBatch(problem, generate) {
    const model = await this.open(filesOf(problem));
    const { newTokens, numBeams, pageTasks } = problem;
    const run = () => generate(model, problem.sources, { maxNewTokens: newTokens, numBeams });
    return solver(
      model,
      () => besideTasks(pageTasks, run),
      (results) => results.flatMap(({ sequences: [{ ids }] }) => ids.slice(1)),
    );
  }

  /** An encoder alone, whose rows `encode` runs in one way or another. */
  async loadEncoder(problem, encode) {
    const model = await this.open(filesOf(problem));
    return solver(
      model,
      () => encode(model, problem),
      (outputs) => outputs.flatMap(({ lastHiddenState }) => [...lastHiddenState.data]),
    );
  }

  attention({ query, key, value }) {
    const run = () => this.engine.scaledDotProductAttention(query, key, value);
    return { run, read: ({ output }) => output.data, dispose() {} };
  }

  softmax({ scores }) {
    return { run: () => this.engine.softmax(scores), read: dataOf, dispose() {} };
  }

  /** Checkpoints of 16 bits, their matrices kept in that form. In 8 bits there is nothing to compare. */
  halvesIn(form) {
    if (this.#dtype !== 'f32') return {};
    return {
      halves: (problem) => this.#halves(problem, form),
      halvesEncoder: (problem) => this.#halvesEncoder(problem, form),
    };
  }

  async #halves(problem, form) {
    const model = await this.open(filesOf(problem), form);
    const { srcIds, newTokens, numBeams } = problem;
    return solver(model, () => model.generate(srcIds, { maxNewTokens: newTokens, numBeams }), idsOf);
  }

  async #halvesEncoder(problem, form) {
    const model = await this.open(filesOf(problem), form);
    const inputIds = { data: problem.srcIds, shape: [1, problem.srcIds.length] };
    const decoderInputIds = { data: [problem.startId], shape: [1, 1] };
    return solver(
      model,
      () => model.forward({ inputIds, decoderInputIds }),
      ({ encoderLastHiddenState }) => encoderLastHiddenState.data,
    );
  }

  /** Generation with that many guesses at once: of the assistant, or else by prompt lookup. */
  guessing(most) {
    return this.#dtype === 'f32' ? { guesses: (problem) => this.#guesses(problem, most) } : {};
  }

  async #guesses(problem, most) {
    const { srcIds, newTokens, sampling, assistant } = problem;
    const model = await this.open(filesOf(problem));
    const options = { ...sampling, maxNewTokens: newTokens };
    if (!assistant) options.promptLookupNumTokens = most;
    else if (most > 0) {
      options.assistantModel = await this.open(filesOf({ ...problem, ...assistant }), 'int8');
      options.numAssistantTokens = most;
    }
    const made = {
      async dispose() {
        await options.assistantModel?.dispose();
        await model.dispose();
      },
    };
    return solver(made, () => model.generate(srcIds, options), idsOf);
  }
}

const openEngine = async ({ createEngine, loadModel }, { threads, simd, worker, dtype }) =>
  new Ours(await createEngine({ threads, simd, worker }), { loadModel, dtype });

export async function openOurs(packages, options) {
  const ours = await openEngine(packages, options);
  const prepare = {
    linear: (problem) => ours.linear(problem),
    transformer: (problem) => ours.transformer(problem),
    decoding: (problem) => ours.load(filesOf(problem), problem),
    sampling: (problem) => ours.load(filesOf(problem), problem),
    encoderCallers: (problem) => ours.loadEncoder(problem, eachAlone),
    whisper: (problem) => ours.load(whisperFilesOf(problem), problem),
    whisperEncoder: (problem) => ours.whisperEncoder(problem),
    batch: (problem) => ours.loadBatch(problem, problem.apart ? asCallers : together),
    ...ours.halvesIn('auto'),
    ...ours.guessing(10),
  };
  // They have no weights.
  if (options.dtype === 'f32') {
    prepare.attention = (problem) => ours.attention(problem);
    prepare.softmax = (problem) => ours.softmax(problem);
  }
  return openedAs(ours, prepare);
}

const openedAs = (ours, prepare) => ({
  engine: ours.engine,
  prepare,
  load: (files, problem) => ours.load(files, problem),
  dispose: () => ours.engine.dispose(),
});

/**
 * What `openOurs` does with batches, done one input after the other and with an idle page; checkpoints of 16 bits widened to
 * float32; generation without guesses, and greedy in place of sampled; and what callers ask of an encoder in one batch.
 */
export async function openPlain(packages, options) {
  const ours = await openEngine(packages, options);
  return openedAs(ours, {
    batch: (problem) => ours.loadBatch({ ...problem, pageTasks: 0 }, oneByOne),
    sampling: (problem) => ours.load(filesOf(problem), { ...problem, sampling: {} }),
    encoderCallers: (problem) => ours.loadEncoder(problem, inOneBatch),
    ...ours.halvesIn('f32'),
    ...ours.guessing(0),
  });
}

const together = (model, sources, settings) => model.generate(sources, settings);
const asCallers = (model, sources, settings) =>
  Promise.all(sources.map((source) => model.generate(source, settings)));

const eachAlone = (model, { ids, time }) =>
  Promise.all(
    Array.from({ length: ids.length / time }, (_, i) =>
      model.forward({ inputIds: { data: ids.slice(i * time, (i + 1) * time), shape: [1, time] } }),
    ),
  );

const inOneBatch = async (model, { ids, time }) => [
  await model.forward({ inputIds: { data: ids, shape: [ids.length / time, time] } }),
];

async function oneByOne(model, sources, settings) {
  const results = [];
  for (const source of sources) results.push(await model.generate(source, settings));
  return results;
}

/** Runs while the calling thread is busy with tasks of so many milliseconds, one after the other. */
async function besideTasks(milliseconds, run) {
  if (milliseconds === 0) return run();
  let isOver = false;
  const task = () => {
    if (isOver) return;
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    setTimeout(task);
  };
  setTimeout(task);
  try {
    return await run();
  } finally {
    isOver = true;
  }
}

/** The files of a model. There is no end token, so every side writes as many tokens as requested. */
export function filesOf({ config, weights, stored, startId }) {
  const json = {
    model_type: 'transformer',
    d_model: config.dModel,
    num_heads: config.numHeads,
    d_ff: config.dFf,
    num_encoder_layers: config.numEncoderLayers,
    num_decoder_layers: config.numDecoderLayers,
    vocab_size: config.vocabSize,
    positions: config.positions ?? 'sinusoidal',
    max_length: config.maxLength ?? 1024,
    scale_embedding: true,
    decoder_start_token_id: startId,
  };
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(json))],
    ['model.safetensors', safetensors(weights, stored)],
  ]);
}

/** The files of a Whisper, likewise without an end token. */
export function whisperFilesOf({ config, weights, startId }) {
  const json = {
    model_type: 'whisper',
    d_model: config.dModel,
    num_mel_bins: config.bands,
    vocab_size: config.vocabSize,
    max_source_positions: config.frames / 2,
    max_target_positions: config.maxLength,
    decoder_start_token_id: startId,
    eos_token_id: null,
    begin_suppress_tokens: null,
  };
  for (const [stack, layers] of [
    ['encoder', config.numEncoderLayers],
    ['decoder', config.numDecoderLayers],
  ]) {
    json[`${stack}_layers`] = layers;
    json[`${stack}_attention_heads`] = config.numHeads;
    json[`${stack}_ffn_dim`] = config.dFf;
  }
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(json))],
    ['model.safetensors', safetensors(weights)],
  ]);
}
