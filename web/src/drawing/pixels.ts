/** A matrix as an image with one pixel for each cell, which the browser then enlarges. */

import { palette, type Scale, stepOf } from './colours.js';

export interface Matrix {
  /** Row by row. */
  readonly values: ArrayLike<number>;
  readonly rows: number;
  readonly columns: number;
  /** Default: attention weights. */
  readonly scale?: Scale;
  /** The value that has the strongest colour; default 1. */
  readonly limit?: number;
  /** Cells that are not part of the matrix, such as what a causal mask hides. */
  readonly isEmpty?: (row: number, column: number) => boolean;
}

/** Paints a matrix into a canvas of its size; empty cells are transparent. */
export function paintPixels(canvas: HTMLCanvasElement | OffscreenCanvas, matrix: Matrix): void {
  const { values, rows, columns, scale = 'weight', limit = 1, isEmpty } = matrix;
  canvas.width = Math.max(1, columns);
  canvas.height = Math.max(1, rows);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
  const image = context.createImageData(canvas.width, canvas.height);
  const colours = palette(scale);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (isEmpty?.(row, column)) continue;
      const from = stepOf(scale, (values[row * columns + column] ?? 0) / limit) * 4;
      const to = (row * columns + column) * 4;
      image.data.set(colours.subarray(from, from + 4), to);
    }
  }
  context.putImageData(image, 0, 0);
}
