/** Why a head looks where it looks: the score as a bar for each part that was written into its key. */

import type { Attribution } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { frenchWord } from '../../page/french_word.js';
import { plainFigures } from '../../reading/figures.js';
import type { Reading } from '../../reading/reading.js';
import { words } from '../../words/words.js';

/** Parts that are drawn; the others are summed up. */
const mostParts = 8;

/** What is asked: of the word at `place`, the look of a head at the word `key`. */
interface Question {
  readonly reading: Reading;
  readonly place: number;
  readonly key: number;
  /** Of the head. */
  readonly name: string;
}

export class WhyThere {
  readonly element: HTMLElement;
  readonly #why = make('p', { class: 'note' });
  readonly #parts = make('ol', { class: 'cause-parts' });

  constructor() {
    this.element = make('div', {}, this.#why, this.#parts);
  }

  show({ parts, value }: Attribution, { reading, place, key, name }: Question): void {
    const sorted = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const drawn = sorted.slice(0, mostParts);
    // In 8 bits, each row of the pass that takes the score apart rounds anew.
    const rest = value - drawn.reduce((sum, part) => sum + part.value, 0);
    const all = [...drawn, { source: '', value: rest }];
    const most = Math.max(...all.map((part) => Math.abs(part.value)), 1e-9);
    this.#why.replaceChildren(
      ...filled(words.causes.why(name, plainFigures(value)), {
        query: frenchWord(reading.written[place]?.label ?? ''),
        key: make('b', { lang: 'en' }, reading.source[key]?.label ?? ''),
        there: make('b', { lang: 'en' }, reading.source[key]?.label ?? ''),
      }),
    );
    this.#parts.replaceChildren(
      ...all.map(({ source, value: part }) => {
        const bar = make('span', { class: part < 0 ? 'bar negative' : 'bar', 'aria-hidden': 'true' });
        bar.style.setProperty('--share', `${Math.abs(part) / most}`);
        return make(
          'li',
          {},
          make('span', {}, source === '' ? words.causes.others : sourceName(source)),
          bar,
          make('span', { class: 'number' }, plainFigures(part)),
        );
      }),
    );
  }
}

/** `encoder.layers.0.self.2`: encoder layer 1, head 3. */
function sourceName(source: string): string {
  const [, stack, layer, part, head] =
    /^(encoder|decoder)\.layers\.(\d+)\.(\w+)(?:\.(\d+))?$/.exec(source) ?? [];
  if (stack !== 'encoder' && stack !== 'decoder') return words.causes.sources[source as 'tokens'] ?? source;
  const title = words.layers.titleOf[stack](Number(layer) + 1);
  return head === undefined || part === 'feed_forward'
    ? words.causes.feedForward(title)
    : words.causes.headOf(title, Number(head) + 1);
}
