/** The model that reads digits. */

import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { smallModel } from './files.js';

const opened = new WeakMap<Engine, Promise<Model>>();

/** Loads it once for each engine. */
export function openDigits(engine: Engine): Promise<Model> {
  const model = opened.get(engine) ?? smallModel('digits').then((files) => loadModel(files, { engine }));
  opened.set(engine, model);
  model.catch(() => opened.delete(engine));
  return model;
}
