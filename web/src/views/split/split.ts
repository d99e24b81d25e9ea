/** Many heads as one picture: the query is split, each head looks, the answers are joined, and W_O mixes them. */

import { listed } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import './split.css';
import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { chosenWord, type Reading } from '../../reading/reading.js';
import { percent, tokenText } from '../../reading/tokens.js';
import { headName } from '../../selection/heads.js';
import { claimOf, type HeadLook, joinedOf, linksOf, mixOf } from './compute.js';
import { bars, fans, firstFigures, limitOf, lines, step, strip } from './draw.js';
import { type Found, findLooks, mixer } from './trace.js';

/** How many of W_O's ways are drawn. */
const drawn = 140;

export class Split {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #switches = make('div', { class: 'choice', role: 'group', 'aria-label': words.split.heads });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.controls.append(this.#switches);
    frame.code(code);
  }

  async draw({ reading, selection, signal }: State): Promise<void> {
    const model = await this.#page.model();
    const found = await findLooks(model, reading, selection);
    const mix = this.#page.isVisitors() ? null : await mixer(found.kind, found.layer);
    if (signal.aborted) return;
    const joined = joinedOf(found.looks);
    const mixed = mix && { ...mix, values: mixOf(joined, mix.weight, mix.bias) };
    this.#showSwitches(found);
    this.#frame.claim(claimOf(found.looks.length));
    this.#lead(found);
    this.#frame.figure.replaceChildren(drawAll(found, joined, mixed));
    this.#say(reading, found, chosenWord(reading, selection.word));
    this.#frame.table(() => ({
      caption: words.split.table(found.word.label),
      columns: found.keys,
      rows: found.looks.map(({ weights, isOff }, head) => ({
        name: (isOff ? words.split.headOff : words.split.head)(head + 1),
        values: Array.from(weights, percent),
      })),
    }));
  }

  #lead({ word, looks, query }: Found): void {
    const size = looks[0]?.query.length ?? 0;
    const name = tokenText({ ...word, isUnknown: false, language: 'fr' });
    this.#frame.lead(...filled(words.split.lead(query.length, looks.length, size), { word: name }));
  }

  /** On or off: everything below is computed without what is off. */
  #showSwitches({ kind, layer, looks }: Found): void {
    const { selection } = this.#page;
    const focused = [...this.#switches.querySelectorAll('button')].indexOf(
      document.activeElement as HTMLButtonElement,
    );
    const buttons = looks.map(({ isOff }, head) => {
      const button = make(
        'button',
        { type: 'button', 'aria-pressed': `${!isOff}` },
        words.split.head(head + 1),
      );
      button.addEventListener('click', () => {
        const name = headName({ kind, layer, head });
        const { off } = selection.current;
        selection.set({ off: isOff ? off.filter((one) => one !== name) : [...off, name], prefix: [] });
      });
      return button;
    });
    this.#switches.replaceChildren(make('span', { class: 'name' }, words.split.on), ...buttons);
    buttons[focused]?.focus({ preventScroll: true });
  }

  #say(reading: Reading, { looks, kind, word: { label } }: Found, word: number): void {
    const off = looks.flatMap(({ isOff }, head) => (isOff ? [`${head + 1}`] : []));
    const token = reading.written[word];
    const how = off.length === 0 ? words.split.withAll : words.split.without(listed(off), off.length);
    this.#frame.say(
      ...(token && kind !== 'encoder'
        ? filled(words.split.writes(how), {
            word: tokenText(token),
            share: percent(token.probability),
          })
        : filled(words.split.looks(how), { word: make('b', {}, label) })),
    );
  }
}

type Mixed = Awaited<ReturnType<typeof mixer>> & { readonly values: Float32Array };

function drawAll(found: Found, joined: Float32Array, mixed: Mixed | null): HTMLElement {
  const { looks, keys } = found;
  const [size, width] = [looks[0]?.query.length ?? 0, found.query.length];
  const parts = `${looks.length} × ${size}`;
  return make(
    'div',
    { class: 'split' },
    step(1, { name: words.split.names.split, note: `${width} → ${parts}` }, ...drawSplit(found)),
    step(
      2,
      { name: words.split.names.look, note: words.split.notes.look },
      heads(looks, (look, head) => bars(look, keys, head)),
    ),
    step(3, { name: words.split.names.join, note: `${parts} → ${width}` }, ...drawJoin(looks, joined)),
    step(4, { name: words.split.names.mix, note: words.split.notes.mix }, ...drawMix(joined, mixed)),
  );
}

/** One figure for each head; of one that is off, a ghost. */
const heads = (looks: readonly HeadLook[], draw: (look: HeadLook, head: number) => HTMLElement) =>
  make(
    'div',
    { class: 'split-heads' },
    ...looks.map((look, head) => {
      const element = draw(look, head);
      element.classList.toggle('ghost', look.isOff);
      return element;
    }),
  );

const whole = (values: Float32Array, name: string, limit: number) =>
  make(
    'div',
    { class: 'split-whole' },
    strip(values, `${name}${words.marks.colon}${firstFigures(values)}`, limit),
  );

/** With a mark at a head that was taught where to look. */
const nameOf = ({ query }: HeadLook, head: number, isTaught: boolean) =>
  words.split.headWidth(head + 1, query.length) + (isTaught ? ` · ${words.stage.taughtHead}` : '');

const caption = (text: string) => make('p', { class: 'split-caption' }, text);

function drawSplit({ query, looks, taught }: Found): Element[] {
  const limit = limitOf(query);
  const part = (look: HeadLook, head: number) =>
    make(
      'div',
      {},
      make('span', { class: 'split-title' }, nameOf(look, head, taught === head)),
      strip(look.query, words.split.queryOf(head + 1, firstFigures(look.query)), limit),
    );
  return [
    caption(words.split.queryNote(query.length)),
    whole(query, words.split.query, limit),
    fans(looks, false),
    heads(looks, part),
  ];
}

function drawJoin(looks: readonly HeadLook[], joined: Float32Array): Element[] {
  const limit = limitOf(Float32Array.from(looks.flatMap(({ answer }) => [...answer])));
  const answer = (look: HeadLook, head: number) =>
    strip(look.answer, words.split.foundBy(head + 1, firstFigures(look.answer)), limit);
  return [heads(looks, answer), fans(looks, true), whole(joined, words.split.allAnswers, limit)];
}

function drawMix(joined: Float32Array, mixed: Mixed | null): Element[] {
  if (!mixed) return [caption(words.split.mixOfOurs)];
  const { weight, values } = mixed;
  const name = make(
    'span',
    { class: 'mixer-name' },
    make('b', {}, 'W', make('sub', {}, 'O')),
    ` ${weight.rows} × ${weight.columns}`,
  );
  return [
    make('div', { class: 'mixer' }, lines(linksOf(joined, weight, drawn), joined.length), name),
    whole(values, words.split.gets, limitOf(values)),
    caption(words.split.getsNumbers(values.length, firstFigures(values))),
  ];
}

const code: CodeSample = {
  ours: `const { trace } = await model.forward(
  { inputIds: [ids], decoderInputIds: [written] },
  { trace: ['decoder.layers.1.cross.queries', 'decoder.layers.1.cross.values', 'decoder.layers.1.cross.weights'],
    heads: { 'decoder.layers.1.cross.3': 0 } },   // head 4 off
);`,
  pytorch: `q = (x @ W_q).view(time, heads, d_model // heads).transpose(0, 1)     # split
answers = F.scaled_dot_product_attention(q, k, v)                     # look
joined = answers.transpose(0, 1).reshape(time, d_model)               # join
out = joined @ W_o.T + b_o                                            # mix`,
};
