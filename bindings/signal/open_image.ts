/**
 * Reads whatever a caller has as a picture: pixels, something that a browser can draw, or a file that it can decode.
 */

import { fail, TransformerError } from '../values/errors.js';
import { toInteger } from '../values/options.js';
import { describe } from '../values/tensor.js';
import type { RawImage } from './embind.js';
import { fetchMedia } from './fetch_media.js';
import { checkImageFile, checkPixels } from './image_size.js';

/** Bytes in rows; with 1 channel gray, 3 RGB, 4 RGBA. Without `channels`, as in a browser's ImageData, 4. */
export interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly channels?: number;
}

/** A canvas, an ImageBitmap, an image or a video element: a user's compiler may know only the types of Node.js. */
export interface Drawable {
  readonly width: number;
  readonly height: number;
}

/**
 * A picture: pixels or ImageData, a canvas, an ImageBitmap, an image element, or a file as Blob or URL. Node.js takes
 * pixels only.
 */
export type ImageSource = Pixels | Drawable | Blob | URL | string;

/** @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason. */
export async function openImage(source: ImageSource, signal?: AbortSignal): Promise<RawImage> {
  if (isPixels(source)) return readPixels(source);
  if (typeof globalThis.createImageBitmap !== 'function' || typeof OffscreenCanvas !== 'function')
    fail(
      'unsupported',
      `a picture must be { data, width, height, channels } here, where no browser can decode it; got ${describe(source)}`,
    );
  const drawable =
    typeof source === 'string' || source instanceof URL
      ? await fetchMedia(source, { maxBytes: maxFileBytes, signal })
      : source;
  if (drawable instanceof Blob) await checkFile(drawable);
  const bitmap = await decoded(drawable);
  try {
    return await pixelsOf(bitmap);
  } finally {
    bitmap.close();
  }
}

/** The most bytes of a picture's file. */
const maxFileBytes = 256 * 2 ** 20;

async function checkFile(file: Blob): Promise<void> {
  if (file.size > maxFileBytes)
    fail(
      'invalid_argument',
      `the file of a picture may have ${maxFileBytes / 2 ** 20} MiB, got ${file.size} bytes`,
    );
  checkImageFile(new Uint8Array(await file.arrayBuffer()));
}

async function decoded(drawable: Blob | Drawable): Promise<ImageBitmap> {
  try {
    // The colours as they are stored, as the models' own programs take them: neither multiplied by alpha nor converted
    // by a profile or a gamma.
    return await createImageBitmap(drawable as ImageBitmapSource, {
      premultiplyAlpha: 'none',
      colorSpaceConversion: 'none',
    });
  } catch (error) {
    return fail('unsupported', 'the browser cannot decode this picture', error);
  }
}

async function pixelsOf(bitmap: ImageBitmap): Promise<RawImage> {
  const { width, height } = bitmap;
  checkPixels(bitmap);
  try {
    const context = new OffscreenCanvas(width, height).getContext('2d');
    if (!context) fail('unsupported', 'this browser cannot draw into a canvas here');
    context.drawImage(bitmap, 0, 0);
    const drawn = context.getImageData(0, 0, width, height);
    if (isOpaque(drawn)) return readPixels(drawn);
    return readPixels(await (await import('./stored_colours.js')).storedColours(bitmap));
  } catch (error) {
    if (error instanceof TransformerError) throw error;
    return fail('unsupported', 'the browser cannot decode this picture', error);
  }
}

function isOpaque({ data }: ImageData): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
  return true;
}

const isPixels = (source: unknown): source is Pixels =>
  typeof source === 'object' && source !== null && 'data' in source && 'width' in source;

function readPixels({ data, width, height, channels = 4 }: Pixels): RawImage {
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray))
    fail('invalid_argument', `the data of a picture must be bytes (Uint8Array), got ${describe(data)}`);
  const rows = toInteger(height, 'height', { min: 1 });
  const columns = toInteger(width, 'width', { min: 1 });
  toInteger(channels, 'channels', { min: 1, max: 4 });
  const expected = rows * columns * channels;
  if (data.length !== expected)
    fail(
      'invalid_argument',
      `a picture of ${columns} x ${rows} pixels with ${channels} channels has ${expected} bytes, got ${data.length}`,
    );
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.length);
  return { data: bytes, rows, columns, channels };
}
