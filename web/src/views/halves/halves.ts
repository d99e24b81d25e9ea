/** BERT and GPT: the map with half of it faded, and what a word that is guessed may be guessed from. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './halves.css';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, Part, State } from '../../page/view.js';
import { countOf, type Half, kept, maySee } from './compute.js';

const view = 'halves';

const columns: readonly (readonly (readonly [Part, string])[])[] = [
  [
    ['encoder-attention', words.tour.selfAttention],
    ['encoder-feed-forward', words.tour.feedForward],
  ],
  [
    ['decoder-attention', words.tour.maskedSelfAttention],
    ['cross-attention', words.tour.crossAttention],
    ['decoder-feed-forward', words.tour.feedForward],
  ],
];

const names: Readonly<Record<Half, { readonly task: string; readonly left: string }>> = {
  BERT: {
    task: words.halves.fillsGap,
    left: words.halves.leftDecoder,
  },
  GPT: {
    task: words.halves.goesOn,
    left: words.halves.leftEncoder,
  },
};

export class Halves {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #figure = make('div', { class: 'halves' });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.figure.append(this.#figure);
    frame.code(code);
  }

  draw({ reading }: State): void {
    const sentence = (reading.source.length > 0 ? reading.source : reading.written)
      .filter(({ isSpecial }) => !isSpecial)
      .map(({ label }) => label);
    const set = Number(this.#page.selection.setting(view, 'word', '-1'));
    const guessed = sentence[set] === undefined ? Math.floor(sentence.length / 2) : set;
    const focused = [...this.#figure.querySelectorAll('button')].indexOf(
      document.activeElement as HTMLButtonElement,
    );
    this.#figure.replaceChildren(
      ...(Object.keys(kept) as Half[]).map((half) => this.#drawHalf(half, sentence, guessed)),
    );
    if (focused >= 0) this.#figure.querySelectorAll('button')[focused]?.focus({ preventScroll: true });
    const count = (half: Half) => countOf(half, guessed, sentence.length);
    this.#frame.say(
      ...filled(words.halves.toGuess(count('BERT'), count('GPT')), {
        word: make('b', { lang: 'en' }, sentence[guessed] ?? ''),
      }),
    );
    this.#frame.table(() => ({
      caption: words.halves.table(sentence[guessed] ?? ''),
      columns: sentence,
      rows: (Object.keys(kept) as Half[]).map((half) => ({
        name: half,
        values: sentence.map((_, place) =>
          maySee(half, guessed, place) ? words.halves.yes : words.halves.no,
        ),
      })),
    }));
  }

  #drawHalf(half: Half, sentence: readonly string[], guessed: number): HTMLElement {
    const { task, left } = names[half];
    const box = (part: Part, title: string) =>
      make('span', { class: kept[half].includes(part) ? 'half-box' : 'half-box left-out' }, title);
    const map = make(
      'div',
      { class: 'half-map', role: 'img', 'aria-label': words.halves.map(left) },
      box('words', words.tour.wordsAndPositions),
      make(
        'div',
        { class: 'half-columns' },
        ...columns.map((column) => make('div', {}, ...column.map(([part, title]) => box(part, title)))),
      ),
      box('softmax', words.tour.softmax),
    );
    const drawn = sentence.map((word, place) => this.#drawWord(half, { word, place, guessed }));
    return make(
      'div',
      { class: 'half' },
      make('h3', {}, words.halves.does(half, task)),
      map,
      make('p', { class: 'note' }, left),
      make('div', { class: 'half-words', lang: 'en' }, ...drawn),
      maskOf(half, sentence.length, guessed),
    );
  }

  #drawWord(
    half: Half,
    { word, place, guessed }: { readonly word: string; readonly place: number; readonly guessed: number },
  ): HTMLElement {
    const isGuessed = place === guessed;
    const kind = isGuessed ? 'guessed' : maySee(half, guessed, place) ? 'seen' : 'unseen';
    const button = make(
      'button',
      {
        type: 'button',
        class: kind,
        'aria-pressed': `${isGuessed}`,
        'aria-label': `${word}${words.marks.colon}${words.halves[kind]}`,
      },
      isGuessed ? '\u2002?\u2002' : word,
    );
    button.addEventListener('click', () => this.#page.selection.setSetting(view, 'word', `${place}`));
    return button;
  }
}

/** A cell for each pair of words: dark where one may be read while the other is guessed. */
function maskOf(half: Half, count: number, guessed: number): HTMLElement {
  const grid = make('div', {
    class: 'half-mask',
    role: 'img',
    'aria-label': words.halves.mask(half),
  });
  grid.style.setProperty('--count', `${count}`);
  for (let row = 0; row < count; row++)
    for (let place = 0; place < count; place++)
      grid.append(
        make('span', {
          class: [maySee(half, row, place) && 'on', row === guessed && 'current'].filter(Boolean).join(' '),
        }),
      );
  return grid;
}

const code: CodeSample = {
  ours: `const bert = await loadModel('bert-tiny');      // an encoder alone
const gpt = await loadModel('distilgpt2');      // a decoder alone
const { text } = await gpt.generate('The animal', { maxNewTokens: 12 });`,
  pytorch: `torch.nn.TransformerEncoder(layer, 2)(x)                          # BERT: sees both sides
torch.nn.TransformerEncoder(layer, 2)(x, mask=causal, is_causal=True)  # GPT: what was`,
};
