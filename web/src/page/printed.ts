/**
 * On paper, nothing can be clicked: the address of what is shown is printed beneath it, and each chapter is a sheet with its
 * figure, something to try, a question and its answer.
 */

import { make } from '../drawing/dom.js';
import { askForAll } from '../reading/scrolled.js';
import type { ShownViews } from './sight.js';

export function printAddress(root: HTMLElement): void {
  const address = make('p', { class: 'printed-address' });
  root.append(address);
  addEventListener('beforeprint', () => {
    address.textContent = location.href;
  });
}

/** Draws every figure of the story, where nobody has scrolled yet too, and then prints. */
export async function printSheets(story: HTMLElement, views: ShownViews): Promise<void> {
  askForAll();
  await views.drawAll(story);
  print();
}

/** The browser's own key prints the same; its menu prints what is drawn. */
export function onPrintKey(printAll: () => Promise<void>): void {
  addEventListener('keydown', (event) => {
    if (
      event.key.toLowerCase() !== 'p' ||
      !(event.ctrlKey || event.metaKey) ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    void printAll();
  });
}
