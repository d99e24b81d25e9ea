// Sound and pictures as a page has them: decoded by the browser, and the same as their samples and pixels.

import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AdtsOutputFormat,
  AudioBufferSource,
  type AudioCodec,
  BufferTarget,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { seekableBytes } from '../../build/modules/files/folder_files.js';
import { openCompressed } from '../../build/modules/signal/compressed_sound.js';
import { type ImageSource, openImage } from '../../build/modules/signal/open_image.js';
import type { Sound } from '../../build/modules/signal/sound.js';
import { createEngine, type Engine, loadModel, type Model, TransformerError } from '../../dist/index.js';
import { flac, tones, wav16 } from '../lib/sound.mjs';

const fixtures = '/tests/fixtures';

// Chromium encodes neither, or one of them on some systems.
registerAacEncoder();
registerMp3Encoder();

let engine: Engine;

/** Sound in a file, as the browser's encoder makes it. */
async function encoded(
  samples: Float32Array<ArrayBuffer>,
  { rate, format, codec }: { rate: number; format: OutputFormat; codec: AudioCodec },
): Promise<Uint8Array<ArrayBuffer>> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new AudioBufferSource({ codec, bitrate: 96_000 });
  output.addAudioTrack(source);
  await output.start();
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate });
  buffer.copyToChannel(samples, 0);
  await source.add(buffer);
  await output.finalize();
  return new Uint8Array(target.buffer as ArrayBuffer);
}

/** The greatest correlation of a middle part of `a` with `b`: MP3 and AAC begin up to 0.06 s late. */
function likeness(a: Float32Array, b: Float32Array): number {
  let most = 0;
  for (let lag = 0; lag < 3000; lag++) {
    let [xy, xx, yy] = [0, 0, 0];
    for (let i = 8000; i < 9000; i++) {
      const [x, y] = [a[i] as number, b[i - lag] as number];
      xy += x * y;
      xx += x * x;
      yy += y * y;
    }
    most = Math.max(most, xy / Math.sqrt(xx * yy));
  }
  return most;
}

beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** A Blob's address, for as long as the page lives. */
const addressOf = (...parts: BlobPart[]) => URL.createObjectURL(new Blob(parts));

describe('sound', () => {
  let model: Model;
  let samples: Float32Array<ArrayBuffer>;
  let expected: readonly number[];
  const options = { language: 'en' };

  const write = async (audio: Parameters<Model['transcribe']>[0]) => {
    const { segments } = await model.transcribe(audio, options);
    return segments.flatMap(({ ids }) => ids);
  };

  beforeAll(async () => {
    model = await loadModel(`${fixtures}/speech/whisper_e2e`, { engine });
    const { signals } = await (await fetch(`${fixtures}/speech/whisper_e2e/expected.json`)).json();
    // As a file of 16 bits has them.
    samples = tones(signals[0]).map((x: number) => Math.round(x * 32767) / 32768);
    expected = await write(samples);
    expect(expected.length).toBeGreaterThan(4);
  });
  afterAll(() => model.dispose());

  test('AudioBuffers, of one channel or several', async () => {
    const buffer = new AudioBuffer({ length: samples.length, sampleRate: 16000, numberOfChannels: 2 });
    for (const channel of [0, 1]) buffer.copyToChannel(samples, channel);
    expect(await write(buffer)).toEqual(expected);
  });

  test('an AudioBuffer at the rate of the sound card', async () => {
    const context = new OfflineAudioContext(1, samples.length * 3, 48000);
    const buffer = new AudioBuffer({ length: samples.length, sampleRate: 16000 });
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.start();
    const rendered = await context.startRendering();
    expect(rendered.sampleRate).toBe(48000);
    expect((await write(rendered)).length).toBeGreaterThan(4);
  });

  test('files: WAV as everywhere, others as the browser decodes them', async () => {
    const exact = samples.map((x) => (x * 32768) / 32767);
    for (const bytes of [wav16(exact), flac(exact)] as Uint8Array<ArrayBuffer>[]) {
      expect(await write(new Blob([bytes]))).toEqual(expected);
      expect(await write(bytes)).toEqual(expected);
      expect(await write(bytes.buffer)).toEqual(expected);
      expect(await write(addressOf(bytes))).toEqual(expected);
      expect(await write(new URL(addressOf(bytes)))).toEqual(expected);
    }
  });

  test.for([
    ['Opus in WebM', new WebMOutputFormat(), 'opus'],
    ['Opus in Ogg', new OggOutputFormat(), 'opus'],
    ['Opus in MP4', new Mp4OutputFormat(), 'opus'],
    ['AAC in MP4', new Mp4OutputFormat(), 'aac'],
    ['AAC by itself', new AdtsOutputFormat(), 'aac'],
    ['MP3', new Mp3OutputFormat(), 'mp3'],
  ] as const)('%s is decoded where it is read', async ([, format, codec]) => {
    const rate = 48000;
    const seconds = 4;
    const tone = (i: number) => 0.4 * Math.sin((2 * Math.PI * (200 + 300 * Math.floor(i / rate)) * i) / rate);
    const original = Float32Array.from({ length: seconds * rate }, (_, i) => tone(i));
    const bytes = await encoded(original, { rate, format, codec });
    const sound = (await openCompressed(seekableBytes(bytes))) as Sound;
    expect(sound.sampleRate).toBe(rate);
    expect(Math.abs(sound.length / original.length - 1)).toBeLessThan(0.03);
    const parts: Float32Array[] = [];
    for (let at = 0; at < original.length; at += rate) parts.push(await sound.read(at, at + rate));
    for (const i of [1, 2])
      expect(likeness(parts[i] as Float32Array, original.subarray(i * rate))).toBeGreaterThan(0.99);
    // Backwards, from the beginning again, and two at once: the same samples each time.
    expect(await sound.read(2 * rate, 3 * rate)).toEqual(parts[2]);
    const [late, early] = await Promise.all([sound.read(3 * rate, 4 * rate), sound.read(0, rate)]);
    expect([late, early]).toEqual([parts[3], parts[0]]);
    await sound.close();
    expect((await write(new Blob([bytes]))).length).toBeGreaterThan(4);
    const cut = write(bytes.slice(0, bytes.length >> 1));
    await cut.catch((error) => expect(error).toBeInstanceOf(TransformerError));
  });

  test('opening a compressed file ends with its signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const file = {
      size: 1e6,
      async *bytes(begin: number, end: number) {
        controller.abort(reason);
        yield new Uint8Array(end - begin);
      },
      close: async () => undefined,
    };
    await expect(openCompressed(file, controller.signal)).rejects.toBe(reason);
  });

  test('segment by segment', async () => {
    const found: number[] = [];
    for await (const { ids } of model.streamTranscription(samples, options)) found.push(...ids);
    expect(found).toEqual(expected);
  });

  test('what is no sound is refused', async () => {
    await expect(write(new Blob(['not a sound']))).rejects.toMatchObject({
      code: 'unsupported',
      message: 'the browser cannot decode this audio file',
    });
    await expect(write(new Blob([]))).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(write('/nowhere.mp3')).rejects.toMatchObject({
      code: expect.stringMatching(/missing_file|unsupported/),
    });
    expect(await write(samples)).toEqual(expected);
  });
});

describe('pictures', () => {
  const [width, height] = [20, 12];
  let pixels: ImageData;
  let canvas: OffscreenCanvas;
  beforeAll(() => {
    const data = Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) =>
      i % 4 === 3 ? 255 : (i * 37) % 256,
    );
    pixels = new ImageData(data, width, height);
    canvas = drawn(pixels);
  });

  function drawn(image: ImageData): OffscreenCanvas {
    const made = new OffscreenCanvas(image.width, image.height);
    made.getContext('2d')?.putImageData(image, 0, 0);
    return made;
  }

  const bytesOf = async (image: ImageSource) => {
    const { data, rows, columns, channels } = await openImage(image);
    expect([rows, columns, channels]).toEqual([height, width, 4]);
    return [...data];
  };

  test('pixels, canvases, bitmaps, elements, files and addresses', async () => {
    const png = await canvas.convertToBlob({ type: 'image/png' });
    const address = addressOf(png);
    const onPage = document.createElement('canvas');
    Object.assign(onPage, { width, height });
    onPage.getContext('2d')?.putImageData(pixels, 0, 0);
    const element = new Image();
    element.src = address;
    await element.decode();
    const sources: ImageSource[] = [
      ...[pixels, canvas, onPage, await createImageBitmap(canvas), element, png, address, new URL(address)],
    ];
    const expected = [...pixels.data];
    for (const source of sources) expect(await bytesOf(source)).toEqual(expected);
  });

  test('colours are not dimmed where a picture is transparent', async () => {
    const data = pixels.data.map((value, i) => (i % 4 === 3 ? 128 : value));
    const found = await bytesOf(new ImageData(data, width, height));
    expect(found).toEqual([...data]);
  });

  test('the colours of a file with transparency are those that it stores', async () => {
    const data = new Uint8ClampedArray([200, 100, 50, 255, 200, 100, 50, 3, 1, 2, 3, 128, 9, 8, 7, 255]);
    // The pixels, and after them what says that they are linear (gAMA of 1).
    for (const linear of [false, true]) {
      const found = await openImage(new Blob([await pngOf(data, { width: 2, height: 2, linear })]));
      expect([...found.data]).toEqual([...data]);
    }
  });

  test('labels are those of the pixels', async () => {
    const model = await loadModel(`${fixtures}/reference/vit`, { engine });
    const expected = await model.classifyImage(pixels);
    expect(expected[0]?.score).toBeGreaterThan(0);
    expect(await model.classifyImage(canvas)).toEqual(expected);
    expect(await model.classifyImage(await canvas.convertToBlob())).toEqual(expected);
    const one = drawn(new ImageData(1, 1));
    expect((await model.classifyImage(one)).length).toBe(expected.length);
    await model.dispose();
  });

  test('a JPEG file in CMYK', async () => {
    const { data, rows, columns } = await openImage(`${fixtures}/pictures/cmyk.jpg`);
    expect([rows, columns]).toEqual([16, 16]);
    const at = (x: number, y: number) => [...data.subarray((y * 16 + x) * 4, (y * 16 + x) * 4 + 3)];
    // Cyan, magenta, yellow, black.
    const wanted = [
      [0, 255, 255],
      [255, 0, 255],
      [255, 255, 0],
      [0, 0, 0],
    ];
    for (const [i, colour] of wanted.entries()) {
      const found = at(4 + 8 * (i % 2), 4 + 8 * Math.floor(i / 2));
      for (const [j, value] of colour.entries())
        expect(Math.abs((found[j] ?? 0) - value), `${found} for ${colour}`).toBeLessThan(80);
    }
  });

  test('a small file of many pixels is refused before it is decoded', async () => {
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
    const header = new DataView(bytes.buffer);
    header.setUint32(16, 10_000);
    header.setUint32(20, 10_000);
    const decode = vi.spyOn(globalThis, 'createImageBitmap');
    for (const source of [new Blob([bytes]), addressOf(bytes)])
      await expect(openImage(source)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/50 million pixels, got 10000 x 10000/),
      });
    expect(decode).not.toHaveBeenCalled();
    decode.mockRestore();
  });

  test('what is no picture is refused', async () => {
    await expect(openImage(new Blob(['not a picture']))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/must be a PNG, JPEG, GIF, WebP, BMP or AVIF file/),
    });
    const cut = (await canvas.convertToBlob({ type: 'image/png' })).slice(0, 40);
    await expect(openImage(cut)).rejects.toMatchObject({
      code: 'unsupported',
      message: 'the browser cannot decode this picture',
    });
    await expect(openImage(new OffscreenCanvas(0, 5))).rejects.toMatchObject({ code: expect.any(String) });
    await expect(openImage('/nowhere.png')).rejects.toMatchObject({
      code: expect.stringMatching(/missing_file|unsupported/),
    });
  });
});

/** A PNG file of RGBA, as nobody's canvas would write it. */
async function pngOf(
  pixels: Uint8ClampedArray,
  { width, height, linear }: { width: number; height: number; linear: boolean },
): Promise<Uint8Array<ArrayBuffer>> {
  const rows = new Uint8Array(height * (1 + 4 * width));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(4 * width * y, 4 * width * (y + 1)), y * (1 + 4 * width) + 1);
  const packed = new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'));
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint16(8, 0x0806); // 8 bits, RGBA
  const gamma = new Uint8Array([0, 1, 0x86, 0xa0]); // 100,000
  const parts = [
    new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
    chunkOf('IHDR', new Uint8Array(header.buffer)),
    ...(linear ? [chunkOf('gAMA', gamma)] : []),
    chunkOf('IDAT', new Uint8Array(await new Response(packed).arrayBuffer())),
    chunkOf('IEND', new Uint8Array()),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function chunkOf(type: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(12 + content.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(content, 8);
  let crc = -1;
  for (const byte of chunk.subarray(4, 8 + content.length)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  view.setUint32(8 + content.length, ~crc);
  return chunk;
}
