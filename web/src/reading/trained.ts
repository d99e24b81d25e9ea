/** The models that the page has beside the translating transformer, each loaded when it is first shown. */

import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';
import { translationModel } from './files.js';
import { loadedModels } from './loaded_models.js';
import { read } from './reader.js';
import type { Reading } from './reading.js';
import { shippedModels } from './readings.js';
import { isScrolled } from './scrolled.js';

/** Whether the page has this model: `en-fr-bahdanau`. */
export const isShipped = (name: string) => shippedModels.includes(name);

/** Called as a model arrives, with its bytes. */
export type OnBytes = (loaded: number, total: number | null) => void;

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onBytes?: OnBytes;
}

const models = new Map<string, Promise<Model>>();
// Another word of the same sentence is marked without reading the sentence again.
const readings = new Map<Model, Reading>();

/** @param name its folder */
export function trainedModel(engine: Engine, name: string, onBytes?: OnBytes): Promise<Model> {
  const loading = models.get(name) ?? load(engine, name, onBytes);
  models.set(name, loading);
  // What could not be loaded is tried again with the next sentence.
  loading.catch(() => models.delete(name));
  return loading;
}

/** What one of them reads in a sentence. */
export async function readTrained(
  engine: Engine,
  name: string,
  text: string,
  { signal, onBytes }: ReadOptions,
): Promise<Reading> {
  const model = await trainedModel(engine, name, onBytes);
  const last = readings.get(model);
  const reading = last?.text === text ? last : await read(model, text, { signal });
  readings.set(model, reading);
  return reading;
}

async function load(engine: Engine, name: string, onBytes?: OnBytes): Promise<Model> {
  await isScrolled();
  loadedModels.add(name);
  return loadModel(await translationModel(name), {
    engine,
    onProgress: ({ phase, loaded, total }) => {
      if (phase === 'weights') onBytes?.(loaded, total);
    },
  });
}

/** `Loading its model: 0.9 of 1.6 MB` */
export function loadingText(loaded: number, total: number | null): string {
  const megabytes = (bytes: number) => decimals((bytes / 1e6).toFixed(1));
  return total
    ? words.bottleneck.loadingOf(megabytes(loaded), megabytes(total))
    : words.bottleneck.loading(megabytes(loaded));
}
