/** The trained models of the designs, each loaded when it is first shown. */

import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { translationModel } from '../../reading/files.js';
import { read } from '../../reading/reader.js';
import type { Reading } from '../../reading/reading.js';
import { shippedModels } from '../../reading/readings.js';
import type { Design } from './designs.js';

export const folderOf = ({ name }: Design) => `en-fr-${name}`;

/** Whether the page has a trained model of this design besides the transformer. */
export const isShipped = (design: Design) => shippedModels.includes(folderOf(design));

/** Called as a model arrives, with its bytes. */
type OnBytes = (loaded: number, total: number | null) => void;

export class TrainedModels {
  readonly #models = new Map<string, Promise<Model>>();
  // Another word of the same sentence is marked without reading the sentence again.
  readonly #readings = new Map<Model, Reading>();

  async read(engine: Engine, design: Design, text: string, options: ReadOptions): Promise<Reading> {
    const model = await this.#modelOf(engine, design, options.onBytes);
    const last = this.#readings.get(model);
    const reading = last?.text === text ? last : await read(model, text, { signal: options.signal });
    this.#readings.set(model, reading);
    return reading;
  }

  #modelOf(engine: Engine, design: Design, onBytes: OnBytes): Promise<Model> {
    const loading = this.#models.get(design.name) ?? load(engine, design, onBytes);
    this.#models.set(design.name, loading);
    // What could not be loaded is tried again with the next sentence.
    loading.catch(() => this.#models.delete(design.name));
    return loading;
  }
}

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onBytes: OnBytes;
}

const load = async (engine: Engine, design: Design, onBytes: OnBytes): Promise<Model> =>
  loadModel(await translationModel(folderOf(design)), {
    engine,
    onProgress: ({ phase, loaded, total }) => {
      if (phase === 'weights') onBytes(loaded, total);
    },
  });
