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

/**
 * @param starting the engine; disposed where the model cannot be loaded
 * @throws TransformerError
 */
export async function openSession(
  starting: Promise<Engine>,
  onProgress: (progress: Loading) => void,
): Promise<Session> {
  try {
    const model = await loadModel(await translationModel(), {
      engine: starting,
      onProgress: ({ phase, loaded, total }) => {
        if (phase === 'weights') onProgress({ loaded, total });
      },
    });
    return { engine: await starting, model };
  } catch (error) {
    await (await starting.catch(() => undefined))?.dispose();
    throw error;
  }
}
