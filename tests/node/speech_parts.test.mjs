// Speech by a model that reads sound as it is: recordings of any length, in parts that are cut where it is quiet.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { folderWithIds } from '../lib/tiny_folder.mjs';

describe('moonshine', () => {
  const given = readFamilyCase('moonshine');
  const { inputValues, attentionMask } = given.inputs;
  const time = inputValues.shape[1];
  const greedy = given.about.generation.find(({ name }) => name === 'greedy');
  // The row without padding.
  const row = [0, 1].find((one) => attentionMask.data.subarray(one * time, (one + 1) * time).every(Boolean));
  const sound = inputValues.data.slice(row * time, (row + 1) * time);
  let engine;
  let model;
  before(async () => {
    engine = await createEngine({ threads: 1 });
    model = await loadModel(folderWithIds('moonshine', 60), { engine });
  });
  after(() => engine.dispose());

  test('writes what generate writes', async () => {
    const { text, language, segments } = await model.transcribe(sound, { maxNewTokens: 16 });
    const ids = greedy.sequences[row].filter((id) => id > 2);
    assert.equal(text, ids.join(' '));
    assert.equal(language, null);
    assert.deepEqual(
      segments.map(({ start, end, ids }) => ({ start, end, ids })),
      [{ start: 0, end: Math.round((time / 16000) * 100) / 100, ids }],
    );
  });

  test('writes no more than anyone says in that time', async () => {
    const { segments } = await model.transcribe(sound);
    assert.equal(segments[0].ids.length, Math.floor((6.5 * time) / 16000));
  });

  test('another rate, and a recording that is too short for a frame', async () => {
    const half = { samples: sound.filter((_, i) => i % 2 === 0), sampleRate: 8000 };
    assert.equal((await model.transcribe(half)).segments.length, 1);
    assert.equal((await model.transcribe(sound.subarray(0, 5))).segments[0].end, 0);
  });

  test('a long recording is cut where it is quiet', async () => {
    const rate = 16000;
    const samples = Float32Array.from(
      { length: 45 * rate },
      (_, i) => 0.3 * Math.sin(i * (0.05 + (i % 977) / 9770)),
    );
    samples.fill(0, 24.5 * rate, 24.9 * rate);
    const seen = [];
    const options = { maxNewTokens: 3, onProgress: ({ done, total }) => seen.push([done, total]) };
    const listening = model.streamTranscription(samples, options);
    const parts = [];
    let step = await listening.next();
    for (; !step.done; step = await listening.next()) parts.push(step.value);
    const transcription = step.value;
    assert.deepEqual(parts, transcription.segments);
    const [first, second] = transcription.segments;
    assert.equal(transcription.segments.length, 2);
    assert.ok(first.end >= 24.5 && first.end <= 24.9, `${first.end}`);
    assert.deepEqual([first.start, second.start, second.end], [0, first.end, 45]);
    assert.equal(transcription.text, `${first.text}${second.text}`);
    assert.equal(second.text[0], ' ');
    assert.deepEqual(seen.at(-1), [45, 45]);
  });

  test('padding behind a row does not change its frames, but for the norm over all of them', async () => {
    const decoderInputIds = [[1, 18, 16]];
    const one = await model.forward({ inputValues: sound, decoderInputIds });
    const masked = await model.forward({
      inputValues: { data: sound, shape: [1, time] },
      attentionMask: { data: new Uint8Array(time).fill(1), shape: [1, time] },
      decoderInputIds,
    });
    assertSameBits(one.logits, masked.logits, 'a mask of ones');
  });

  test('a masked batch of different lengths generates what each row does', async () => {
    const lengths = [time, Math.floor(time * 0.4), Math.floor(time * 0.7), time];
    const mask = new Uint8Array(4 * time);
    const data = new Float32Array(4 * time);
    for (const [i, length] of lengths.entries()) {
      data.set(sound.subarray(0, length), i * time);
      mask.fill(1, i * time, i * time + length);
    }
    const options = { maxNewTokens: 8, numBeams: 2 };
    const batch = await model.generate(
      { inputValues: { data, shape: [4, time] }, attentionMask: { data: mask, shape: [4, time] } },
      options,
    );
    for (const i of lengths.keys()) {
      const rows = [data, mask].map((all) => ({
        data: all.slice(i * time, (i + 1) * time),
        shape: [1, time],
      }));
      const [alone] = await model.generate({ inputValues: rows[0], attentionMask: rows[1] }, options);
      assert.deepEqual(batch[i].sequences, alone.sequences, `row ${i}`);
    }
  });

  test('what it does not do is refused', async () => {
    const refused = (options, message) =>
      assert.rejects(model.transcribe(sound, options), { code: 'unsupported', message });
    await refused({ language: 'en' }, /option language/);
    await refused({ task: 'translate' }, /does not translate/);
    await refused({ timestamps: 'words' }, /times of words/);
    await refused({ temperature: [0, 0.5] }, /option temperature/);
    await assert.rejects(model.transcribe({ inputFeatures: [[1]] }), { code: 'unsupported' });
    const decoderInputIds = [[1]];
    await assert.rejects(model.forward({ inputValues: new Float32Array(100), decoderInputIds }), {
      code: 'invalid_argument',
      message: /at least 895 samples, got \[100\]/,
    });
    await assert.rejects(model.forward({ inputValues: sound, attentionMask: [[1, 1]], decoderInputIds }), {
      code: 'invalid_argument',
      message: /attentionMask has the shape \[1, 2\]/,
    });
    const aborted = AbortSignal.abort(new Error('no more'));
    await assert.rejects(model.transcribe(sound, { signal: aborted }), /no more/);
    const reload = async () => (await loadModel(given.files(), { engine })).dispose();
    await reload();
    const heap = engine.info.heapBytes;
    await reload();
    assertHeap(engine, heap);
  });
});
