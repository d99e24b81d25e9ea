/** The first screen: a sentence, its translation, and where the model looked for each word. */

import type { Model } from 'transformer-wasm';
import { action, slider } from '../drawing/controls.js';
import { find, make } from '../drawing/dom.js';
import { onSightChange } from '../drawing/visible.js';
import { type Message, translateMessage } from '../page/messages.js';
import type { Page } from '../page/view.js';
import { examples } from '../reading/examples.js';
import { chosenWord, type Reading } from '../reading/reading.js';
import type { Outcome } from '../reading/readings.js';
import type { Loading, Session } from '../reading/session.js';
import { groupOf, swappable } from '../reading/swaps.js';
import { percent } from '../reading/tokens.js';
import type { Selection } from '../selection/selection.js';
import { Candidates } from './candidates.js';
import { Chips } from './chips.js';
import { Loom } from './loom.js';
import { noteOf, sentenceOf } from './said.js';
import { Sentences } from './sentences.js';
import { Switches } from './switches.js';

/** How long after the last keystroke a sentence is translated, in milliseconds. */
const pause = 150;

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

export class Stage {
  readonly #page: Page;
  readonly #field = make('textarea', {
    id: 'source',
    rows: 1,
    spellcheck: false,
    autocomplete: 'off',
    'aria-describedby': 'honesty',
  });
  readonly #sentences: Sentences;
  readonly #chips: Chips;
  readonly #loom: Loom;
  readonly #spoken = make('p', { class: 'spoken' });
  readonly #candidates: Candidates;
  readonly #nBest = make('ol', { class: 'n-best', hidden: true });
  readonly #reset = action('The model’s own words again', () => this.#set({ prefix: [] }));
  readonly #allOn = action('All heads on again', () => this.#set({ off: [] }));
  readonly #note = make('p', { class: 'note', id: 'reading-note' });
  readonly #progress = make('progress', { hidden: true, max: 1, 'aria-label': 'Loading the model' });
  readonly #announced = make('p', { class: 'visually-hidden', role: 'status' });
  readonly #unknown = make('p', { class: 'note unknown-note', role: 'status' });
  readonly #alert = make('div', { class: 'message', role: 'alert' });
  readonly #switches: Switches;
  readonly #now = make('p', { class: 'now', hidden: true });
  #reading: Reading | null = null;
  #model: Model | null = null;
  #extras = new AbortController();
  #timer: number | undefined;
  #hasShown = false;
  readonly #beams = slider({
    label: 'Beams',
    value: 1,
    min: 1,
    max: 5,
    step: 1,
    onChange: (beams) => this.#set({ beams }),
  });

  constructor(root: HTMLElement, page: Page) {
    this.#page = page;
    this.#sentences = new Sentences(page.selection);
    this.#loom = new Loom({
      onEnglish: (token) => {
        page.selection.setSetting('stage', 'swap', `${token}`);
        void this.#colourChips(this.#extras.signal).catch(() => undefined);
      },
      onFrench: (word) => page.selection.set({ word }),
    });
    this.#candidates = new Candidates(({ id }, place) => {
      const before = this.#reading?.ids.slice(1, place + 1) ?? [];
      page.selection.set({ prefix: [...before, id], word: place });
    });
    this.#chips = new Chips((sentence) => {
      const { text } = page.selection.current;
      this.#field.value = text.replace(this.#reading?.text ?? text, sentence);
      this.#submit();
    });
    this.#switches = new Switches(page.selection);
    root.append(this.#layout());
    find('.bar-inside').append(this.#now);
    this.#field.value = page.selection.current.text;
    this.#field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#submit(), pause);
    });
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    onSightChange(this.#loom.element, (isInSight) => {
      this.#now.hidden = isInSight;
    });
  }

  showLoading({ loaded, total }: Loading): void {
    this.#progress.hidden = false;
    if (total) this.#progress.value = loaded / total;
    else this.#progress.removeAttribute('value');
    const share = total ? ` of ${megabytes(total)} MB, ${Math.round((loaded / total) * 100)} %` : ' MB';
    this.#note.textContent = `Loading the model: ${megabytes(loaded)}${share}`;
  }

  showReady({ engine, model }: Session): void {
    this.#model = model;
    this.#progress.hidden = true;
    this.#alert.replaceChildren();
    const { threads } = engine.info;
    const facts = [
      `${megabytes(model.info.bytes)} MB`,
      `${threads} thread${threads > 1 ? 's' : ''}`,
      'nothing leaves this tab',
    ];
    find('.bar .facts').textContent = facts.join(' · ');
  }

  /** Further translations are this model's. */
  use(model: Model): void {
    this.#model = model;
  }

  showError({ text, detail }: Message, retry: () => void): void {
    this.#progress.hidden = true;
    this.#note.textContent = '';
    const details = make('details', {}, make('summary', {}, 'Details'), make('p', {}, detail));
    this.#alert.replaceChildren(make('p', {}, text), details, action('Try again', retry));
  }

  /** Shows a new reading, or why there is none. */
  show(reading: Reading | null, outcome: Outcome): void {
    this.#extras.abort();
    this.#extras = new AbortController();
    this.#reading = reading;
    if (this.#model) this.#alert.replaceChildren();
    this.#note.textContent = noteOf(reading, outcome, this.#note.textContent ?? '');
    if (outcome.kind === 'failed')
      this.#alert.replaceChildren(make('p', {}, translateMessage(outcome.error).text));
    this.#loom.show(reading, { isWritten: !this.#hasShown && reading !== null });
    this.#hasShown ||= reading !== null;
    this.#showUnknown(reading?.unknownWords ?? []);
    this.#showNBest(reading);
    const text = reading?.written.filter(({ isSpecial }) => !isSpecial).length ? reading.translation : '';
    if (this.#announced.textContent !== text && !reading?.isBuiltIn) this.#announced.textContent = text;
    this.#switches.show(reading);
    this.select();
    void this.#addExtras(reading, this.#extras.signal);
  }

  /** Shows the selection. */
  select(): void {
    const { selection } = this.#page;
    const { text, beams, prefix, off } = selection.current;
    if (document.activeElement !== this.#field && this.#field.value !== text) this.#field.value = text;
    this.#beams.set(beams);
    this.#reset.hidden = prefix.length === 0;
    this.#allOn.hidden = off.length === 0;
    this.#switches.select();
    const reading = this.#reading;
    this.#chips.show(reading, reading?.source[this.#swapIndex(reading)]);
    if (!reading) {
      this.#candidates.show(null, 0);
      this.#spoken.replaceChildren();
      this.#now.replaceChildren();
      return;
    }
    const chosen = chosenWord(reading, selection.current.word);
    this.#loom.select(selection.current, chosen);
    this.#candidates.show(reading, chosen);
    this.#spoken.replaceChildren(...sentenceOf(reading, selection.current, chosen));
    const word = reading.written[chosen]?.label ?? '';
    this.#now.replaceChildren(make('span', { lang: 'fr' }, reading.translation), ' · ', make('b', {}, word));
  }

  /** Where the visitor writes, with the examples above. */
  #fieldset(): HTMLElement {
    const honesty = make(
      'p',
      { id: 'honesty', class: 'note' },
      'It was trained on simple sentences of everyday words and knows nothing else. Beyond that it can be wrong and look right: French words that it was less than 80 % sure of are underlined.',
    );
    const list = make(
      'select',
      { 'aria-label': 'Examples' },
      make('option', { value: '' }, 'Examples'),
      ...examples.map((text) => make('option', { value: text }, text)),
    );
    list.addEventListener('change', () => {
      if (list.value === '') return;
      this.#field.value = list.value;
      list.value = '';
      this.#submit();
    });
    const label = make('label', { for: 'source' }, 'English: type, or swap a word');
    const head = make('div', { class: 'field-head' }, label, list);
    return make('div', { class: 'field' }, head, this.#field, honesty, this.#unknown);
  }

  #layout(): HTMLElement {
    return make(
      'div',
      { class: 'stage-grid' },
      make(
        'div',
        { class: 'weaving' },
        this.#fieldset(),
        this.#alert,
        this.#sentences.element,
        this.#chips.element,
        this.#loom.element,
        this.#spoken,
        make('div', { class: 'below' }, this.#candidates.element, this.#nBest),
        make('div', { class: 'controls' }, this.#beams.element, this.#reset, this.#allOn),
        this.#progress,
        this.#note,
        this.#announced,
      ),
      this.#switches.element,
    );
  }

  #set(change: Partial<Selection>): void {
    this.#page.selection.set(change);
  }

  #submit(): void {
    clearTimeout(this.#timer);
    const text = this.#field.value.trim();
    this.#set({ text, sentence: 0, word: null, prefix: [] });
  }

  #showUnknown(words: readonly string[]): void {
    const names = [...new Set(words)].flatMap((word, i) => [i === 0 ? '' : ', ', make('b', {}, word)]);
    this.#unknown.replaceChildren(...(names.length > 0 ? ['Not in its vocabulary: ', ...names] : []));
  }

  #showNBest(reading: Reading | null): void {
    const all = reading && reading.nBest.length > 1 ? reading.nBest : [];
    this.#nBest.hidden = all.length === 0;
    this.#nBest.replaceChildren(
      ...all.map(({ text, probability }) =>
        make('li', {}, make('span', { lang: 'fr' }, text), ' ', make('small', {}, percent(probability))),
      ),
    );
  }

  /** What takes further translations: the chips' colours, the other sentences, the decisive heads. */
  async #addExtras(reading: Reading | null, signal: AbortSignal): Promise<void> {
    const model = this.#model;
    // Only a model that translates can be asked for more translations.
    if (!model || !reading?.maps.cross) {
      this.#sentences.hide();
      return;
    }
    try {
      await this.#sentences.show(model, signal);
      await this.#colourChips(signal);
      await this.#switches.outline(model, reading, signal);
    } catch (error) {
      // A newer reading or model has its own; anything else is reported where the sentence itself is read.
      if (!signal.aborted && model === this.#model) console.warn(error);
    }
  }

  /** The index of the token in whose place other words are offered. */
  #swapIndex(reading: Reading): number {
    const given = Number(this.#page.selection.setting('stage', 'swap', '-1'));
    const token = reading.source[given];
    return token && groupOf(token).length > 0 ? given : swappable(reading.source);
  }

  async #colourChips(signal: AbortSignal): Promise<void> {
    const [reading, model] = [this.#reading, this.#model];
    const token = reading?.source[this.#swapIndex(reading)];
    if (reading && model && token) await this.#chips.colour(model, reading, token, signal);
  }
}
