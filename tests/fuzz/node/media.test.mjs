// Sound and pictures from a seed: WAV files with changed and invented chunks, pixels, headers of pictures, and
// preprocessor_config.json with any values. Each ends soon, in a result or in a typed error, and leaves no memory behind.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, loadModel, TransformerError } from '../../../build/modules/index.js';
import { checkImageFile } from '../../../build/modules/signal/image_size.js';
import { readFamilyCase } from '../../lib/families.mjs';
import { wav16 } from '../../lib/sound.mjs';
import { readSpeechCase } from '../../lib/speech.mjs';
import { settings } from './settings.mjs';

const codes = new Set(['invalid_argument', 'unsupported', 'bad_checkpoint', 'out_of_memory']);
const config = (value) => new TextEncoder().encode(JSON.stringify(value));

/** Values that configs do not expect. */
const odd = fc.oneof(
  fc.constantFrom(
    null,
    -1,
    0,
    1,
    1.5,
    7,
    400,
    8192,
    8193,
    1e9,
    2 ** 31 - 1,
    2 ** 31,
    1e300,
    '',
    [],
    {},
    true,
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const byte = fc.nat(255);
const word = fc.oneof(fc.nat(70), fc.constantFrom(0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff));

/** Numbers of 32 bits at any places of a file. */
const changes = fc.array(fc.tuple(fc.nat(80), word), { maxLength: 6 });
function changed(file, list) {
  const bytes = Uint8Array.from(file);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of list) if (at + 4 <= bytes.length) view.setUint32(at, value, true);
  return bytes;
}

describe('sound and pictures', () => {
  const speech = readSpeechCase('whisper_e2e').files();
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  /** Runs some work that may refuse its input. */
  async function soon(work) {
    const heap = engine.info.heapBytes;
    const begin = process.cpuUsage().user;
    try {
      await work();
    } catch (error) {
      assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
      assert.ok(codes.has(error.code), `${error.code}: ${error.message}`);
    }
    const took = (process.cpuUsage().user - begin) / 1000;
    assert.ok(took < 5000, `took ${took} ms`);
    await engine.softmax([1]);
    assert.ok(engine.info.heapBytes <= heap + 4096, 'memory is left behind');
  }

  async function transcribe(files, audio) {
    const model = await loadModel(files, { engine });
    try {
      await model.transcribe(audio, { language: 'en', maxNewTokens: 2 });
    } finally {
      await model.dispose();
    }
  }

  test('WAV files with changed headers', () =>
    fc.assert(
      fc.asyncProperty(changes, fc.array(byte, { maxLength: 40 }), (list, samples) => {
        const whole = wav16(Float32Array.from(samples, (value) => value / 256));
        return soon(() => transcribe(speech, changed(whole, list)));
      }),
      settings(60),
    ));

  test('WAV files of any chunks', () => {
    const name = fc.constantFrom('fmt ', 'data', 'LIST', '\0\0\0\0');
    const chunks = fc.array(fc.tuple(name, word, fc.uint8Array({ maxLength: 40 })), { maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(chunks, (list) => {
        const parts = list.flatMap(([title, size, content]) => [
          new TextEncoder().encode(title),
          Uint32Array.of(size),
          content,
        ]);
        return soon(() => transcribe(speech, new Blob(['RIFF\0\0\0\0WAVE', ...parts])));
      }),
      settings(60),
    );
  });

  test('recordings at any rate and in any shape', () => {
    const number = fc.oneof(fc.nat(800_000), fc.double());
    const audio = fc.oneof(
      fc.record({
        samples: fc.oneof(fc.float32Array({ maxLength: 50 }), fc.anything()),
        sampleRate: fc.oneof(number, odd),
      }),
      fc.float32Array({ maxLength: 50 }),
      fc.record({ inputFeatures: fc.anything() }),
    );
    return fc.assert(
      fc.asyncProperty(audio, (given) => soon(() => transcribe(speech, given))),
      settings(60),
    );
  });

  test('the settings of sound with any values', () => {
    const names = ['feature_size', 'sampling_rate', 'n_fft', 'hop_length', 'do_normalize'];
    const given = fc.dictionary(fc.constantFrom(...names), odd, { minKeys: 1, maxKeys: 3 });
    return fc.assert(
      fc.asyncProperty(given, (json) => {
        const files = new Map(speech).set('preprocessor_config.json', config(json));
        return soon(() => transcribe(files, new Float32Array(800).fill(0.5)));
      }),
      settings(60),
    );
  });

  test('the settings of pictures with any values, and any pixels', () => {
    const names =
      'do_resize do_center_crop do_rescale do_normalize size crop_size resample rescale_factor image_mean image_std image_processor_type'.split(
        ' ',
      );
    const sizes = fc.oneof(
      odd,
      fc.record({ height: odd, width: odd }),
      fc.record({ shortest_edge: fc.oneof(odd, fc.nat(5000)) }),
    );
    const json = fc.dictionary(fc.constantFrom(...names), fc.oneof(odd, sizes), { maxKeys: 4 });
    const pixels = fc
      .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 3, 4), byte)
      .map(([width, height, channels, value]) => ({
        ...{ width, height, channels },
        data: new Uint8Array(width * height * channels).fill(value),
      }));
    const given = fc.oneof({ weight: 4, arbitrary: pixels }, fc.anything());
    return fc.assert(
      fc.asyncProperty(json, given, (settings, image) => {
        const files = readFamilyCase('vit').files({ 'preprocessor_config.json': config(settings) });
        return soon(async () => {
          const model = await loadModel(files, { engine });
          try {
            await model.classifyImage(image);
          } finally {
            await model.dispose();
          }
        });
      }),
      settings(80),
    );
  });

  test('the headers of pictures', () => {
    const heads = [
      '\x89PNG',
      '\xff\xd8\xff\xe0',
      'GIF89a',
      'RIFF\0\0\0\0WEBPVP8',
      'BM',
      '\0\0\0\x20ftypavif',
      '',
    ];
    const file = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }));
    return fc.assert(
      fc.asyncProperty(file, ([head, rest]) =>
        soon(async () => checkImageFile(Uint8Array.from([...Buffer.from(head, 'latin1'), ...rest]))),
      ),
      settings(500),
    );
  });
});
