// Sound and pictures that would take for ever or all memory: refused soon, before anything is computed.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchMedia } from '../../build/modules/signal/fetch_media.js';
import { checkImageFile } from '../../build/modules/signal/image_size.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { startComputing } from '../lib/cpu_time.mjs';
import { wav16 } from '../lib/sound.mjs';
import { readSpeechCase, tones } from '../lib/speech.mjs';

describe('sound', () => {
  const speech = readSpeechCase('whisper_e2e');
  const samples = tones(speech.about.signals[0]);
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const load = (config) => {
    const bytes = new TextEncoder().encode(JSON.stringify(config));
    return loadModel(new Map(speech.files()).set('preprocessor_config.json', bytes), { engine });
  };

  test('a file of empty chunks is refused at once', async () => {
    const model = await loadModel(speech.files(), { engine });
    const bytes = new Uint8Array(16 << 20);
    bytes.set(wav16(new Float32Array(1)).subarray(0, 12));
    const computed = startComputing();
    const refused = { code: 'invalid_argument', message: /no sound in its first 1000 chunks/ };
    await assert.rejects(model.transcribe(bytes), refused);
    await assert.rejects(model.transcribe(new Blob([bytes])), refused);
    const took = computed();
    assert.ok(took < 2000, `${took} ms`);
    await model.dispose();
  });

  test('chunks before and behind the sound change nothing', async () => {
    const model = await loadModel(speech.files(), { engine });
    const plain = wav16(samples);
    const chunk = (name, size) => [...new TextEncoder().encode(name), size, 0, 0, 0, ...new Uint8Array(size)];
    const others = Array.from({ length: 40 }, () => chunk('LIST', 2)).flat();
    const padded = Uint8Array.from([...plain.subarray(0, 12), ...others, ...plain.subarray(12), ...others]);
    const text = async (bytes) => (await model.transcribe(bytes, { language: 'en' })).segments;
    assert.deepEqual(await text(padded), await text(plain));
    await model.dispose();
  });

  for (const name of ['hop_length', 'n_fft'])
    test(`${name} of a thousand million`, async () => {
      const model = await load({ [name]: 1e9 });
      const computed = startComputing();
      await assert.rejects(model.transcribe(samples), {
        code: 'bad_checkpoint',
        message: new RegExp(`preprocessor_config.json: ${name} must be at most 8192 samples, got 1000000000`),
      });
      assert.ok(computed() < 1000);
      await model.dispose();
    });
});

describe('an address', () => {
  const open = new Set();
  let server;
  let address;
  const answers = {
    '/whole': (response) => response.end('abcdef'),
    '/announced': (response) => response.writeHead(200, { 'content-length': 1000 }).write('a'),
    '/endless': (response) => {
      const timer = setInterval(() => response.write('a'.repeat(1000)), 1);
      response.on('close', () => clearInterval(timer));
    },
    '/silent': (response) => response.writeHead(200).write('a'),
    '/mute': () => undefined,
  };
  before(async () => {
    server = createServer((request, response) => {
      open.add(response);
      response.on('close', () => open.delete(response));
      answers[request.url](response);
    });
    await new Promise((resolve) => server.listen(0, resolve));
    address = `http://localhost:${server.address().port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Answers that are on their way. */
  const connections = () => open.size;
  const limits = { maxBytes: 500, silence: 200 };
  const get = (name, more = {}) => fetchMedia(address + name, { ...limits, ...more });

  test('is read whole', async () => assert.equal(await (await get('/whole')).text(), 'abcdef'));

  test('of too much is left, announced or not', async () => {
    for (const name of ['/announced', '/endless'])
      await assert.rejects(get(name), { code: 'invalid_argument', message: /longer than .* MiB/ });
    for (let i = 0; i < 100 && connections() > 0; i++) await sleep(20);
    assert.equal(connections(), 0, 'a download that nobody wants goes on');
  });

  test('of a server that falls silent, or never answers, is given up', async () => {
    for (const name of ['/silent', '/mute'])
      await assert.rejects(get(name), { code: 'missing_file', message: /did not answer for 0.2 seconds/ });
  });

  test('is left on an abort, with its reason', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.timeout(20);
    await assert.rejects(get('/mute', { signal }), (error) => error === signal.reason);
    await assert.rejects(get('/whole', { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  });
});

describe("a picture's size is read before it is decoded", () => {
  const files = {
    png: (view) => {
      view.setUint32(0, 0x89504e47);
      view.setUint32(16, 10_000);
      view.setUint32(20, 10_000);
    },
    // A comment longer than its segment's header, then a progressive frame.
    jpeg: (view) => {
      view.setUint32(0, 0xffd8fffe);
      view.setUint16(4, 9);
      view.setUint16(13, 0xffc2);
      view.setUint16(18, 10_000);
      view.setUint16(20, 10_000);
    },
    // A small screen, a table of two colours, an extension of one block, and a large frame.
    gif: (view) => {
      view.setUint32(0, 0x47494638);
      view.setUint16(6, 1, true);
      view.setUint16(8, 1, true);
      view.setUint8(10, 0x80);
      view.setUint32(19, 0x21f90100);
      view.setUint8(24, 0x2c);
      view.setUint16(29, 10_000, true);
      view.setUint16(31, 10_000, true);
    },
    webp: (view) => webp(view, 'VP8X', () => [24, 27].map((at) => view.setUint16(at, 9_999, true))),
    'lossless webp': (view) => webp(view, 'VP8L', () => view.setUint32(21, 9_999 | (9_999 << 14), true)),
    'lossy webp': (view) => webp(view, 'VP8 ', () => [26, 28].map((at) => view.setUint16(at, 10_000, true))),
    bmp: (view) => {
      view.setUint16(0, 0x424d);
      view.setUint32(14, 40, true);
      view.setInt32(18, 10_000, true);
      view.setInt32(22, -10_000, true);
    },
    avif: (view) => {
      view.setUint32(4, 0x66747970);
      for (const [at, side] of [
        [20, 10],
        [50, 10_000],
      ]) {
        view.setUint32(at, 0x69737065);
        view.setUint32(at + 8, side);
        view.setUint32(at + 12, side);
      }
    },
  };
  function webp(view, kind, write) {
    const words = [
      [0, 'RIFF'],
      [8, 'WEBP'],
      [12, kind],
    ];
    for (const [at, word] of words)
      for (const [i, letter] of [...word].entries()) view.setUint8(at + i, letter.charCodeAt(0));
    write();
  }

  for (const [name, write] of Object.entries(files))
    test(name, () => {
      const bytes = new Uint8Array(120);
      write(new DataView(bytes.buffer));
      assert.throws(() => checkImageFile(bytes), {
        code: 'invalid_argument',
        message: /50 million pixels, got 10000 x 10000/,
      });
    });

  test('a header that is cut off is no picture', () => {
    for (const write of Object.values(files)) {
      const bytes = new Uint8Array(120);
      write(new DataView(bytes.buffer));
      assert.throws(() => checkImageFile(bytes.subarray(0, 15)), { code: 'unsupported' });
    }
  });
});
