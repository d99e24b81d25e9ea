/** Says how many threads there are and why; where the server sends no headers for more, offers a way to get them. */

import type { Engine } from 'transformer-wasm';
import { action } from '../../drawing/controls.js';
import { isolate } from '../../page/isolation.js';
import { words } from '../../words/words.js';

export function showThreads(note: HTMLElement, { info }: Engine): void {
  note.replaceChildren(info.notes.join(' '));
  if (!isolate.isPossible) return;
  note.append(
    ' ',
    action(words.cost.moreThreads, () => void isolate.start()),
  );
}
