// React hooks: useModel loads a model once, useTranslation translates a text with it, word by word.

import { useEffect, useState } from 'react';
import { loadModel } from 'transformer-wasm';

/** `{ model, progress, error }`: the model once it is loaded, until then the share that is, from 0 to 1. */
export function useModel(source) {
  const [state, setState] = useState({ progress: 0 });
  useEffect(() => {
    const abort = new AbortController();
    const loading = loadModel(source, {
      cache: true,
      signal: abort.signal,
      onProgress({ loaded, total }) {
        if (total && !abort.signal.aborted) setState({ progress: loaded / total });
      },
    });
    loading.then(
      (model) => abort.signal.aborted || setState({ model, progress: 1 }),
      (error) => abort.signal.aborted || setState({ error, progress: 0 }),
    );
    // In strict mode an effect runs twice: what the first loaded is freed.
    return () => {
      abort.abort();
      loading.then(
        (model) => model.dispose(),
        () => undefined,
      );
    };
  }, [source]);
  return state;
}

/** `{ translation, isDone, error }`: grows while the model writes. Another text ends the translation of the one before. */
export function useTranslation(model, text) {
  const [state, setState] = useState({ translation: '', isDone: false });
  useEffect(() => {
    setState({ translation: '', isDone: false });
    if (!model || text.trim() === '') return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    (async () => {
      let translation = '';
      try {
        for await (const chunk of model.stream(text, { signal })) {
          translation += chunk.text;
          setState({ translation, isDone: false });
        }
        setState({ translation, isDone: true });
      } catch (error) {
        if (!signal.aborted) setState({ translation, isDone: true, error });
      }
    })();
    return () => abort.abort();
  }, [model, text]);
  return state;
}
