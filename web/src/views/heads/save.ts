/** Saves what a view shows as a file. Nothing is sent anywhere: the browser writes it. */

import { attentionSvg, Tensor } from 'transformer-wasm';
import { colour } from '../../drawing/colours.js';
import { saveBlob, saveCanvas } from '../../drawing/save.js';

/** A matrix of attention weights, with what it shows. */
export interface Picture {
  readonly title: string;
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  /** [queries, keys] */
  readonly weights: Float32Array;
}

export async function saveSvg({ title, queries, keys, weights }: Picture): Promise<void> {
  const tensor = new Tensor(weights, [queries.length, keys.length]);
  const svg = await attentionSvg({ title, queries: [...queries], keys: [...keys], weights: tensor });
  saveBlob(new Blob([svg], { type: 'image/svg+xml' }), 'attention.svg');
}

export function saveJson({ weights, ...picture }: Picture): void {
  const columns = picture.keys.length;
  const rows = picture.queries.map((_, i) => Array.from(weights.subarray(i * columns, (i + 1) * columns)));
  const text = JSON.stringify({ ...picture, weights: rows }, null, 1);
  saveBlob(new Blob([text], { type: 'application/json' }), 'attention.json');
}

/** Three times the size, on paper. */
export async function savePng(shown: HTMLCanvasElement): Promise<void> {
  const canvas = document.createElement('canvas');
  const times = 3 / devicePixelRatio;
  [canvas.width, canvas.height] = [shown.width * times, shown.height * times];
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.imageSmoothingEnabled = false;
  context.fillStyle = colour('--page');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(shown, 0, 0, canvas.width, canvas.height);
  await saveCanvas(canvas, 'attention.png');
}
