/** On paper, nothing can be clicked: the address of what is shown is printed beneath it. */

import { make } from '../drawing/dom.js';

export function printAddress(root: HTMLElement): void {
  const address = make('p', { class: 'printed-address' });
  root.append(address);
  addEventListener('beforeprint', () => {
    address.textContent = location.href;
  });
}
