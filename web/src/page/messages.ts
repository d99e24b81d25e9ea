/** Error messages for visitors of the page. */

import { TransformerError } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import { Problem } from '../words/problem.js';
import { words } from '../words/words.js';

/** `text`: what failed and what may help. `detail`: the original error message. */
export interface Message {
  readonly text: string;
  readonly detail: string;
}

export function loadMessage(error: unknown): Message {
  const detail = detailOf(error);
  if (!(error instanceof TransformerError)) return { text: words.messages.notStarted, detail };
  if (error.code === 'unsupported') {
    return {
      text: words.messages.unsupported,
      detail,
    };
  }
  if (error.code === 'out_of_memory') {
    return { text: words.messages.noMemory, detail };
  }
  if (error.code === 'bad_checkpoint') return { text: words.messages.damaged, detail };
  if (error.code !== 'missing_file') return { text: words.messages.engineFailed, detail };
  const what = /\.(wasm|mjs|js)\b/.test(error.message) ? 'engine' : 'model';
  return {
    text: words.messages.notLoaded[what],
    detail,
  };
}

export function translateMessage(error: unknown): Message {
  const detail = detailOf(error);
  if (error instanceof Problem) return { text: detail, detail: '' };
  if (!(error instanceof TransformerError)) return { text: words.messages.notTranslated, detail };
  if (error.code === 'invalid_argument' && /tokens long/.test(error.message)) {
    return { text: words.messages.tooLong, detail };
  }
  if (error.code === 'out_of_memory') {
    return { text: words.messages.noMemoryForSentence, detail };
  }
  return { text: words.messages.notTranslatedReload, detail };
}

/** Of anything else that failed. What the page itself has found is said in the reader's language already. */
export function messageOf(error: unknown): Message {
  const detail = detailOf(error);
  if (error instanceof Problem) return { text: detail, detail: '' };
  if (isOfConnection(error)) return { text: words.messages.notLoaded.page, detail };
  const code = error instanceof TransformerError ? error.code : 'internal';
  const { codes } = words.messages;
  return { text: Object.hasOwn(codes, code) ? codes[code as keyof typeof codes] : codes.internal, detail };
}

/** A chunk of the page, or a file, that the browser could not get: it throws a TypeError, and each browser says it in its way. */
const isOfConnection = (error: unknown) =>
  error instanceof TypeError &&
  /dynamically imported module|importing a module script|failed to fetch|load failed|networkerror/i.test(
    error.message,
  );

/** The message, and below it, folded, the error's own sentence, which is in English. */
export function shownMessage({ text, detail }: Message): (Node | string)[] {
  if (detail === '') return [text];
  const fold = make(
    'details',
    {},
    make('summary', {}, words.stage.details),
    make('p', { lang: 'en' }, detail),
  );
  return [make('span', {}, text), fold];
}

/** The error's own sentence. */
function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
