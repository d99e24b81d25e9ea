/** The first screen: a sentence, its translation, and where the model looked for each word. */

import type { Model } from 'transformer-wasm';
import { action } from '../drawing/controls.js';
import { find, make } from '../drawing/dom.js';
import { AgreementNumber } from '../page/agreement_number.js';
import type { Told } from '../page/chapters.js';
import { copyButton } from '../page/copy_button.js';
import { type Message, messageOf, shownMessage, translateMessage } from '../page/messages.js';
import type { Page } from '../page/view.js';
import { rowOf } from '../reading/looks.js';
import { needsOf } from '../reading/needs.js';
import { chosenWord, type Needs, type Reading } from '../reading/reading.js';
import type { Outcome } from '../reading/readings.js';
import type { Selection } from '../selection/selection.js';
import { words } from '../words/words.js';
import { Compare } from './compare.js';
import { Facts } from './facts.js';
import { Field } from './field.js';
import { LookSwitch } from './look_switch.js';
import { Loom } from './loom.js';
import { Offers } from './offers.js';
import { candidatesLine, needsSaid, rowSaid, sharesLine, stepsSaid } from './said.js';
import { Sentences } from './sentences.js';
import { chosenPlace, singleRowOf } from './single_row.js';
import { changesOf } from './swap.js';
import {
  durations,
  type Former,
  isStill,
  keepFormer,
  playSwap,
  reserveWidths,
  type Slots,
} from './swap_motion.js';

export class Stage {
  readonly facts = new Facts();
  readonly #page: Page;
  readonly #root: HTMLElement;
  readonly #loom: Loom;
  readonly #offers: Offers;
  readonly #field: Field;
  readonly #sentences: Sentences;
  readonly #look: LookSwitch;
  readonly #agreement = new AgreementNumber();
  readonly #claim = make('p', { class: 'claim' });
  /** On a phone, whose words stand in several lines: what the underlined ones are. */
  readonly #needsSaid = make('p', { class: 'needs-said below' });
  /** What the picture says, as it is saved with it. */
  readonly #said = make('div', { class: 'said' });
  readonly #shares = make('p', { class: 'shares' });
  readonly #again = action('', () => this.#playAgain());
  readonly #compare = new Compare();
  readonly #reset = action(words.stage.ownWords, () => this.#page.selection.set({ prefix: [] }));
  readonly #allOn = action(words.stage.allHeadsOn, () => this.#page.selection.set({ off: [] }));
  readonly #announced = make('p', { class: 'visually-hidden', role: 'status', lang: 'fr' });
  readonly #unknown = make('p', { class: 'note unknown-note', role: 'status' });
  readonly #alert = make('div', { class: 'message', role: 'alert' });
  #reading: Reading | null = null;
  #former: Reading | null = null;
  #needs: Needs | null = null;
  #model: Model | null = null;
  #extras = new AbortController();
  #duration: number = durations.byHand;

  constructor(root: HTMLElement, page: Page) {
    this.#page = page;
    this.#root = root;
    const { selection } = page;
    this.#sentences = new Sentences(selection);
    this.#field = new Field(selection);
    this.#look = new LookSwitch(selection);
    this.#loom = new Loom({
      onEnglish: (token) => {
        this.#offers.offer(token);
        void this.#colourChips(this.#extras.signal).catch(() => undefined);
      },
      onFrench: (word) => selection.set({ word }),
    });
    this.#offers = new Offers(selection, this.#loom, (place) => this.#field.open(place));
    this.#field.onClosed = () => this.#loom.english.querySelector<HTMLElement>('.anchor')?.focus();
    this.facts.onChange = () => this.#offers.openIn(find('.bar'));
    this.#offers.more.append(
      copyButton(words.page.copyLink, () => location.href),
      action(words.stage.savePicture, () => {
        this.#savePicture().catch((error: unknown) => {
          this.#alert.replaceChildren(...shownMessage(messageOf(error)));
        });
      }),
    );
    this.#loom.english.parentElement?.append(this.#field.element);
    this.#layout();
  }

  /** The next swap is the opening's, which takes its time. */
  playSlowly(): void {
    this.#duration = durations.opening;
  }

  /** The way into the story: its first question, at the foot of the first screen. */
  ask({ question, views: [view] }: Told): void {
    this.#root.append(
      make(
        'a',
        { class: 'question', href: `#${view.id}` },
        question,
        make('span', { 'aria-hidden': 'true' }, '\u00a0\u00a0↓'),
      ),
    );
  }

  /** Further translations are this model's; what is shown of another one goes. */
  use(model: Model): void {
    if (this.#model && this.#model !== model) this.#clear();
    this.#model = model;
    this.#alert.replaceChildren();
    const isOwn = this.#page.isVisitors();
    find('#stage-title').replaceChildren(
      ...(isOwn
        ? [words.stage.whichWords]
        : [make('span', {}, words.html.first), ' ', make('br'), make('span', {}, words.html.second)]),
    );
    this.#root.classList.toggle('own-model', isOwn);
  }

  #clear(): void {
    this.#extras.abort();
    this.#former = null;
    this.#needs = null;
    this.#reading = null;
    this.#loom.show(null, { isWritten: false });
    this.#sentences.hide();
    this.#showUnknown([]);
    this.select();
  }

  showError(message: Message, retry: () => void): void {
    this.facts.fail();
    this.#alert.replaceChildren(...shownMessage(message), action(words.stage.tryAgain, retry));
  }

  /** Shows a new reading, or why there is none. */
  show(reading: Reading | null, outcome: Outcome): void {
    this.#extras.abort();
    this.#extras = new AbortController();
    const before = this.#reading;
    if (this.#model) this.#alert.replaceChildren();
    this.facts.showOutcome(reading, outcome);
    if (outcome.kind === 'failed')
      this.#alert.replaceChildren(make('p', {}, translateMessage(outcome.error).text));
    this.#needs = reading?.needs ?? (before && reading && isSameText(before, reading) ? this.#needs : null);
    this.#showWords(reading, before);
    if (outcome.kind === 'empty') this.#claim.textContent = words.stage.typeSentence;
    this.#showUnknown(reading?.unknownWords ?? []);
    const text = reading?.written.some(({ isSpecial }) => !isSpecial) ? reading.translation : '';
    if (this.#announced.textContent !== text && !reading?.isBuiltIn) this.#announced.textContent = text;
    void this.#addExtras(reading, this.#extras.signal);
  }

  /** Shows the selection. */
  select(): void {
    const { current } = this.#page.selection;
    this.#field.show(current.text);
    this.#reset.hidden = current.prefix.length === 0;
    this.#allOn.hidden = current.off.length === 0;
    const reading = this.#reading;
    this.#look.show(reading, current.look);
    this.#again.hidden = !this.#former;
    this.#again.replaceChildren(
      ...(isStill()
        ? [words.stage.compare]
        : [make('span', { 'aria-hidden': 'true' }, '▶  '), words.stage.playAgain]),
    );
    this.#compare.update(this.#former, current);
    this.#offers.show(reading, this.#request());
    this.#agreement.element.hidden = !reading?.maps.cross;
    this.#root.classList.toggle('unread', !reading);
    if (!reading) {
      for (const element of [this.#claim, this.#shares, this.#needsSaid]) element.replaceChildren();
      return;
    }
    if (singleRowOf(reading)) {
      this.#selectInRow(reading, current);
      return;
    }
    const word = chosenWord(reading, current.word);
    const needs = this.#needs;
    this.#loom.select({ look: current.look, chosen: word, needs });
    this.#claim.replaceChildren(...stepsSaid(reading, { look: current.look, needs, word }));
    this.#needsSaid.replaceChildren(...needsSaid(reading, needs, word));
    this.#shares.replaceChildren(...sharesLine(reading, word));
    const row = rowOf(reading, { kind: 'cross', look: current.look, query: word });
    this.#agreement.show(row, needs?.[word] ?? null);
    this.facts.showWord(reading, word);
  }

  /** A model with one stack: its tokens stand in one row. */
  #selectInRow(reading: Reading, { look, word }: Selection): void {
    const place = chosenPlace(reading, word);
    this.#loom.select({ look, chosen: place, needs: null });
    this.#claim.replaceChildren(...rowSaid(reading, place));
    this.#needsSaid.replaceChildren();
    this.#shares.replaceChildren(...candidatesLine(reading, place - 1));
    this.facts.showWord(reading, Math.max(0, place - 1));
  }

  /** @param before what was shown: a swap of a word in it is moved */
  #showWords(reading: Reading | null, before: Reading | null): void {
    const changes = before && reading && this.#loom.isDrawn ? changesOf(before, reading) : null;
    const slots = this.#slots();
    const former: Former | null = changes && { changes, slots };
    this.#reading = reading;
    const isFirst = !before && !this.#loom.isDrawn && reading !== null;
    const reserve = former ? () => reserveWidths(former, this.#slots()) : undefined;
    if (before && reading && before.text !== reading.text) this.#former = changes ? before : null;
    this.#loom.show(reading, { isWritten: isFirst, ...(reserve && { reserve }) });
    if (former && !isStill()) playSwap(this.#root, former, this.#slots(), this.#duration);
    if (former && isStill()) keepFormer(former, this.#slots());
    this.#duration = durations.byHand;
    this.select();
  }

  #slots(): Slots {
    const of = (row: HTMLElement) => [...row.children] as HTMLElement[];
    return { english: of(this.#loom.english), french: of(this.#loom.french) };
  }

  /** Goes back one swap and plays it. */
  #playAgain(): void {
    const [former, reading] = [this.#former, this.#reading];
    if (!former || !reading) return;
    if (isStill()) {
      this.#compare.toggle(former, this.#page.selection.current);
      return;
    }
    const needs = this.#needs;
    this.#needs = former.needs ?? null;
    this.#reading = null;
    this.#showWords(former, null);
    this.#needs = needs;
    this.#former = former;
    this.#duration = durations.opening;
    setTimeout(() => this.#reading === former && this.#showWords(reading, former), 500);
  }

  #layout(): void {
    this.#said.append(this.#claim, this.#needsSaid, this.#shares, this.#unknown);
    const actions = make('div', { class: 'stage-actions' }, this.#again, this.#reset, this.#allOn);
    const controls = make(
      'div',
      { class: 'stage-controls' },
      this.#look.element,
      this.#agreement.element,
      actions,
    );
    this.#root.append(
      this.#alert,
      this.#sentences.element,
      this.#compare.element,
      make('div', { class: 'loom-frame' }, this.#loom.element, this.#offers.element),
      make('div', { class: 'stage-below' }, this.#said, controls),
      this.#announced,
    );
  }

  async #savePicture(): Promise<void> {
    const { savePicture } = await import('./picture.js');
    await savePicture(this.#loom.element, this.#claim);
  }

  #showUnknown(unknown: readonly string[]): void {
    const names = [...new Set(unknown)].flatMap((word, i) => [
      i === 0 ? '' : words.marks.comma,
      make('b', {}, word),
    ]);
    this.#unknown.replaceChildren(...(names.length > 0 ? [words.stage.notInVocabulary, ...names] : []));
  }

  #request(signal?: AbortSignal) {
    const { off, prefix, beams } = this.#page.selection.current;
    return { off, prefix, beams, ...(signal && { signal }) };
  }

  async #colourChips(signal: AbortSignal): Promise<void> {
    if (this.#model) await this.#offers.colour(this.#model, this.#request(signal));
  }

  /** What takes further passes: what each word needed, the other sentences, the pronouns of the chips. */
  async #addExtras(reading: Reading | null, signal: AbortSignal): Promise<void> {
    const model = this.#model;
    // Only a model that translates can be asked for more translations.
    if (!model || !reading?.maps.cross) {
      this.#sentences.hide();
      return;
    }
    try {
      this.#needs = await needsOf(model, reading);
      if (signal.aborted) return;
      this.select();
      await this.#sentences.show(model, signal);
      await this.#colourChips(signal);
    } catch (error) {
      // A newer reading or model has its own; anything else is reported where the sentence itself is read.
      if (!signal.aborted && model === this.#model) console.warn(error);
    }
  }
}

const isSameText = (a: Reading, b: Reading) =>
  a.text === b.text && a.ids.join() === b.ids.join() && a.off.join() === b.off.join();
