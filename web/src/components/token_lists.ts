/** The input tokens with their ids, and the output tokens with their probabilities. */

import { make } from '../dom.js';
import { percent, tokenText } from '../tokens.js';
import type { NumberedToken, WrittenToken } from '../translator.js';

export function showTokens(list: HTMLElement, tokens: readonly NumberedToken[]): void {
  list.replaceChildren(
    ...tokens.map((token) =>
      make('li', {}, tokenText(token), make('small', {}, token.isUnknown ? 'unknown' : `${token.id}`)),
    ),
  );
}

export function showWritten(list: HTMLElement, tokens: readonly WrittenToken[]): void {
  list.replaceChildren(
    ...tokens.map((token) => {
      const bar = make('span', { class: 'probability', 'aria-hidden': 'true' });
      bar.style.setProperty('--share', `${token.probability}`);
      return make('li', {}, tokenText(token), bar, make('small', {}, percent(token.probability)));
    }),
  );
}
