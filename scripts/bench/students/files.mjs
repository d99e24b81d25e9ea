// A translation model as Firefox ships them, with random weights: 32,000 pieces, integers of 8 bits with multipliers, and a
// shortlist of 50 target pieces for each source piece. It never ends a sentence, so that every engine writes equally much.

const vocab = 32_000;
const listed = 50;

/** Numbers from 0 to below 1 (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pieces of two kinds: whole words, and what follows within a word. */
function pieces() {
  const random = randomFrom(1);
  const letter = (letters) => letters[Math.floor(random() * letters.length)];
  const syllable = () =>
    letter('bcdfghjklmnpqrstvwxz') + letter('aeiou') + (random() < 0.4 ? letter('nsdlr') : '');
  const words = new Set();
  const endings = new Set();
  while (words.size < 22_000)
    words.add(`\u2581${syllable()}${syllable()}${random() < 0.5 ? syllable() : ''}`);
  while (endings.size < vocab - 2 - 28 - words.size)
    endings.add(syllable() + syllable() + (random() < 0.6 ? syllable() : ''));
  const letters = [...'abcdefghijklmnopqrstuvwxyz.', '\u2581'];
  return { words: [...words], endings: [...endings], letters };
}

const varint = (value) => {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
};
const field = (number, bytes) => Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
const integer = (number, value) => Buffer.concat([varint(number << 3), varint(value)]);
const minusOne = (number) =>
  Buffer.concat([varint(number << 3), Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 255, 1])]);

function sentencePiece({ words, endings, letters }) {
  const piece = (text, score, kind) => {
    const number = Buffer.alloc(5, varint((2 << 3) | 5));
    number.writeFloatLE(score, 1);
    return field(1, Buffer.concat([field(1, Buffer.from(text)), number, integer(3, kind)]));
  };
  const trainer = [
    integer(3, 1),
    integer(4, vocab),
    integer(40, 1),
    minusOne(41),
    integer(42, 0),
    minusOne(43),
  ];
  const normalizer = [field(1, Buffer.from('identity')), integer(3, 1), integer(4, 1), integer(5, 1)];
  return Buffer.concat([
    piece('</s>', 0, 3),
    piece('<unk>', 0, 2),
    ...letters.map((text) => piece(text, -15, 1)),
    ...words.map((text, i) => piece(text, -8 - i / 10_000, 1)),
    ...endings.map((text, i) => piece(text, -9 - i / 10_000, 1)),
    field(2, Buffer.concat(trainer)),
    field(3, Buffer.concat(normalizer)),
  ]);
}

function shortlist() {
  const random = randomFrom(2);
  const lists = Array.from({ length: vocab }, () => {
    const ids = new Set();
    // Frequent pieces translate many others.
    while (ids.size < listed) ids.add(Math.min(vocab - 1, Math.floor(random() ** -2.8) + 1));
    return [...ids].sort((a, b) => a - b);
  });
  const offsets = lists.map((_, i) => BigInt(i * listed));
  const head = [0xf11a48d5013417f5n, 0n, 50n, 50n, BigInt(vocab + 1), BigInt(vocab * listed), ...offsets];
  const words = BigUint64Array.from([...head, BigInt(vocab * listed)]);
  return Buffer.concat([Buffer.from(words.buffer), Buffer.from(Uint32Array.from(lists.flat()).buffer)]);
}

/** Items are { name, type, shape, data }. */
function marianFile(items) {
  const u64 = (...numbers) => Buffer.from(BigUint64Array.from(numbers, BigInt).buffer);
  const padded = items.map((item) => ({
    ...item,
    data: Buffer.concat([item.data, Buffer.alloc(-item.data.length & 255)]),
  }));
  const named = padded.map(({ name }) => Buffer.from(`${name}\0`));
  const head = Buffer.concat([
    u64(1, padded.length),
    ...padded.map(({ type, shape, data }, i) => u64(named[i].length, type, shape.length, data.length)),
    ...named,
    ...padded.map(({ shape }) => Buffer.from(Int32Array.from(shape).buffer)),
  ]);
  const padding = 256 - ((head.length + 8) & 255);
  return Buffer.concat([head, u64(padding), Buffer.alloc(padding), ...padded.map(({ data }) => data)]);
}

/** The tensors of a model, random matrices among them, in the order in which they are added. */
class Items {
  #random = randomFrom(3);
  #dModel;
  all = [];

  constructor(dModel) {
    this.#dModel = dModel;
  }

  floats(name, shape, value) {
    const count = shape.reduce((product, size) => product * size, 1);
    const data = Buffer.from(Float32Array.from({ length: count }, (_, i) => value(i)).buffer);
    this.all.push({ name, type: 0x0404, shape, data });
  }

  matrix(name, shape, alpha = 127 / 4) {
    const [rows, cols] = shape;
    const data = Buffer.alloc(rows * cols + 4);
    for (let i = 0; i < rows * cols; i++) data.writeInt8(Math.floor(this.#random() * 255) - 127, i);
    data.writeFloatLE(127 / Math.sqrt(6 / (rows + cols)), rows * cols);
    this.all.push({ name, type: 0x4101, shape, data });
    this.floats(`${name}_QuantMultA`, [1], () => alpha);
  }

  linear(prefix, end, shape) {
    this.matrix(`${prefix}_W${end}`, shape);
    this.floats(`${prefix}_b${end}`, [1, shape[1]], () => 0);
  }

  norm(prefix) {
    this.floats(`${prefix}_ln_scale`, [1, this.#dModel], () => 1);
    this.floats(`${prefix}_ln_bias`, [1, this.#dModel], () => 0);
  }

  attention(prefix) {
    for (const end of 'qkvo') this.linear(prefix, end, [this.#dModel, this.#dModel]);
    this.norm(`${prefix}_Wo`);
  }

  feedForward(prefix, dFf) {
    this.linear(prefix, '1', [this.#dModel, dFf]);
    this.linear(prefix, '2', [dFf, this.#dModel]);
    this.norm(`${prefix}_ffn`);
  }
}

/** The options that Marian writes into the file beside the tensors. */
const marianOptions = ({ dModel, dFf, encoderLayers, decoderLayers }) => ({
  type: 'transformer',
  'dim-emb': dModel,
  'dim-vocabs': `[${vocab}, ${vocab}]`,
  'enc-depth': encoderLayers,
  'dec-depth': decoderLayers,
  'transformer-heads': 8,
  'transformer-dim-ffn': dFf,
  'transformer-ffn-activation': 'relu',
  'transformer-ffn-depth': 2,
  'transformer-decoder-autoreg': 'rnn',
  'dec-cell': 'ssru',
  'transformer-preprocess': '""',
  'transformer-postprocess': 'dan',
  'transformer-postprocess-emb': 'd',
  'transformer-guided-alignment-layer': 'last',
  'tied-embeddings-all': true,
  skip: false,
  'layer-normalization': false,
  'right-left': false,
  'transformer-train-position-embeddings': false,
  version: 'v1.9.0',
});

function model(size) {
  const { dModel, dFf, encoderLayers, decoderLayers } = size;
  const items = new Items(dModel);
  items.matrix('Wemb', [vocab, dModel]);
  items.floats('decoder_ff_logit_out_b', [1, vocab], (i) => (i === 0 ? -1e9 : 0));
  for (let l = 1; l <= encoderLayers; l++) {
    items.attention(`encoder_l${l}_self`);
    items.feedForward(`encoder_l${l}_ffn`, dFf);
  }
  for (let l = 1; l <= decoderLayers; l++) {
    items.matrix(`decoder_l${l}_rnn_W`, [dModel, dModel]);
    items.linear(`decoder_l${l}_rnn`, 'f', [dModel, dModel]);
    items.norm(`decoder_l${l}_rnn_ffn`);
    items.attention(`decoder_l${l}_context`);
    items.feedForward(`decoder_l${l}_ffn`, dFf);
  }
  const lines = Object.entries(marianOptions(size)).map(([name, value]) => `${name}: ${value}\n`);
  const text = Buffer.from(`${lines.join('')}\0`);
  return marianFile([
    ...items.all,
    { name: 'special:model.yml', type: 0x0101, shape: [text.length], data: text },
  ]);
}

/** Sizes in use: Mozilla's tiny, base and base-memory. */
export const sizes = {
  tiny: { dModel: 256, dFf: 1536, encoderLayers: 6, decoderLayers: 2 },
  base: { dModel: 512, dFf: 2048, encoderLayers: 6, decoderLayers: 2 },
  'base-memory': { dModel: 384, dFf: 1536, encoderLayers: 6, decoderLayers: 4 },
};

/** Its files by name; `maxLengthFactor` 1: as many tokens are written as are read. */
export function studentFiles(size) {
  return new Map([
    ['model.xxyy.intgemm.alphas.bin', model(sizes[size])],
    ['vocab.xxyy.spm', sentencePiece(pieces())],
    ['lex.50.50.xxyy.s2t.bin', shortlist()],
  ]);
}

/** Sentences of 18 to 30 words, with about 1.5 pieces each. */
export function sentences(count) {
  const random = randomFrom(4);
  const { words, endings } = pieces();
  const one = (list) => list[Math.floor(random() ** 3 * list.length)];
  const word = () => one(words).slice(1) + (random() < 0.5 ? one(endings) : '');
  return Array.from({ length: count }, () => {
    const length = 18 + Math.floor(random() * 13);
    return `${Array.from({ length }, word).join(' ')}.`;
  });
}
