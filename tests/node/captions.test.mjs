// Captions of sound that goes on: what is settled stays, nothing is heard twice, and nothing is lost.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LiveSound } from '../../build/modules/tasks/speech/live_sound.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { readSpeechCase, tones } from '../lib/speech.mjs';

const speech = readSpeechCase('whisper_e2e');
const spoken = tones(speech.about.signals[0]);
let engine, model;
before(async () => {
  engine = await createEngine({ threads: 1 });
  model = await loadModel(speech.files(), { engine });
});
after(() => engine.dispose());

async function* inBlocks(samples, length = 2048) {
  for (let begin = 0; begin < samples.length; begin += length) yield samples.subarray(begin, begin + length);
}

/** The recording so many times, one after the other. */
const repeated = (times) => {
  const all = new Float32Array(times * spoken.length);
  for (let i = 0; i < times; i++) all.set(spoken, i * spoken.length);
  return all;
};

async function heard(sound, options = {}) {
  const all = [];
  for await (const { words, open, ...one } of model.captions(sound, { language: 'en', ...options }))
    all.push({ ...one, words: [...words], open: [...open] });
  return all;
}

test('words stay once they are settled, and the end settles all', async () => {
  const sound = repeated(4);
  const seconds = sound.length / 16000;
  const all = await heard(inBlocks(sound));
  assert.ok(all.length > 2);
  let kept = [];
  for (const { text, words, open, seconds: at } of all) {
    assert.deepEqual(words.slice(0, kept.length), kept);
    assert.equal(text, [...words, ...open].map((word) => word.text).join(''));
    for (const [i, { start, end }] of words.entries()) {
      assert.ok(start <= end && end <= at + 0.03, `${start} ${end} ${at}`);
      assert.ok(i === 0 || start >= words[i - 1].start - 1e-6);
    }
    kept = words;
  }
  assert.deepEqual(all.at(-1).open, []);
  assert.ok(Math.abs(all.at(-1).seconds - seconds) < 1e-9);
  assert.ok(kept.length > 4);
});

test('what fits into one window ends with the words of transcribe, whatever the blocks', async () => {
  const wanted = (await model.transcribe(spoken, { language: 'en', timestamps: 'words' })).words;
  for (const length of [100, 4096, spoken.length]) {
    const last = (await heard(inBlocks(spoken, length), { settledAfter: 99 })).at(-1);
    assert.deepEqual(last.words, wanted);
    assert.equal(last.language, 'en');
  }
  const slow = new Float32Array(spoken.length / 2).map((_, i) => spoken[2 * i]);
  const half = (await heard(inBlocks(slow), { sampleRate: 8000 })).at(-1);
  assert.ok(Math.abs(half.seconds - slow.length / 8000) < 1e-9);
});

test('an abort ends it even where no sound comes, and leaving the loop ends the sound', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const silent = async function* () {
    yield spoken;
    await new Promise(() => {});
  };
  const waiting = heard(silent(), { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 300);
  await assert.rejects(waiting, reason);
  let isClosed = false;
  const endless = async function* () {
    try {
      for (;;) yield spoken;
    } finally {
      isClosed = true;
    }
  };
  for await (const _ of model.captions(endless(), { language: 'en' })) break;
  assert.ok(isClosed);
});

test('what is no sound is refused, and what the sound throws is thrown', async () => {
  const invalid = (message) => ({ code: 'invalid_argument', message });
  await assert.rejects(heard(spoken), invalid(/a MediaStream or an async iterable of Float32Arrays/));
  await assert.rejects(heard(null), invalid(/got null/));
  await assert.rejects(heard(inBlocks(spoken), { sampleRate: 0 }), invalid(/sampleRate must be/));
  await assert.rejects(heard(inBlocks(spoken), { settled: 1 }), invalid(/settled/));
  const texts = async function* () {
    yield 'a';
  };
  await assert.rejects(heard(texts()), invalid(/Float32Arrays of samples, got the string 'a'/));
  const mine = new Error('mine');
  const broken = async function* () {
    yield spoken;
    throw mine;
  };
  await assert.rejects(heard(broken()), mine);
  const plain = { [Symbol.asyncIterator]: () => inBlocks(spoken) };
  assert.ok((await heard(plain)).length > 0);
  await assert.rejects(heard({ getAudioTracks: () => [] }), {
    code: 'unsupported',
    message: /secure context/,
  });
});

test('sound is read ahead up to a limit, and every sample is given once, in order', async () => {
  let read = 0;
  const counting = async function* () {
    for (let i = 0; i < 100; i++) {
      read++;
      yield Float32Array.from({ length: 7 }, (_, k) => 7 * i + k);
    }
  };
  const sound = new LiveSound(counting(), 30);
  const all = [];
  for (let most = 1; ; most = (most % 11) + 1) {
    const taken = await sound.take(most);
    assert.ok(taken.length <= most);
    if (taken.length === 0) break;
    all.push(...taken);
    assert.ok(7 * read - all.length <= 30 + 7);
  }
  assert.deepEqual(
    all,
    Array.from({ length: 700 }, (_, i) => i),
  );
});
