/** Gray of colours, for models that take one channel. */

import type { RawImage } from './embind.js';

/** Pillow's weights of red, green and blue for its mode L (those of ITU-R BT.601) in units of 2^-16. */
const [red, green, blue] = [19595, 38470, 7471];

/** The picture in gray as Pillow makes it; other numbers of channels than 3 and 4 stay. Alpha is left out. */
export function grayOf(image: RawImage): RawImage {
  const { data, rows, columns, channels } = image;
  if (channels < 3) return image;
  const at = (i: number) => data[i] ?? 0;
  const gray = Uint8Array.from({ length: rows * columns }, (_, pixel) => {
    const first = pixel * channels;
    return (red * at(first) + green * at(first + 1) + blue * at(first + 2) + 2 ** 15) >> 16;
  });
  return { data: gray, rows, columns, channels: 1 };
}
