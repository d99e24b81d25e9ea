/** A sentence that looks at itself: an arc from each word to those that it looks at. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './self_attention.css';
import { make } from '../../drawing/dom.js';
import { onWidthChange } from '../../drawing/width.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { rowOf } from '../../reading/looks.js';
import type { Reading } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import type { Look } from '../../selection/look.js';
import { type Ribbon, Ribbons } from '../../stage/ribbons.js';
import { arcPath } from '../../stage/shapes.js';
import { piecesOf } from '../../stage/spacing.js';
import { arcsOf, firstQuery, ownKind } from './compute.js';

const view = 'self-attention';
/** The height of the highest arc, and the width of an arc's end at a weight of 1, in pixels. */
const [highest, thickest] = [190, 30];
/** Narrower than this, the words stand one below the other, and the chosen word's arcs beside them. */
const narrow = 720;
/** How far an arc then stands out to the left, and the width of its end at a weight of 1. */
const [widest, thickestBeside] = [72, 22];

export class SelfAttention {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #ribbons = new Ribbons();
  readonly #words = make('div', { class: 'arc-words' });
  readonly #arcs: HTMLElement;
  #state: { readonly reading: Reading; readonly look: Look } | null = null;
  #buttons: HTMLButtonElement[] = [];
  #chosen = 0;
  #hovered: number | null = null;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    const inside = make('div', { class: 'arcs-inside' }, this.#ribbons.element, this.#words);
    this.#arcs = make(
      'div',
      { class: 'arcs', tabindex: 0, role: 'group', 'aria-label': words.selfAttention.label },
      inside,
    );
    frame.figure.append(this.#arcs);
    onWidthChange(this.#arcs, () => this.#draw());
    this.#words.addEventListener('pointerleave', () => this.#hover(null));
    frame.code(code);
  }

  draw({ reading, selection }: State): void {
    const { look } = selection;
    if (this.#state?.reading !== reading) this.#showWords(reading);
    this.#state = { reading, look };
    const set = Number(this.#page.selection.setting(view, 'word', '-1'));
    this.#chosen = this.#buttons[set] ? set : firstQuery(reading, look);
    this.#draw();
    this.#frame.table(() => tableOf(reading, look));
  }

  #showWords(reading: Reading): void {
    const tokens = reading.maps[ownKind(reading)]?.queries ?? [];
    const pieces = piecesOf(
      reading.text,
      tokens.map(({ label }) => label),
    );
    this.#buttons = tokens.map((token, i) => {
      const classes = [token.isSpecial && 'special', pieces[i]?.isGlued && 'glued'].filter(Boolean).join(' ');
      const button = make(
        'button',
        { type: 'button', class: classes },
        token.isSpecial ? token.label : (pieces[i]?.text ?? token.label),
      );
      button.addEventListener('pointerenter', () => this.#hover(i));
      button.addEventListener('click', () => this.#page.selection.setSetting(view, 'word', `${i}`));
      return button;
    });
    this.#words.replaceChildren(...groupsOf(this.#buttons));
    this.#hovered = null;
  }

  #hover(word: number | null): void {
    if (this.#hovered === word) return;
    this.#hovered = word;
    this.#draw();
  }

  #draw(): void {
    if (!this.#state) return;
    const { reading, look } = this.#state;
    const chosen = this.#hovered ?? this.#chosen;
    for (const [i, button] of this.#buttons.entries()) button.setAttribute('aria-pressed', `${i === chosen}`);
    const isNarrow = this.#arcs.clientWidth < narrow;
    this.#arcs.classList.toggle('beside', isNarrow);
    this.#showShares(rowOf(reading, { kind: ownKind(reading), look, query: chosen }));
    const places = this.#places(isNarrow);
    const [rise, thick] = isNarrow ? [widest, thickestBeside] : [highest, thickest];
    const ribbons = arcsOf(reading, look).flatMap(({ query, key, weight }): Ribbon[] => {
      const [near, far] = [places[query], places[key]];
      if (!near || !far || (isNarrow && query !== chosen)) return [];
      const path = arcPath(
        { from: { ...near, width: 1.5 }, to: { ...far, width: Math.max(1.5, thick * weight) } },
        rise,
      );
      return [{ name: `${query}.${key}`, path, look: query === chosen ? 'arc' : 'quiet' }];
    });
    // The chosen word's are drawn last, over the others.
    ribbons.sort((a, b) => Number(a.look === 'arc') - Number(b.look === 'arc'));
    this.#ribbons.show(ribbons, { top: 0, bottom: places[0]?.y ?? 0, discs: [] });
    this.#say(chosen);
  }

  /** Where arcs begin and end. Beside a column they are drawn lying: its x runs down, its y to the right. */
  #places(isNarrow: boolean): { readonly x: number; readonly y: number }[] {
    const { left: originLeft, top: originTop } = this.#words.getBoundingClientRect();
    const { offsetLeft, offsetTop } = this.#words;
    return this.#buttons.map((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      if (isNarrow)
        return { x: (top + bottom) / 2 - originTop + offsetTop, y: left - originLeft + offsetLeft - 6 };
      return { x: (left + right) / 2 - originLeft + offsetLeft, y: top - originTop + offsetTop - 2 };
    });
  }

  /** Beside the words of a column: how much each is looked at. */
  #showShares(row: ArrayLike<number> | null): void {
    for (const [i, button] of this.#buttons.entries()) {
      const weight = row?.[i] ?? 0;
      const bar = button.parentElement?.querySelector<HTMLElement>(`[data-key="${i}"]`);
      bar?.style.setProperty('--share', weight.toFixed(4));
      bar?.replaceChildren(row ? percent(weight) : '');
    }
  }

  #say(query: number): void {
    if (!this.#state) return;
    const { reading, look } = this.#state;
    const name = (i: number) => make('b', {}, this.#buttons[i]?.textContent ?? '');
    const row = rowOf(reading, { kind: ownKind(reading), look, query });
    if (!row) {
      this.#frame.say(words.selfAttention.lookIsOff);
      return;
    }
    const keys = [...row.keys()].sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0)).slice(0, 3);
    const looks = keys.flatMap((key, i) => [
      i === 0 ? '' : words.marks.comma,
      ...(key === query ? [words.selfAttention.itself] : [name(key)]),
      ` ${percent(row[key] ?? 0)}`,
    ]);
    this.#frame.say(
      ...filled(words.selfAttention.said(this.#buttons.length), {
        word: name(query),
        looks: make('span', {}, ...looks),
      }),
    );
  }
}

/** What touches stays together: "did" and "n't". */
function groupsOf(buttons: readonly HTMLButtonElement[]): HTMLElement[] {
  const groups: HTMLElement[] = [];
  for (const [i, button] of buttons.entries()) {
    const last = groups.at(-1);
    const share = make('span', { class: 'arc-share', 'aria-hidden': 'true', 'data-key': i });
    if (last && button.classList.contains('glued')) last.append(button, share);
    else groups.push(make('span', {}, button, share));
  }
  return groups;
}

function tableOf(reading: Reading, look: Look) {
  const { queries = [], keys = [] } = reading.maps[ownKind(reading)] ?? {};
  const of = (query: number) => rowOf(reading, { kind: ownKind(reading), look, query }) ?? [];
  return {
    caption: words.selfAttention.table,
    columns: keys.map(({ label }) => label),
    rows: queries.map(({ label }, query) => ({ name: label, values: Array.from(of(query), percent) })),
  };
}

const code: CodeSample = {
  ours: `const { encoderAttentions } = await model.translate(text, { outputAttentions: true });
const last = encoderAttentions.at(-1);   // [1, heads, words, words]: every row at once`,
  pytorch: `out = model.get_encoder()(**inputs, output_attentions=True)
last = out.attentions[-1]                # [1, heads, words, words]`,
};
