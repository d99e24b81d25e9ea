/** What goes wrong, in words for the person in front of the page. */

import { TransformerError } from 'transformer-wasm';

/** What could not be done, and what helps; `detail` is for those who want to know. */
export interface Message {
  readonly text: string;
  readonly detail: string;
}

export function loadMessage(error: unknown): Message {
  const detail = detailOf(error);
  if (!(error instanceof TransformerError)) return { text: 'The page could not start.', detail };
  if (error.code === 'unsupported') {
    return {
      text: 'This browser cannot run the engine: it needs WebAssembly with SIMD, which any browser of the last years has.',
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
    return { text: 'This sentence is too long for the model. A shorter one will do.', detail };
  }
  if (error.code === 'out_of_memory') {
    return { text: 'There is not enough memory for this sentence. A shorter one may do.', detail };
  }
  return { text: 'The sentence could not be translated. Loading the page again may help.', detail };
}

function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
