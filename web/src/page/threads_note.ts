/** Says how many threads there are, and why; where the server sends no headers for more, offers a way to get them. */

import type { EngineInfo } from 'transformer-wasm';
import { action } from '../drawing/controls.js';
import { words } from '../words/words.js';
import { isolate } from './isolation.js';
import { shownMessage } from './messages.js';

/** @param script the address of isolation.js, as the page sees it */
export function showThreads(
  note: HTMLElement,
  { threads, notes }: Pick<EngineInfo, 'threads' | 'notes'>,
  script?: string,
): void {
  const text = words.cost.engine(words.stage.threads(threads));
  note.replaceChildren(...shownMessage({ text, detail: notes.join(' ') }));
  if (isolate.isPossible) note.append(action(words.cost.moreThreads, () => void isolate.start(script)));
}
