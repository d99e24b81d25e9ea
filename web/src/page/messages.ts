/** Error messages for visitors of the page. */

import { TransformerError } from 'transformer-wasm';

/** `text`: what failed and what may help. `detail`: the original error message. */
export interface Message {
  readonly text: string;
  readonly detail: string;
}

export function loadMessage(error: unknown): Message {
  const detail = detailOf(error);
  if (!(error instanceof TransformerError)) return { text: 'The page could not start.', detail };
  if (error.code === 'unsupported') {
    return {
      text: 'This browser cannot run the engine, which needs WebAssembly with SIMD. Any recent browser supports it.',
      detail,
    };
  }
  if (error.code === 'out_of_memory') {
    return { text: 'There is not enough memory for the model. Closing other tabs may help.', detail };
  }
  if (error.code === 'bad_checkpoint')
    return { text: 'The model’s files are damaged or incomplete.', detail };
  if (error.code !== 'missing_file') return { text: 'The engine could not start.', detail };
  const what = /\.(wasm|mjs|js)\b/.test(error.message) ? 'engine' : 'model';
  return {
    text: `The ${what} could not be loaded: a file is missing on the server, or the connection is down.`,
    detail,
  };
}

export function translateMessage(error: unknown): Message {
  const detail = detailOf(error);
  if (!(error instanceof TransformerError)) return { text: 'The sentence could not be translated.', detail };
  if (error.code === 'invalid_argument' && /tokens long/.test(error.message)) {
    return { text: 'This sentence is too long for the model. Try a shorter one.', detail };
  }
  if (/no tokenizer/.test(error.message)) return { text: error.message, detail };
  if (error.code === 'out_of_memory') {
    return { text: 'There is not enough memory for this sentence. Try a shorter one.', detail };
  }
  return { text: 'The sentence could not be translated. Reloading the page may help.', detail };
}

/** The error's own sentence. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
