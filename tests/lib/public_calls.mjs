// Every public function and method with arguments that it accepts: `{ name, call(args), args() }`. For tests that put
// something else in their places.

import * as index from '../../dist/index.js';
import * as pipelines from '../../dist/pipeline.js';
import { readFamilyCase } from './families.mjs';
import { readSpeechCase } from './speech.mjs';
import { studentFiles } from './students.mjs';
import { folderWithWords, pathOfCase } from './tiny_folder.mjs';
import { tinyModel } from './tiny_model.mjs';

const { createEngine, loadModel, Tensor } = index;
const text = 'the cat sat';
const template =
  "{% for message in messages %}{{ message['role'] + ' ' + message['content'] + ' . ' }}{% endfor %}{{ tools }}";
const row = [
  [1, 0, 2],
  [0.5, 1, -1],
];
const square = [
  [
    [0.5, 0.5],
    [0, 1],
  ],
];

/** What a value's classes offer, up to those of JavaScript. */
export function methodsOf(value) {
  const names = new Set();
  for (let kind = value; kind && kind !== Object.prototype; kind = Object.getPrototypeOf(kind))
    for (const name of Object.getOwnPropertyNames(kind)) {
      const { value: method } = Object.getOwnPropertyDescriptor(kind, name);
      if (typeof method === 'function' && name !== 'constructor') names.add(name);
    }
  return [...names].filter((name) => name !== 'dispose');
}

/** Calls a method, and reads to the end what comes piece by piece. */
const calling = (owner, method) => async (args) => {
  const result = await owner[method](...args);
  if (typeof result?.dispose === 'function') return result.dispose();
  if (!result?.[Symbol.asyncIterator]) return result;
  const pieces = [];
  for await (const piece of result) pieces.push(piece);
  return pieces;
};

const blocks = {
  scaledDotProductAttention: [
    row,
    row,
    row,
    {
      mask: [
        [1, 1],
        [0, 1],
      ],
      isCausal: true,
      needWeights: true,
      scale: 1,
    },
  ],
  additiveAttention: [row, row, { Ws: [[1, 0, 0]], Wh: [[0, 1, 0]], v: [1] }],
  luongAttention: [row, row, { score: 'dot', local: { D: 1, centers: [0, 1], gaussian: true }, values: row }],
  softmax: [row],
  layerNorm: [row, { weight: [1, 1, 1], bias: [0, 0, 0], eps: 1e-5 }],
  rmsNorm: [row, { weight: [1, 1, 1], eps: 1e-5 }],
  matmul: [row, [[1], [2], [3]]],
  positionalEncoding: [3, 4, { base: 100, offset: 1 }],
  rotaryEmbedding: [
    [
      [1, 2],
      [3, 4],
    ],
    { base: 100, offset: 1, interleaved: true },
  ],
  alibiBias: [2, 3, 3],
  causalMask: [3],
  paddingMask: [[1, 2], 3],
  machineLimits: [{ bytes: 4096 }],
};

const shape = { dModel: 4, numHeads: 2, dFf: 6 };
const makers = {
  linear: [{ inFeatures: 3, outFeatures: 2 }, { seed: 1 }],
  feedForward: [{ dModel: 3, dFf: 4, activation: 'relu' }, { seed: 1 }],
  multiHeadAttention: [shape, { seed: 1 }],
  encoderLayer: [{ ...shape, norm: 'pre' }, { seed: 1 }],
  decoderLayer: [shape, { seed: 1 }],
  gru: [{ inputSize: 3, hiddenSize: 2, bidirectional: true }, { seed: 1 }],
  lstm: [{ inputSize: 3, hiddenSize: 2 }, { seed: 1 }],
  patchEmbedding: [{ patchSize: 2, channels: 1, dModel: 3 }, { seed: 1 }],
  transformer: [{ ...shape, numEncoderLayers: 1, numDecoderLayers: 1, vocabSize: 9 }, { seed: 1 }],
};

const four = [
  [
    [1, 0, 2, 1],
    [0, 1, 1, 0],
  ],
];
const forwards = {
  linear: { forward: [row] },
  feedForward: { forward: [row] },
  multiHeadAttention: { forward: [four, four, four, { needWeights: true, isCausal: true }] },
  encoderLayer: { forward: [four, { isCausal: true, keyPaddingMask: [[1, 1]] }] },
  decoderLayer: { forward: [four, four, { memoryKeyPaddingMask: [[1, 0]] }] },
  gru: { forward: [[row], { lengths: [2] }] },
  lstm: { forward: [[row], {}] },
  patchEmbedding: {
    forward: [
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
  },
  transformer: {
    forward: [
      [[1, 2]],
      [[3, 4]],
      {
        srcMask: [
          [1, 1],
          [1, 1],
        ],
        outputAttentions: true,
      },
    ],
    encode: [
      [[1, 2]],
      {
        mask: [
          [1, 1],
          [1, 1],
        ],
      },
    ],
    decode: [[[1, 2]], four, { isCausal: true }],
  },
};

const short = { maxNewTokens: 2 };
const recording = () => ({
  samples: new Float32Array(4000).map((_, i) => Math.sin(i / 9)),
  sampleRate: 16000,
});
const soundBlocks = async function* () {
  yield recording().samples;
};
const pixels = () => ({ data: new Uint8Array(12).fill(7), width: 2, height: 2, channels: 3 });
const turns = [{ role: 'user', content: text }];

/** Models by the files that they are loaded from, and the calls that suit each. */
const models = {
  tiny: {
    files: () => tinyModel(),
    calls: {
      translate: [[text, text], { ...short, numBeams: 2, stop: ['x'], badWordsIds: [[5]] }],
      generate: [
        [[5, 6], text],
        { ...short, prefix: [7], prefixAllowedTokens: () => [5, 6, 3], shortlist: [5, 6, 3] },
      ],
      streamTranslation: [`${text}. ${text}.`, { ...short, html: false, wrapped: true, alignment: true }],
      stream: [text, { ...short, doSample: true, seed: 1, temperature: 0.5 }],
      forward: [
        { inputIds: [[5, 6]], attentionMask: [[1, 1]], decoderInputIds: [[2, 5]] },
        { outputAttentions: true, headMask: undefined },
      ],
      profile: [{ tokens: 2, batch: 1, rounds: 1 }],
      score: [text, [text, [5, 6]], { batchTokens: 20, srcLang: undefined }],
    },
  },
  speech: {
    files: () => readSpeechCase('whisper_e2e').files(),
    calls: {
      transcribe: [recording(), { language: 'en', ...short, timestamps: true, onSegment() {}, prompt: [5] }],
      streamTranscription: [recording(), { language: 'en', ...short, temperature: [0, 0.5] }],
      captions: [
        { [Symbol.asyncIterator]: soundBlocks },
        { language: 'en', ...short, settledAfter: 1, sampleRate: 16000 },
      ],
    },
  },
  bert: {
    files: () => folderWithWords('bert_seqcls'),
    calls: { classify: [[{ text, textPair: text }, text], { topK: 2 }] },
  },
  sentences: {
    files: () => pathOfCase('sentence_transformer'),
    calls: { embed: [[text, text], { pooling: 'mean', normalize: true, precision: 'int8' }] },
  },
  ranker: {
    files: () => pathOfCase('cross_encoder'),
    calls: {
      rank: [text, [text, 'the dog'], { topK: 2, activation: 'none', maxLength: 9 }],
    },
  },
  pictures: {
    files: () => readFamilyCase('vit').files({}),
    calls: { classifyImage: [pixels(), { topK: 2 }] },
  },
  talk: {
    files: () => folderWithWords('llama', {}, { 'tokenizer_config.json': { chat_template: template } }),
    calls: {
      chat: [turns, short],
      streamChat: [turns, { ...short, tools: [{ name: 'a' }] }],
      session: [{ system: text, whenFull: { keep: 2 }, maxTokens: 60, ...short }],
    },
  },
};

const tokenizing = {
  encode: [text, { addSpecialTokens: true, isTarget: false, pair: text }],
  decode: [[5, 6], { skipSpecialTokens: false }],
  decodeSettled: [[5, 6]],
  tokenOf: [5, { isSource: true }],
  idOf: ['cat'],
  isSpecial: [1],
};

const id2label = { 0: 'bad', 1: 'entailment', 2: 'good' };
const tasks = {
  'text-classification': ['bert_seqcls', [{ text, text_pair: text }], { top_k: 2 }],
  'token-classification': ['bert_tokcls', [text], { aggregation_strategy: 'simple' }],
  'zero-shot-classification': ['bert_seqcls', text, ['a', 'b'], { multi_label: true }],
  'question-answering': ['bert_qa', { question: text, context: text }, { top_k: 2 }],
  'fill-mask': ['bert_mlm', 'the [MASK] sat', { top_k: 2, targets: ['cat'] }],
  'feature-extraction': ['sentence_transformer', [text], { pooling: 'mean' }],
  'text-generation': ['llama', text, { max_new_tokens: 2, return_full_text: false }],
  'text2text-generation': ['t5', text, { max_new_tokens: 2 }],
};

/**
 * @param engine with which everything is computed
 * @returns the calls, and the objects whose methods they are
 */
export async function publicCalls(engine) {
  const calls = [];
  const owners = {};
  const add = (name, owner, method, args) =>
    calls.push({ name: `${name}.${method}`, owner: name, method, call: calling(owner, method), args });
  const own = (name, owner, table) => {
    owners[name] = owner;
    for (const [method, args] of Object.entries(table)) add(name, owner, method, () => args);
  };
  own('engine', engine, { ...blocks, ...makers });
  for (const [maker, table] of Object.entries(forwards))
    own(maker, await engine[maker](...makers[maker]), table);
  for (const [name, { files, calls: table }] of Object.entries(models)) {
    const model = await loadModel(files(), { engine });
    own(name, model, table);
    if (name === 'tiny') own('tokenizer', model.tokenizer, tokenizing);
    if (name !== 'talk') continue;
    const session = await model.session(short);
    const saved = await session.save();
    add(name, model, 'loadSession', () => [saved]);
    owners.session = session;
    // Each in a session of its own, since one answers one question at a time.
    const ofSession = {
      send: [text, short],
      stream: [turns[0], short],
      fork: [],
      rewind: [0],
      save: [{ cache: true }],
    };
    for (const [method, args] of Object.entries(ofSession)) {
      const call = async (given) => calling(await model.session(short), method)(given);
      calls.push({ name: `session.${method}`, owner: 'session', method, call, args: () => args });
    }
  }
  const students = await Promise.all(
    ['yyzz', 'xxcc'].map((pair) => loadModel(studentFiles(pair), { engine })),
  );
  own('chain', index.chain(students), {
    translate: [['mí', 'le çá'], { numBeams: 2, lexicalShortlist: false }],
    streamTranslation: ['mí', { numBeams: 2 }],
  });
  own('tensor', new Tensor([1, 2], [2]), { tolist: [] });
  const reader = await loadModel(readFamilyCase('gpt2').files(), { engine });
  const free = {
    ...{
      createEngine,
      loadModel,
      describe: index.describe,
      stored: index.stored,
      attentionRollout: index.attentionRollout,
      attentionSvg: index.attentionSvg,
      ...{ agreement: index.agreement, attribute: index.attribute, sweep: index.sweep },
      chain: index.chain,
      settleEach: index.settleEach,
    },
    newTensor: (...args) => new Tensor(...args),
    tensorFrom: (...args) => Tensor.from(...args),
    ...{ pipeline: pipelines.pipeline, similarity: pipelines.similarity },
    renderChatTemplate: pipelines.renderChatTemplate,
  };
  own('free', free, {
    createEngine: [{ threads: 1, simd: 'auto', worker: false }],
    attentionRollout: [[square, square]],
    attentionSvg: [{ weights: square[0], queries: ['a', 'b'], keys: ['c', 'd'], title: 'e' }],
    newTensor: [
      [1, 2, 3, 4],
      [2, 2],
    ],
    tensorFrom: [row],
    chain: [students],
    agreement: [
      [0.2, 0.8],
      [0, 3],
    ],
    attribute: [reader, { inputIds: [[1, 2, 3]] }, { layer: 0, head: 0, query: 2, key: 1 }],
    sweep: [
      reader,
      { inputIds: [[1, 2, 3]] },
      {
        from: { inputIds: [[4, 5, 6]] },
        at: 'decoder.layers.0.residual',
        positions: [1],
        measure: { position: 2, token: 1 },
      },
    ],
    settleEach: [row, (batch) => batch, { batchSize: 2, onProgress() {} }],
    similarity: [row, row, { topK: 1 }],
    renderChatTemplate: [template, { messages: turns, add_generation_prompt: true }],
  });
  const loading = { engine, dtype: 'int8', onProgress() {}, retries: 0, cache: false, hub: undefined };
  add('free', free, 'describe', () => [tinyModel(), { retries: 0 }]);
  add('free', free, 'stored', () => [{}]);
  add('free', free, 'loadModel', () => [tinyModel(), { ...loading, hub: undefined }]);
  add('free', free, 'pipeline', () => ['translation', tinyModel(), { engine, device: 'cpu', dtype: 'q8' }]);
  for (const [task, [folder, ...args]] of Object.entries(tasks)) {
    const run = await pipelines.pipeline(
      task,
      folder === 'sentence_transformer'
        ? pathOfCase(folder)
        : folderWithWords(folder, task.startsWith('zero') ? { id2label } : {}),
      { engine },
    );
    own(`pipeline ${task}`, { run }, { run: args });
  }
  return { calls, owners };
}
