/** A view in the frame of somebody's article: it tells how high it is and when its address changes, and leads back to the page. */

import { make } from '../drawing/dom.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';
import { languageQuery } from './language.js';

/** What the frame's page is told, whenever the height or the address changes. */
export interface FrameHeight {
  readonly type: 'transformer-wasm:height';
  readonly height: number;
}

export function embed(root: HTMLElement, selection: SelectionStore): void {
  const link = make('a', { class: 'embed-link', target: '_blank', rel: 'noopener' }, words.page.wholePage);
  const tell = () => {
    const height = Math.ceil(document.body.scrollHeight);
    const message: FrameHeight = { type: 'transformer-wasm:height', height };
    if (parent !== window) parent.postMessage(message, '*');
  };
  const update = () => {
    link.href = `${location.pathname}${languageQuery()}${location.hash}`;
    tell();
  };
  selection.subscribe(update);
  update();
  root.append(link);
  new ResizeObserver(tell).observe(document.body);
}
