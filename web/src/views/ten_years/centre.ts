/** Local attention's window: where the model puts its centre before a word, and how far it reaches. */

import type { Engine } from 'transformer-wasm';
import { passOf } from '../../reading/pass.js';
import type { Reading } from '../../reading/reading.js';
import { trainedModel } from '../../reading/trained.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type Design, folderOf } from './designs.js';

/** Of a design that has no window: ''. @param row the word that is marked */
export async function windowOf(engine: Engine, design: Design, own: Reading, row: number): Promise<string> {
  if (design.name !== 'luong-local') return '';
  const model = await trainedModel(engine, folderOf(design));
  const { trace } = await passOf(model, own, { trace: ['decoder.attention.centers'] });
  const centre = trace?.['decoder.attention.centers']?.data[row];
  if (centre === undefined) return '';
  return windowText(own, { row, centre, reach: Number(model.config.window) });
}

/** @param window its centre, counted in tokens from 0, and how many it reaches to either side */
export function windowText(
  { written, source }: Pick<Reading, 'written' | 'source'>,
  { row, centre, reach }: { readonly row: number; readonly centre: number; readonly reach: number },
): string {
  const middle = source[Math.min(source.length - 1, Math.max(0, Math.round(centre)))]?.label ?? '';
  const place = decimals((centre + 1).toFixed(1));
  return words.tenYears.window(written[row]?.label ?? '', place, source.length, middle, reach);
}
