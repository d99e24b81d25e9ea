/** Saves what a view shows as a file. Nothing is sent anywhere: the browser writes it. */

import { attentionSvg, Tensor } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';

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
  save(new Blob([svg], { type: 'image/svg+xml' }), 'attention.svg');
}

export function saveJson({ weights, ...picture }: Picture): void {
  const columns = picture.keys.length;
  const rows = picture.queries.map((_, i) => Array.from(weights.subarray(i * columns, (i + 1) * columns)));
  const text = JSON.stringify({ ...picture, weights: rows }, null, 1);
  save(new Blob([text], { type: 'application/json' }), 'attention.json');
}

export async function savePng(canvas: HTMLCanvasElement): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (blob) save(blob, 'attention.png');
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
