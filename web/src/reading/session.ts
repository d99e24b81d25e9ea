/** The engine and the model in this tab. Loaded apart from the page's first paint. */

import { type Engine, loadModel, type Model } from 'transformer-wasm';
import { translationModel } from './files.js';

export interface Loading {
  readonly loaded: number;
  /** `null` while it is not known. */
  readonly total: number | null;
}

/** An engine with our model. */
export interface Session {
  readonly engine: Engine;
  readonly model: Model;
}

/** @throws TransformerError */
export async function openSession(
  starting: Promise<Engine>,
  onProgress: (progress: Loading) => void,
): Promise<Session> {
  const model = await loadModel(await translationModel(), {
    engine: starting,
    onProgress: ({ phase, loaded, total }) => {
      if (phase === 'weights') onProgress({ loaded, total });
    },
  });
  return { engine: await starting, model };
}
