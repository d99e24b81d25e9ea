// Speech to text: every call of Python's generate() for a tiny Whisper, from features and from sound.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { assertHeap } from '../lib/heap.mjs';
import { wav16 } from '../lib/sound.mjs';
import { clipOf, readSpeechCase, tones, transcribeOptions, wav } from '../lib/speech.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const short = readSpeechCase('whisper_e2e');
const long = readSpeechCase('whisper_longform');
const published = readSpeechCase('whisper_30s');
const end = 350;

let engine;
let model;
before(async () => {
  engine = await createEngine({ threads: 1 });
  model = await loadModel(short.files(), { engine });
});
after(() => engine.dispose());

const idsOf = ({ segments }) => segments.flatMap(({ ids }) => ids);
const recordings = short.about.signals.map(tones);

describe('recordings of one window', () => {
  for (const call of short.about.generation) {
    test(`${call.name} ${JSON.stringify(call.kwargs)}`, async () => {
      const features = short.get('input_features');
      const clips =
        call.batch_rows === 'all' ? [...Array(features.shape[0]).keys()] : [Number(call.batch_rows)];
      // Words have times only where segments have them: without, the text is compared.
      for (const [i, clip] of clips.entries()) {
        const options = transcribeOptions(call);
        const result = await model.transcribe({ inputFeatures: clipOf(features, clip) }, options);
        const written = ({ [i]: ids }) => {
          // Beams return a prompt that is one shorter than what the call lists.
          const begin = ids.indexOf(351) + 1;
          const skipped = ids.slice(begin).findIndex((id) => id < 350 || id > 365);
          return ids.slice(begin + Math.max(0, skipped)).filter((id) => id !== end);
        };
        const accepted = [call.sequences, call.sequences_newer ?? call.sequences].map(written);
        const found = idsOf(result);
        assert.ok(
          accepted.some((ids) => `${ids}` === `${found}`),
          `${found} for ${accepted.join(' or ')}`,
        );
        const spoken = short.about.decode_asr.find(
          ({ call: name, row, return_timestamps: kind }) =>
            name === call.name && row === clip && kind === 'word' && options.timestamps === 'words',
        );
        if (!spoken || call.kwargs.num_frames) continue;
        const words = result.words.map(({ text, start, end: finish }) => ({
          text,
          timestamp: [start, finish],
        }));
        assert.deepEqual(words, spoken.chunks);
      }
    });
  }

  test('the language is detected', async () => {
    const features = short.get('input_features');
    const languages = [...Array(features.shape[0]).keys()].map(async (clip) => {
      const { language } = await model.transcribe({ inputFeatures: clipOf(features, clip) });
      return model.tokenizer.idOf(`<|${language}|>`);
    });
    assert.deepEqual(await Promise.all(languages), short.about.detected_language_ids);
  });

  test('sound gives what its features give', async () => {
    for (const [clip, whole] of recordings.entries()) {
      const samples = whole.subarray(0, 48000);
      const inputFeatures = clipOf(short.get('input_features'), clip);
      const options = { language: 'en', timestamps: 'words' };
      const expected = await model.transcribe({ inputFeatures }, options);
      const result = await model.transcribe(samples, options);
      assert.deepEqual(idsOf(result), idsOf(expected));
      assert.equal(result.text, expected.text);
    }
  });

  test('windows of the published size', async () => {
    const large = await loadModel(published.files(), { engine });
    const clips = published.about.signals.map((signal, clip) => {
      const [count, step] = [
        [17, 3],
        [55, 7],
      ][clip];
      const event = (i) => [
        ...[11200 * i, 8000, 250 + 97 * ((step * i) % 19), 1900 + 210 * ((i + step) % 13)],
        1500 + 400 * (i % 7),
      ];
      return tones({ ...signal, events: Array.from({ length: count }, (_, i) => event(i)) });
    });
    for (const call of published.about.generation) {
      const clip = Number(/clip (\d)/.exec(call.input)[1]);
      const isLong = call.segments !== undefined;
      const options = transcribeOptions(call, isLong);
      // Words need a tokenizer, which this model does not have.
      if (options.timestamps === 'words') options.timestamps = true;
      const result = await large.transcribe(clips[clip], options);
      const found = idsOf(result).filter((id) => id !== 180);
      const accepted = [call.sequences, call.sequences_newer ?? call.sequences].map(([ids]) =>
        ids.slice(isLong ? 0 : call.prompt_length).filter((id) => id !== 180),
      );
      assert.ok(
        accepted.some((ids) => `${ids}` === `${found}`),
        `${call.name}: ${found} for ${accepted.join(' or ')}`,
      );
      if (!isLong) continue;
      const times = result.segments.map(({ start, end: finish }) => [start, finish]);
      assert.deepEqual(
        times,
        call.segments[0].map(({ start, end: finish }) => [start, finish]),
      );
    }
    await large.dispose();
  });
});

describe('longer recordings', () => {
  const features = long.get('input_features');
  const all = features.shape.at(-1);
  const lengthOf = (clip) =>
    Array.from(long.get('attention_mask').data.subarray(clip * all, (clip + 1) * all)).reduce(
      (sum, isReal) => sum + Number(isReal),
      0,
    );

  for (const call of long.about.generation) {
    test(`${call.name} ${JSON.stringify(call.kwargs)}`, async () => {
      const clips =
        call.input === 'gapped clip'
          ? [clipOf(long.get('input_features_gapped'), 0)]
          : call.segments.map((_, clip) => clipOf(features, clip, lengthOf(clip)));
      for (const [clip, inputFeatures] of clips.entries()) {
        const result = await model.transcribe({ inputFeatures }, transcribeOptions(call, true));
        const found = result.segments.map(({ start, end: finish, text, ids }) => ({
          ...{ start, end: finish, text, tokens: ids },
        }));
        const expected = call.segments[clip].map(({ start, end: finish, text, tokens }) => ({
          ...{ start, end: finish, text, tokens },
        }));
        assert.deepEqual(found, expected);
        for (const [i, { words }] of result.segments.entries()) {
          const times = call.segments[clip][i].token_timestamps;
          if (!words || !times) continue;
          assert.ok(words.every(({ start, end: finish }) => times.includes(start) && times.includes(finish)));
        }
      }
    });
  }

  test('segments and progress are reported as they come, and an abort ends it', async () => {
    const samples = tones(long.about.signals[0]);
    const seen = [];
    const progress = [];
    const result = await model.transcribe(samples, {
      language: 'en',
      onSegment: (segment) => seen.push(segment),
      onProgress: (one) => progress.push(one),
    });
    assert.deepEqual(seen, result.segments);
    assert.ok(seen.length > 2);
    assert.equal(progress.at(-1).done, progress.at(-1).total);
    const done = progress.filter(({ phase }) => phase === 'text').map((one) => one.done);
    assert.deepEqual(
      done,
      [...done].sort((a, b) => a - b),
    );

    const reason = new Error('enough');
    const abort = new AbortController();
    const aborted = model.transcribe(samples, { signal: abort.signal, onSegment: () => abort.abort(reason) });
    await assert.rejects(aborted, (error) => error === reason);
    await assert.rejects(
      model.transcribe(samples, { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
    const thrown = model.transcribe(samples, {
      onSegment() {
        throw reason;
      },
    });
    await assert.rejects(thrown, (error) => error === reason);
  });

  test('as an iterator, which ends when its reader does', async () => {
    const samples = tones(long.about.signals[0]);
    const options = { language: 'en', timestamps: 'words' };
    const expected = await model.transcribe(samples, options);
    const progress = [];
    const segments = model.streamTranscription(samples, {
      ...options,
      onProgress: ({ phase, done }) => phase === 'text' && progress.push(done),
    });
    const first = await segments.next();
    assert.deepEqual(first, { done: false, value: expected.segments[0] });
    // It has not read on: only what the first window says is known.
    assert.deepEqual(progress, []);
    const seen = [first.value];
    let last = await segments.next();
    for (; !last.done; last = await segments.next()) seen.push(last.value);
    assert.deepEqual(seen, expected.segments);
    assert.deepEqual(last.value, expected);
    assert.ok(progress.length > 1);

    const heap = engine.info.heapBytes;
    for await (const { ids } of model.streamTranscription(samples, options)) {
      assert.ok(ids.length > 0);
      break;
    }
    const abort = new AbortController();
    const reason = new Error('enough');
    const aborted = model.streamTranscription(samples, { ...options, signal: abort.signal });
    await aborted.next();
    abort.abort(reason);
    await assert.rejects(aborted.next(), (error) => error === reason);
    assertHeap(engine, heap);

    const own = await loadModel(short.files(), { engine });
    const orphaned = own.streamTranscription(samples, options);
    await orphaned.next();
    await own.dispose();
    await assert.rejects(orphaned.next(), { code: 'disposed' });
  });

  test('a long file is read as it is needed, whatever its rate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'speech-'));
    const path = join(folder, 'long.wav');
    // Two minutes at twice the rate, two channels.
    const minute = 32000 * 60;
    const samples = Float32Array.from({ length: 4 * minute }, (_, i) => 0.3 * Math.sin(i / (9 + (i >> 17))));
    const kind = { format: 1, bits: 16, channels: 2, rate: 32000 };
    await writeFile(
      path,
      wav(samples, kind, (view, at, x) => view.setInt16(at, x * 32767, true)),
    );
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    };
    const handles = () => process.getActiveResourcesInfo().length;
    const open = handles();
    const { segments } = await model.transcribe(path, { maxNewTokens: 4, onProgress: watch, language: 'en' });
    assert.ok(segments.at(-1).end > 115 && segments.at(-1).end <= 121);
    assert.ok(most < 8e6, `${most} bytes`);
    const leaving = model.streamTranscription(path, { language: 'en' });
    await leaving.next();
    await leaving.return();
    assert.ok(handles() <= open);
    await rm(folder, { recursive: true });
  });

  test('as subtitles', async () => {
    const result = await model.transcribe(tones(long.about.signals[0]), { language: 'en' });
    const [first] = result.segments;
    assert.match(result.toSrt(), /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n/);
    assert.match(result.toVtt(), /^WEBVTT\n\n00:00:00\.000 --> /);
    assert.ok(result.toSrt().includes(`\n${first.text.trim()}\n`));
  });
});

describe('what sound can be given as', () => {
  const samples = recordings[0];
  const options = { language: 'en' };
  let expected;
  before(async () => {
    expected = idsOf(await model.transcribe(samples, options));
  });

  test('WAV files of every kind', async () => {
    const kinds = [
      [{ format: 1, bits: 16 }, (view, at, x) => view.setInt16(at, Math.round(x * 32768), true)],
      [{ format: 1, bits: 32 }, (view, at, x) => view.setInt32(at, Math.round(x * 2 ** 31), true)],
      [{ format: 3, bits: 32 }, (view, at, x) => view.setFloat32(at, x, true)],
      [{ format: 3, bits: 64 }, (view, at, x) => view.setFloat64(at, x, true)],
      [
        { format: 1, bits: 24 },
        (view, at, x) => {
          const value = Math.round(x * 2 ** 23);
          view.setUint8(at, value & 255);
          view.setInt16(at + 1, value >> 8, true);
        },
      ],
    ];
    for (const [kind, write] of kinds) {
      const file = wav(samples, kind, write);
      assert.deepEqual(idsOf(await model.transcribe(file, options)), expected, JSON.stringify(kind));
    }
    const folder = await mkdtemp(join(tmpdir(), 'speech-'));
    const [kind, write] = kinds[0];
    const path = join(folder, 'a.wav');
    await writeFile(path, wav(samples, kind, write));
    assert.deepEqual(idsOf(await model.transcribe(path, options)), expected);
    await rm(folder, { recursive: true });
    assert.deepEqual(idsOf(await model.transcribe(new Blob([wav(samples, kind, write)]), options)), expected);
  });

  test('several channels, as arrays and as an AudioBuffer', async () => {
    const two = { samples: [samples.map((x) => 2 * x), new Float32Array(samples.length)], sampleRate: 16000 };
    assert.deepEqual(idsOf(await model.transcribe(two, options)), expected);
    const buffer = {
      ...{ sampleRate: 16000, numberOfChannels: 1 },
      getChannelData: () => samples,
    };
    assert.deepEqual(idsOf(await model.transcribe(buffer, options)), expected);
  });

  test('other sample rates', async () => {
    for (const rate of [8000, 44100, 48000]) {
      const length = Math.floor((samples.length * rate) / 16000);
      // Interpolating linearly is crude, but the words stay the same number of segments.
      const other = Float32Array.from({ length }, (_, i) => {
        const place = (i * 16000) / rate;
        const [a, b] = [samples[Math.floor(place)] ?? 0, samples[Math.floor(place) + 1] ?? 0];
        return a + (b - a) * (place % 1);
      });
      const result = await model.transcribe({ samples: other, sampleRate: rate }, options);
      assert.ok(result.segments.length > 0, `${rate}`);
    }
  });

  test('silence and a single sample', async () => {
    const silence = await model.transcribe(new Float32Array(32000), options);
    assert.equal(typeof silence.text, 'string');
    const one = await model.transcribe(Float32Array.of(0.5), options);
    assert.deepEqual([one.text, one.segments.length], ['', 0]);
  });
});

describe('what is refused', () => {
  const invalid = (message) => ({ name: 'TransformerError', code: 'invalid_argument', message });
  const unsupported = (message) => ({ name: 'TransformerError', code: 'unsupported', message });

  test('audio that is none', async () => {
    const heap = engine.info.heapBytes;
    const bad = new Float32Array(1600);
    bad[7] = Number.NaN;
    await assert.rejects(model.transcribe(new Float32Array(0)), invalid(/empty/));
    await assert.rejects(model.transcribe(bad), invalid(/sample 7 of the audio is not a finite number/));
    await assert.rejects(model.transcribe(null), invalid(/audio must be a Float32Array/));
    await assert.rejects(model.transcribe({ samples: bad, sampleRate: 0 }), invalid(/sample rate/));
    await assert.rejects(
      model.transcribe({ samples: bad, sampleRate: 5 }),
      invalid(/between 1000 and 768000/),
    );
    await assert.rejects(model.transcribe({ samples: [1, 2], sampleRate: 16000 }), invalid(/Float32Array/));
    const uneven = { samples: [new Float32Array(5), new Float32Array(4)], sampleRate: 16000 };
    await assert.rejects(model.transcribe(uneven), invalid(/same number of samples/));
    await assert.rejects(model.transcribe(new Uint8Array(100)), unsupported(/not WAV/));
    await assert.rejects(model.transcribe('nowhere.wav'), { code: 'missing_file', message: /nowhere\.wav/ });
    const inputFeatures = { data: new Float32Array(30), shape: [3, 10] };
    await assert.rejects(model.transcribe({ inputFeatures }), invalid(/\[24, frames\], got \[3, 10\]/));
    assertHeap(engine, heap);
  });

  test('damaged WAV files', async () => {
    const whole = wav([0, 0.5], { format: 1, bits: 16 }, (view, at, x) => view.setInt16(at, x * 32767, true));
    await assert.rejects(model.transcribe(whole.slice(0, 20)), invalid(/damaged/));
    await assert.rejects(model.transcribe(whole.slice(0, 44)), invalid(/empty/));
    const odd = whole.slice();
    odd[34] = 12;
    await assert.rejects(model.transcribe(odd), unsupported(/12-bit samples/));
  });

  describe('a WAV file that is cut short', () => {
    const sized = (data, riff, bytes) => {
      const file = wav16(recordings[0]).slice(0, bytes);
      const view = new DataView(file.buffer);
      view.setUint32(4, riff, true);
      view.setUint32(40, data, true);
      return file;
    };
    const whole = 2 * recordings[0].length;
    const heard = async (file) => {
      const { missingSeconds, segments } = await model.transcribe(file, { language: 'en' });
      return { missingSeconds, ids: segments.map(({ ids }) => ids) };
    };

    test('says how much is missing', async () => {
      const cut = sized(whole, 36 + whole, 44 + whole - 16000);
      const samples = recordings[0].slice(0, -8000);
      const { ids } = await heard(wav16(samples));
      assert.deepEqual(await heard(cut), { missingSeconds: 0.5, ids });
      assert.deepEqual(await heard(new Blob([cut])), { missingSeconds: 0.5, ids });
      const inHalf = sized(whole, 36 + whole, 44 + whole - 1);
      assert.equal((await heard(inHalf)).missingSeconds, 1 / 16000);
      assert.equal((await heard(sized(whole, 0xffffffff, 44 + whole - 16000))).missingSeconds, 0.5);
      const run = await pipeline('automatic-speech-recognition', short.files(), { engine });
      assert.equal((await run(cut, { language: 'en' })).missing_seconds, 0.5);
      assert.equal('missing_seconds' in (await run(samples, { language: 'en' })), false);
      await run.model.dispose();
    });

    test('is not one whose length was unknown when its header was written', async () => {
      const { ids } = await heard(wav16(recordings[0]));
      const unknown = [
        [0xffffffff, 0xffffffff], // ffmpeg
        [0x7ffff000, 0x7ffff024], // sox
        [0x80000000, 0x80000024], // arecord
        [0, 0], // GStreamer
        [0, 36], // a recorder that was stopped
        [0, 0xffffffff],
      ];
      for (const [data, riff] of unknown)
        assert.deepEqual(await heard(sized(data, riff)), { missingSeconds: undefined, ids });
      // Nothing is meant where something else comes after it.
      await assert.rejects(model.transcribe(sized(0, 36 + whole)), invalid(/empty/));
    });
  });

  test('options that make no sense', async () => {
    const [samples] = recordings;
    const refused = (options, message) =>
      assert.rejects(model.transcribe(samples, options), invalid(message));
    await refused({ language: 'klingon' }, /does not know the language 'klingon'; it knows en, zh/);
    await refused({ task: 'sing' }, /task must be one of/);
    await refused({ temperature: [] }, /temperature must be a number from 0 on/);
    await refused({ temperature: -1 }, /temperature/);
    await refused({ timestamps: 'letters' }, /timestamps must be true, false or 'words'/);
    await refused({ langauge: 'en' }, /did you mean 'language'/);
    await refused({ onSegment: 5 }, /onSegment must be a function/);
  });

  test('a model that takes no audio', async () => {
    const text = await loadModel(tinyModel(), { engine });
    await assert.rejects(text.transcribe(recordings[0]), unsupported(/does not take audio/));
    await text.dispose();
  });
});
