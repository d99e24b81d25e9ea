/** Bahdanau's look back: where the model of 2014 looked for each French word, and the context vector that it made of it. */

import { filled } from '../../drawing/filled.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import './look_back.css';
import { action } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { rowOf } from '../../reading/looks.js';
import { passOf } from '../../reading/pass.js';
import type { Reading } from '../../reading/reading.js';
import { percent, tokenText } from '../../reading/tokens.js';
import { isShipped, loadingText, readTrained, trainedModel } from '../../reading/trained.js';
import { Loom } from '../../stage/loom.js';
import { contextOf, largestTerms, type States, wordIn } from './compute.js';
import { contextRows } from './draw.js';

const view = 'look-back';
const folder = 'en-fr-bahdanau';

export class LookBack {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #loom = new Loom({ onFrench: (word) => this.#choose(word) });
  readonly #sum = make('div', { class: 'context' });
  readonly #back = action(words.lookBack.before, () => this.#step(-1));
  readonly #next = action(words.lookBack.next, () => this.#step(1));
  /** What is shown of, and its chosen word. */
  #own: Reading | null = null;
  #drawn: Reading | null = null;
  #word = 0;
  #isSame = false;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.controls.append(this.#back, this.#next);
    frame.figure.append(this.#loom.element, this.#sum);
    frame.code(code);
  }

  async draw(state: State): Promise<void> {
    const { reading, selection, signal } = state;
    const own = await this.#read(state);
    if (signal.aborted || !own.maps.cross) return;
    this.#own = own;
    this.#isSame = own.translation === reading.translation;
    const set = Number(this.#page.selection.setting(view, 'word', '-1'));
    this.#word = !this.#isSame && own.written[set] ? set : wordIn(own, reading, selection.word);
    if (this.#drawn !== own) this.#loom.show(own, { isWritten: false });
    this.#drawn = own;
    this.#loom.select({ look: 'mean', chosen: this.#word, needs: null });
    this.#back.disabled = this.#word === 0;
    this.#next.disabled = this.#word === own.written.length - 1;
    await this.#drawContext(own, signal);
  }

  /** The model of 2014 where the page has it; else the transformer’s own look back, all heads together. */
  async #read({ reading, signal }: State): Promise<Reading> {
    if (!isShipped(folder))
      return { ...reading, maps: reading.maps.cross ? { cross: reading.maps.cross } : {} };
    const onBytes = (loaded: number, total: number | null) => this.#frame.say(loadingText(loaded, total));
    return readTrained(await this.#page.engine(), folder, reading.text, { signal, onBytes });
  }

  async #drawContext(own: Reading, signal: AbortSignal): Promise<void> {
    const weights = rowOf(own, { kind: 'cross', look: 'mean', query: this.#word });
    const word = own.written[this.#word];
    if (!weights || !word) return;
    const states = isShipped(folder) ? await this.#statesOf(own) : null;
    if (signal.aborted) return;
    const found = contextOf(weights, states ?? { data: new Float32Array(), width: 0 });
    const { shown, rest } = largestTerms(found.terms);
    this.#sum.hidden = !states;
    this.#sum.replaceChildren(...contextRows(own, word, { shown, rest, context: found.context }));
    const said = shown.flatMap(({ key, weight }, i) => [
      i === 0 ? '' : words.marks.comma,
      make('b', {}, own.source[key]?.label ?? ''),
      ` ${percent(weight)}`,
    ]);
    const differs = this.#isSame ? '' : words.marks.gap + words.lookBack.writes(own.translation);
    this.#frame.say(
      ...filled(words.lookBack.lookedAt, { word: tokenText(word), where: make('span', {}, ...said) }),
      differs,
      isShipped(folder) ? '' : words.marks.gap + words.lookBack.of2017,
    );
    this.#frame.table(() => ({
      caption: words.lookBack.table(word.label),
      columns: [words.lookBack.weight],
      rows: found.terms.map(({ key, weight }) => ({
        name: own.source[key]?.label ?? '',
        values: [decimals(weight.toFixed(3))],
      })),
    }));
  }

  async #statesOf(own: Reading): Promise<States> {
    const model = await trainedModel(await this.#page.engine(), folder);
    const { trace } = await passOf(model, own, { trace: ['encoder.output'] });
    const output = trace?.['encoder.output'];
    return { data: output?.data ?? new Float32Array(), width: output?.shape.at(-1) ?? 0 };
  }

  #step(by: number): void {
    const next = this.#word + by;
    if (this.#own?.written[next]) this.#choose(next);
  }

  /** The whole page follows, unless this model writes other words. */
  #choose(word: number): void {
    if (this.#isSame) this.#page.selection.set({ word });
    else this.#page.selection.setSetting(view, 'word', `${word}`);
  }
}

const code: CodeSample = {
  ours: `const model = await loadModel('models/en-fr-bahdanau');
const { trace } = await model.forward(
  { inputIds: [ids], decoderInputIds: [written] },
  { trace: ['decoder.attention.weights', 'decoder.attention.context'] },
);`,
  pytorch: `score = v(torch.tanh(W(state).unsqueeze(1) + U(memory))).squeeze(-1)   # [batch, time]
weights = score.softmax(-1)
context = (weights.unsqueeze(-1) * memory).sum(1)                      # [batch, width]`,
};
