/**
 * The colours of a picture with transparency as they are stored. A 2D canvas keeps them multiplied by alpha, rounded to
 * bytes.
 */

import { fail } from '../values/errors.js';

/** Every WebGL has textures of this size. */
const tileSize = 2048;

const asStored = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' } as const;

interface ImageBytes {
  /** RGBA, in rows. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** @throws TransformerError `unsupported` without WebGL */
export async function storedColours(bitmap: ImageBitmap): Promise<ImageBytes> {
  const { width, height } = bitmap;
  const [columns, rows] = [Math.min(width, tileSize), Math.min(height, tileSize)];
  const gl = new OffscreenCanvas(columns, rows).getContext('webgl');
  if (!gl) fail('unsupported', 'the colours of a picture with transparency can be read with WebGL only');
  try {
    frame(gl);
    const data = new Uint8Array(4 * width * height);
    for (let y = 0; y < height; y += rows)
      for (let x = 0; x < width; x += columns) {
        const area = { x, y, width: Math.min(columns, width - x), height: Math.min(rows, height - y) };
        const tile = await createImageBitmap(bitmap, x, y, area.width, area.height, asStored);
        place(readTile(gl, tile), data, width, area);
        tile.close();
      }
    return { data, width, height };
  } finally {
    // A page has few contexts at a time.
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

/** Makes a texture what is read from. */
function frame(gl: WebGLRenderingContext): void {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
}

function readTile(gl: WebGLRenderingContext, tile: ImageBitmap): Uint8Array {
  const bytes = new Uint8Array(4 * tile.width * tile.height);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, tile);
  gl.readPixels(0, 0, tile.width, tile.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  const error = gl.getError();
  if (error !== gl.NO_ERROR) fail('unsupported', `WebGL cannot read this picture (error ${error})`);
  return bytes;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function place(tile: Uint8Array, into: Uint8Array, width: number, area: Area): void {
  for (let row = 0; row < area.height; row++) {
    const from = 4 * row * area.width;
    into.set(tile.subarray(from, from + 4 * area.width), 4 * ((area.y + row) * width + area.x));
  }
}
