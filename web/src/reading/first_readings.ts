/** Makes what the page is built with: scripts/first_readings.mjs runs it in Node.js. */

import type { Model } from 'transformer-wasm';
import { firstTexts } from './examples.js';
import { needsOf } from './needs.js';
import { type PackedReading, pack } from './packed_reading.js';
import { read } from './reader.js';
import { type Pronoun, swappable, swapsOf } from './swaps.js';

/** What the build adds to it. */
export interface FirstReadings extends MadeReadings {
  /** The bytes of the models that come with the page, by name; 0: only a visitor who asks for it by name gets it. */
  readonly models: Readonly<Record<string, number>>;
}

export interface MadeReadings {
  readonly readings: PackedReading[];
  /** By sentence: the pronoun of its translation. */
  readonly pronouns: Readonly<Record<string, Pronoun | undefined>>;
}

export async function makeFirstReadings(model: Model): Promise<MadeReadings> {
  const readings: PackedReading[] = [];
  const pronouns: Record<string, Pronoun | undefined> = {};
  for (const text of firstTexts) {
    const reading = await read(model, text);
    const needs = await needsOf(model, reading);
    readings.push(pack({ ...reading, ...(needs && { needs }) }));
    const token = reading.source[swappable(reading.source)];
    const swaps = token ? await swapsOf(model, text, token) : [];
    for (const swap of swaps) pronouns[swap.text] = swap.pronoun;
  }
  return { readings, pronouns };
}
