/** BERT and GPT: the map with half of it faded, what a word may be guessed from, and what two tiny models guess. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './halves.css';
import { action } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import type { Page, Part, State } from '../../page/view.js';
import { percent } from '../../reading/tokens.js';
import { isShipped, loadingText, trainedModel } from '../../reading/trained.js';
import { countOf, type Half, kept, maySee } from './compute.js';
import { cardOf, drawGuesses } from './draw.js';
import { folders, type Gap, type Guesses, guessesOf, writeOn } from './guesses.js';
import { maskOf } from './mask.js';

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

interface Drawn {
  readonly sentence: readonly string[];
  /** The place of the word that is guessed. */
  readonly guessed: number;
  /** Whether the models are asked. */
  readonly isAsked: boolean;
}

export class Halves {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #figure = make('div', { class: 'halves' });
  readonly #again: HTMLButtonElement;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#again = action(words.halves.again, () =>
      page.selection.setSetting(view, 'variant', `${this.#variant + 1}`),
    );
    frame.controls.append(this.#again);
    frame.figure.append(this.#figure);
    frame.code(code);
  }

  get #variant(): number {
    return Number(this.#page.selection.setting(view, 'variant', '0'));
  }

  async draw({ reading, signal }: State): Promise<void> {
    const tokens = (reading.source.length > 0 ? reading.source : reading.written).filter(
      ({ isSpecial }) => !isSpecial,
    );
    const sentence = tokens.map(({ label }) => label);
    const set = Number(this.#page.selection.setting(view, 'word', '-1'));
    const guessed = sentence[set] === undefined ? Math.floor(sentence.length / 2) : set;
    const focused = [...this.#figure.querySelectorAll('button')].indexOf(
      document.activeElement as HTMLButtonElement,
    );
    const halves = Object.keys(kept) as Half[];
    const span = reading.source.filter(({ isSpecial }) => !isSpecial)[guessed]?.span;
    const isAsked = Boolean(span) && halves.every((half) => isShipped(folders[half]));
    this.#figure.replaceChildren(
      ...halves.map((half) => this.#drawHalf(half, { sentence, guessed, isAsked })),
    );
    if (focused >= 0) this.#figure.querySelectorAll('button')[focused]?.focus({ preventScroll: true });
    this.#say(sentence, guessed, []);
    this.#frame.table(() => tableOf(sentence, guessed));
    this.#again.hidden = !isAsked;
    if (!span || !isAsked) return;
    const found = await Promise.all(
      halves.map((half) => this.#guess(half, { text: reading.text, span }, signal)),
    );
    if (!signal.aborted) this.#say(sentence, guessed, found);
  }

  /** Asks the model of a half, and draws what it guesses; `null` where it cannot. */
  async #guess(half: Half, gap: Gap, signal: AbortSignal): Promise<Guesses | null> {
    const place = this.#figure.querySelector(`.half-guesses.${half}`);
    const note = (...text: (Node | string)[]) =>
      place?.replaceChildren(make('div', { class: 'note' }, ...text));
    const onBytes = (loaded: number, total: number | null) => note(loadingText(loaded, total));
    try {
      const model = await trainedModel(await this.#page.engine(), folders[half], onBytes);
      signal.throwIfAborted();
      const guesses = await guessesOf(half, model, gap);
      const isWritten = half === 'GPT' && guesses;
      const rest = isWritten ? await writeOn(model, gap, { variant: this.#variant, signal }) : null;
      signal.throwIfAborted();
      if (guesses) place?.replaceChildren(...drawGuesses(guesses, gap, rest));
      else note(words.halves.tooLong);
      return guesses;
    } catch (error) {
      signal.throwIfAborted();
      // The rest of the figure needs no model.
      note(...shownMessage(messageOf(error)));
      return null;
    }
  }

  #say(sentence: readonly string[], guessed: number, found: readonly (Guesses | null)[]): void {
    const count = (half: Half) => countOf(half, guessed, sentence.length);
    const word = make('b', { lang: 'en' }, sentence[guessed] ?? '');
    const [bert, gpt] = found.map((guesses) => guesses?.own ?? null);
    const known = bert != null && gpt != null ? ` ${words.halves.gives(percent(bert), percent(gpt))}` : '';
    this.#frame.say(...filled(words.halves.toGuess(count('BERT'), count('GPT')), { word }), known);
  }

  #drawHalf(half: Half, { sentence, guessed, isAsked }: Drawn): HTMLElement {
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
      ...(isAsked ? [make('div', { class: `half-guesses ${half}` }), cardOf(half)] : []),
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

const tableOf = (sentence: readonly string[], guessed: number): NumberTable => ({
  caption: words.halves.table(sentence[guessed] ?? ''),
  columns: sentence,
  rows: (Object.keys(kept) as Half[]).map((half) => ({
    name: half,
    values: sentence.map((_, place) => (maySee(half, guessed, place) ? words.halves.yes : words.halves.no)),
  })),
});

const code: CodeSample = {
  ours: `const fill = await pipeline('fill-mask', 'models/en-fill');   // an encoder alone
const [{ token_str, score }] = await fill('The animal <mask> the street.');
const gpt = await loadModel('models/en-continue');            // a decoder alone
const { sequences } = await gpt.generate('The animal', { maxNewTokens: 12 });`,
  pytorch: `torch.nn.TransformerEncoder(layer, 2)(x)                          # BERT: sees both sides
torch.nn.TransformerEncoder(layer, 2)(x, mask=causal, is_causal=True)  # GPT: what was`,
};
