/** Who looks at whom: a line of tokens, each the darker the more one query looks at it. */

import { make } from '../dom.js';
import { type Token, tokenText } from '../tokens.js';
import { shadeOf } from './heat_map.js';

export class LooksAt {
  readonly element = make('p', { class: 'looks-at', 'aria-hidden': 'true' });
  #keys: readonly Token[] = [];

  /**
   * @param weights the share of each key
   * @param options.query the place of the query, where it is one of the keys
   * @param options.visible how many of the keys can be seen
   */
  show(
    keys: readonly Token[],
    weights: ArrayLike<number>,
    { query, visible = keys.length }: { query?: number; visible?: number } = {},
  ): void {
    if (keys !== this.#keys) this.element.replaceChildren(...keys.flatMap((key) => [tokenText(key), ' ']));
    this.#keys = keys;
    for (const [i, token] of [...this.element.children].entries()) {
      const weight = weights[i] ?? 0;
      (token as HTMLElement).style.setProperty('--shade', shadeOf(weight));
      token.classList.toggle('strong', weight > 0.25);
      token.classList.toggle('asks', i === query);
      token.classList.toggle('ahead', i >= visible);
    }
  }
}
