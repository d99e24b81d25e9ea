/**
 * The size of a picture by the first bytes of its file: a few of them can stand for more pixels than there is memory,
 * so nothing is decoded before its size is known.
 */

import { fail } from '../values/errors.js';

/** The most pixels of a picture; in a page each takes 4 bytes several times over. */
const maxPixels = 50e6;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * @throws TransformerError `invalid_argument` for a picture that is too large, `unsupported` for a file in an unknown
 *   format
 */
export function checkImageFile(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size: Size | null = null;
  try {
    size = formats.find(({ holds }) => holds(bytes))?.size(view) ?? null;
  } catch (error) {
    // The header leads beyond the end of the file.
    if (!(error instanceof RangeError)) throw error;
  }
  if (!size)
    fail(
      'unsupported',
      'a picture must be a PNG, JPEG, GIF, WebP, BMP or AVIF file: this one has no such header',
    );
  checkPixels(size);
}

/** @throws TransformerError `invalid_argument` */
export function checkPixels({ width, height }: Size): void {
  if (width * height > maxPixels)
    fail(
      'invalid_argument',
      `a picture may have ${maxPixels / 1e6} million pixels, got ${width} x ${height}: make it smaller first`,
    );
}

const text = (bytes: Uint8Array, at: number, length = 4) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

const formats: readonly {
  readonly holds: (bytes: Uint8Array) => boolean;
  readonly size: (view: DataView) => Size | null;
}[] = [
  {
    holds: (bytes) => text(bytes, 1, 3) === 'PNG',
    size: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  },
  { holds: ([first, second]) => first === 0xff && second === 0xd8, size: sizeOfJpeg },
  { holds: (bytes) => text(bytes, 0, 3) === 'GIF', size: sizeOfGif },
  { holds: (bytes) => text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WEBP', size: sizeOfWebp },
  { holds: (bytes) => text(bytes, 0, 2) === 'BM', size: sizeOfBmp },
  { holds: (bytes) => text(bytes, 4) === 'ftyp', size: sizeOfHeif },
];

/** Segments up to the frame header (SOF), whose codes are between those of other tables. */
function sizeOfJpeg(view: DataView): Size | null {
  const others = [0xc4, 0xc8, 0xcc];
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const code = view.getUint8(at + 1);
    if (code === 0xff) at += 1;
    else if (code === 0x01 || (code >= 0xd0 && code <= 0xd8)) at += 2;
    else if (code >= 0xc0 && code <= 0xcf && !others.includes(code))
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

/** Of the screen or the first frame, whichever is larger: browsers enlarge a screen that its frame exceeds. */
function sizeOfGif(view: DataView): Size | null {
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(view.getUint8(10));
  // Extensions: a label, and blocks up to an empty one.
  while (view.getUint8(at) === 0x21) {
    at += 2;
    while (view.getUint8(at) !== 0) at += view.getUint8(at) + 1;
    at += 1;
  }
  if (view.getUint8(at) !== 0x2c) return null;
  const side = (place: number) =>
    Math.max(
      view.getUint16(place, true),
      view.getUint16(at + place - 5, true) + view.getUint16(at + place - 1, true),
    );
  return { width: side(6), height: side(8) };
}

function sizeOfWebp(view: DataView): Size | null {
  const kind = String.fromCharCode(view.getUint8(15));
  if (kind === 'X') {
    const side = (at: number) => (view.getUint32(at, true) & 0xffffff) + 1;
    return { width: side(24), height: side(27) };
  }
  if (kind === 'L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  const side = (at: number) => view.getUint16(at, true) & 0x3fff;
  return { width: side(26), height: side(28) };
}

/** Rows from top to bottom are said by a negative height. The oldest header has numbers of 16 bits. */
function sizeOfBmp(view: DataView): Size {
  if (view.getUint32(14, true) === 12)
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: view.getUint32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

/** AVIF and HEIC: the largest of the sizes (`ispe`) of what is inside. */
function sizeOfHeif(view: DataView): Size | null {
  const name = 0x69737065;
  let largest: Size | null = null;
  for (let at = 8; at + 16 <= view.byteLength; at++) {
    if (view.getUint32(at) !== name) continue;
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}
