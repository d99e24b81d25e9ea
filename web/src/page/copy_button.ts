/** A button that copies a text and says so. */

import { make } from '../drawing/dom.js';
import { words } from '../words/words.js';

/** @param text asked for at each click */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = make('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? words.page.copied : words.page.cannotCopy;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
  return button;
}
