// What a form costs: the time to prepare a vocabulary and to compile a schema of 100 properties, and a token's time with a form
// beside that without one, in turns: npm run bench:grammars. The models are small, so that the search itself can be seen; the
// milliseconds that a form adds do not depend on the model.

import { createEngine, loadModel } from '../../dist/index.js';
import { byteLevel, byteModel } from '../../tests/lib/byte_model.mjs';
import { randomNumbers } from '../../tests/lib/random.mjs';
import { runMain, say } from '../lib/console.mjs';
import { median } from './timing.mjs';

const rounds = 7;
const syllables = 'ta re mo ing er st ch an is ou le con di ver pro al ent ic us ate'.split(' ');
const ends = ['"', '",', '":', '.', ')', '\u010a'];

/** A vocabulary of so many tokens: bytes, words with and without a space before them, some with numbers or quotes. */
function vocabularyOf(size) {
  const random = randomNumbers(3);
  const words = new Set(Object.keys(byteLevel.model.vocab));
  const one = (list) => list[random.below(list.length)];
  while (words.size < size) {
    let word = random.uniform() < 0.6 ? '\u0120' : '';
    for (let rest = 1 + random.below(4); rest > 0; rest--) word += one(syllables);
    if (random.uniform() < 0.2) word += random.below(1000);
    if (random.uniform() < 0.15) word += one(ends);
    words.add(word);
  }
  return Object.fromEntries(Array.from(words, (word, id) => [word, id]));
}

const kinds = [
  { type: 'string' },
  { type: 'integer', minimum: 0 },
  { enum: ['a', 'b'] },
  { type: 'string', maxLength: 200 },
];
const wide = (name) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${name}_${i}`, kinds[i % kinds.length]]),
  ),
});
const forms = {
  'a JSON Schema': {
    jsonSchema: { type: 'object', properties: { a: { type: 'string' }, b: kinds[3], c: kinds[1] } },
  },
  'a counted expression': { regex: '[a-zA-Z ]{500}' },
};

async function timeOf(work) {
  const begin = performance.now();
  const result = await work();
  return { milliseconds: performance.now() - begin, result };
}

/** Milliseconds of a token. */
async function tokenTime(model, options) {
  const prompt = [10, 11, 12];
  const wanted = { doSample: true, temperature: 1.5, topK: 0, maxNewTokens: 100, ...options };
  const { milliseconds, result } = await timeOf(() => model.generate(prompt, wanted));
  return milliseconds / (result.sequences[0].ids.length - prompt.length);
}

async function measure(engine, size) {
  const tokenizer = { ...byteLevel, model: { ...byteLevel.model, vocab: vocabularyOf(size) } };
  const model = await loadModel(byteModel({ tokenizer }), { engine });
  const first = (constrain) => timeOf(() => model.generate([10], { constrain, maxNewTokens: 1 }));
  say(`${size} tokens: the first form takes ${(await first({ choices: ['a'] })).milliseconds.toFixed(0)} ms`);
  const compiled = [];
  for (let round = 0; round < rounds; round++)
    compiled.push((await first({ jsonSchema: wide(`property${round}`) })).milliseconds);
  say(`  a schema of 100 properties, compiled and begun: ${median(compiled).toFixed(1)} ms`);
  for (const [name, constrain] of Object.entries(forms)) {
    const [free, formed] = [[], []];
    for (let seed = 0; seed < rounds; seed++) {
      free.push(await tokenTime(model, { seed, minNewTokens: 100 }));
      formed.push(await tokenTime(model, { seed, constrain }));
    }
    say(
      `  ${name}: ${(median(formed) - median(free)).toFixed(2)} ms more a token (${median(free).toFixed(2)} without)`,
    );
  }
  await model.dispose();
}

await runMain(async () => {
  const engine = await createEngine();
  for (const size of [32_000, 150_000]) await measure(engine, size);
  await engine.dispose();
});
