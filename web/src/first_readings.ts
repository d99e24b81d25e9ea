/** Makes the readings that the page is built with: scripts/first_readings.mjs runs it in Node.js. */

import type { Model } from 'transformer-wasm';
import { firstTexts } from './examples.js';
import { type PackedReading, pack } from './packed_reading.js';
import { read } from './reader.js';

export async function makeFirstReadings(model: Model): Promise<PackedReading[]> {
  const readings: PackedReading[] = [];
  for (const text of firstTexts) readings.push(pack(await read(model, text)));
  return readings;
}
