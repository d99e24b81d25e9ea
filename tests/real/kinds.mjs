// What a folder of real things can hold, how it is recognised, and what must come out.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModel, loadTokenizer } from '../../dist/index.js';
import { answersModule, differencesOf, hashesOf } from '../../scripts/receipts/make.mjs';
import { randomNumbers } from '../lib/random.mjs';

const json = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
const has = (folder, name) => existsSync(join(folder, name));

/** The text that a model writes from nothing, letter by letter as far as the expected one goes. */
async function writesText(folder, engine) {
  const expected = readFileSync(join(folder, 'expected_greedy.txt'), 'utf8');
  const model = await loadModel(folder, { engine });
  const { bos_token_id: start = 1 } = model.config;
  const maxNewTokens = (model.config.max_position_embeddings ?? 1024) - 1;
  const { sequences } = await model.generate([start], { numBeams: 1, maxNewTokens });
  await model.dispose();
  const { text } = sequences[0];
  assert.equal(text.trimStart().slice(0, expected.trim().length), expected.trim());
  return `${expected.length} characters`;
}

const digitsOf = (number) => [...`${number}`.padStart(10, '0')].reverse().map(Number);

/** Pairs in which every carry happens, none, or one runs through all digits. */
const edges = [
  [0n, 0n],
  [9_999_999_999n, 1n],
  [9_999_999_999n, 9_999_999_999n],
  [5_555_555_555n, 5_555_555_555n],
  [1_234_567_890n, 9_876_543_210n],
  ...Array.from({ length: 10 }, (_, at) => [10n ** BigInt(at), 9n * 10n ** BigInt(at)]),
];

/** Sums of numbers of ten digits, lowest digit first: `0, a, 0, 0, b, 0`, then eleven digits. */
async function adds(folder, engine) {
  const model = await loadModel(folder, { engine });
  const { below } = randomNumbers(7);
  const random = () => BigInt(below(1e10));
  const pairs = [...edges, ...Array.from({ length: 1000 }, () => [random(), random()])];
  const prompts = pairs.map(([a, b]) => [0, ...digitsOf(a), 0, 0, ...digitsOf(b), 0]);
  const results = await model.generate(prompts, {
    numBeams: 1,
    maxNewTokens: 11,
    minNewTokens: 11,
    eosTokenId: [],
  });
  await model.dispose();
  for (const [at, { sequences }] of results.entries()) {
    const [a, b] = pairs[at];
    const sum = [...`${a + b}`.padStart(11, '0')].reverse().map(Number);
    assert.deepEqual(sequences[0].ids.slice(-11), sum, `${a} + ${b}`);
  }
  return `${pairs.length} sums`;
}

async function matchesReceipt(folder, engine) {
  const receipt = json(folder, 'receipt.json');
  const { answerOf } = await answersModule();
  const model = await loadModel(folder, { engine });
  const answers = [];
  for (const answer of receipt.answers) answers.push({ ...answer, ...(await answerOf(model, answer)) });
  await model.dispose();
  const files = await hashesOf(folder, Object.keys(receipt.files));
  assert.deepEqual(await differencesOf(receipt, { files, answers }), []);
  return `${answers.length} answers`;
}

/**
 * A vocabulary without weights: `NAME.inp` holds texts between lines of `__ggml_vocab_test__`, `NAME.out` the ids of each,
 * without added tokens.
 */
export async function spells(file) {
  const separator = '\n__ggml_vocab_test__\n';
  const texts = readFileSync(`${file}.inp`, 'utf8').split(separator);
  const lines = readFileSync(`${file}.out`, 'utf8').replace(/\n$/, '').split('\n');
  const tokenizer = await loadTokenizer(new Map([['vocabulary.gguf', readFileSync(file)]]));
  const wrong = [];
  for (const [at, line] of lines.entries()) {
    const expected = line.trim().split(/\s+/).filter(Boolean).map(Number);
    const { ids } = tokenizer.encode(texts[at] ?? '', { addSpecialTokens: false });
    if (JSON.stringify(ids) !== JSON.stringify(expected)) wrong.push({ text: texts[at], ids, expected });
  }
  assert.deepEqual(wrong, []);
  return `${lines.length} texts`;
}

const isAdder = (folder) => {
  if (!has(folder, 'config.json')) return false;
  const { vocab_size, is_encoder_decoder } = json(folder, 'config.json');
  return vocab_size === 10 && !is_encoder_decoder && !has(folder, 'tokenizer.json');
};

/** The first that fits counts. */
export const kinds = [
  { fits: (folder) => has(folder, 'receipt.json'), run: matchesReceipt },
  { fits: (folder) => has(folder, 'expected_greedy.txt'), run: writesText },
  { fits: isAdder, run: adds },
];
