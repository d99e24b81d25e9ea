/** Which token's way is shown, and what is said of it. */

import { chosenSource } from '../../reading/needs.js';
import { chosenWord, type Reading } from '../../reading/reading.js';
import type { Selection } from '../../selection/selection.js';
import type { LayerWay, Stack, Step } from './way.js';

/** The stack that is asked for, or the only one that the model has. */
export function stackOf({ maps }: Pick<Reading, 'maps'>, wanted: Stack): Stack {
  if (maps[wanted]) return wanted;
  return wanted === 'decoder' ? 'encoder' : 'decoder';
}

/** The chosen French word, or the English word that it looked at. */
export function tokenIn(stack: Stack, reading: Reading, { word, look }: Selection): number {
  const chosen = chosenWord(reading, word);
  if (stack === 'decoder' || !reading.maps.cross) return reading.written.length > 0 ? chosen : 0;
  return chosenSource(reading, { look, word });
}

/** The step that moves the vector most. */
export const largestMove = (layers: readonly LayerWay[]): Step =>
  layers.flatMap(({ steps }) => steps).reduce((a, b) => (b.moved > a.moved ? b : a));
