/** The engine and the model in this tab. Loaded apart from the page's first paint. */

import { createEngine, type Engine, loadModel, type Model } from 'transformer-wasm';
import { translationModel } from './files.js';

export interface Loading {
  readonly loaded: number;
  /** `null` while it is not known. */
  readonly total: number | null;
}

export interface LoadTimes {
  /** In milliseconds. */
  readonly engine: number;
  readonly model: number;
}

/** An engine with our model. */
export interface Session {
  readonly engine: Engine;
  readonly model: Model;
  readonly times: LoadTimes;
}

/** @throws TransformerError */
export async function openSession(onProgress: (progress: Loading) => void): Promise<Session> {
  const begin = performance.now();
  const engine = await createEngine();
  const between = performance.now();
  try {
    const model = await loadModel(await translationModel(), {
      engine,
      onProgress: ({ phase, loaded, total }) => {
        if (phase === 'weights') onProgress({ loaded, total });
      },
    });
    return { engine, model, times: { engine: between - begin, model: performance.now() - between } };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
