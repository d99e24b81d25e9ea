/** The attention of one query as a line of tokens: the more attention, the darker. */

import { make } from '../dom.js';
import { shadeClass } from '../shades.js';
import { type Token, tokenClass, tokenText } from '../tokens.js';

export class LooksAt {
  readonly element = make('p', { class: 'looks-at', 'aria-hidden': 'true' });
  #keys: readonly Token[] = [];

  /**
   * @param weights the attention to each key
   * @param options.query the position of the query if it is one of the keys
   * @param options.visible how many of the keys the query can see
   */
  show(
    keys: readonly Token[],
    weights: ArrayLike<number>,
    { query, visible = keys.length }: { query?: number; visible?: number } = {},
  ): void {
    if (keys !== this.#keys) this.element.replaceChildren(...keys.flatMap((key) => [tokenText(key), ' ']));
    this.#keys = keys;
    for (const [i, element] of [...this.element.children].entries()) {
      const classes = [tokenClass(keys[i] as Token), shadeClass(weights[i] ?? 0)];
      if (i === query) classes.push('asks');
      if (i >= visible) classes.push('ahead');
      element.className = classes.join(' ');
    }
  }
}
