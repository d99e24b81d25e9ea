/** A button that copies a text and says so. */

import { make } from '../drawing/dom.js';
import { words } from '../words/words.js';

/** @param text asked for at each click @param icon stands in place of the label, which is then its name */
export function copyButton(label: string, text: () => string, icon?: SVGElement): HTMLButtonElement {
  const said = make('span', { class: 'copied', role: 'status' });
  const button = icon
    ? make('button', { type: 'button', 'aria-label': label, title: label }, icon, said)
    : make('button', { type: 'button' }, label);
  const say = (result: string, otherwise: string) => {
    if (icon) said.textContent = result;
    else button.textContent = result || otherwise;
  };
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false,
    );
    say(isCopied ? words.page.copied : words.page.cannotCopy, label);
    setTimeout(() => say('', label), 2000);
  });
  return button;
}
