/** The model of 2014 with its context cut to one vector: a funnel, what became of sentences by their length, and one's own. */

import { words } from '../../words/words.js';
import './bottleneck.css';
import { make } from '../../drawing/dom.js';
import { node } from '../../drawing/svg.js';
import { onWidthChange } from '../../drawing/width.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { passOf } from '../../reading/pass.js';
import type { Reading } from '../../reading/reading.js';
import { pronounOf } from '../../reading/swaps.js';
import { percent } from '../../reading/tokens.js';
import { isShipped, loadingText, readTrained, trainedModel } from '../../reading/trained.js';
import { type ByLength, differing, rangeText, sampleText, showsBottleneck } from './compute.js';
import { drawCurve } from './curve.js';

const narrow = 'en-fr-bottleneck';
const sister = 'en-fr-bahdanau';

/** Measured when the model was trained. */
const [table] = Object.values(
  import.meta.glob<ByLength>('./by_length.json', { eager: true, import: 'default' }),
);

export class Bottleneck {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #funnel = make('div', { class: 'funnel' });
  readonly #lines = make('div', { class: 'two-translations' });
  readonly #curve = make('div', { class: 'by-length' });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.figure.append(make('div', { class: 'bottleneck' }, this.#funnel, this.#curve), this.#lines);
    frame.code(code);
    if (!table) return;
    if (!showsBottleneck(table)) frame.claim(words.bottleneck.claimPlain);
    const measured = make('div');
    this.#curve.append(
      make('p', { class: 'note' }, words.bottleneck.curve),
      measured,
      make(
        'p',
        { class: 'note' },
        words.bottleneck.unseen(sampleText(table)),
        make('a', { href: `./models/${narrow}/`, target: '_top' }, words.bottleneck.howTrained),
      ),
    );
    onWidthChange(measured, (width) => measured.replaceChildren(drawCurve(table, width)));
    frame.table(() => tableOf(table));
  }

  async draw({ reading, signal }: State): Promise<void> {
    const engine = await this.#page.engine();
    const onBytes = (loaded: number, total: number | null) => this.#frame.say(loadingText(loaded, total));
    const own = await readTrained(engine, narrow, reading.text, { signal, onBytes });
    const looking = isShipped(sister)
      ? await readTrained(engine, sister, reading.text, { signal, onBytes })
      : null;
    const { trace } = await passOf(await trainedModel(engine, narrow), own, { trace: ['encoder.output'] });
    if (signal.aborted) return;
    const width = trace?.['encoder.output']?.shape.at(-1) ?? 0;
    this.#funnel.replaceChildren(...drawFunnel(own, width));
    this.#lines.replaceChildren(...linesOf(own, looking));
    const isSame = looking?.translation === own.translation;
    this.#frame.say(isSame ? words.bottleneck.whole : words.bottleneck.differs);
  }
}

function drawFunnel(own: Reading, width: number): Node[] {
  const svg = node('svg', {
    viewBox: '0 0 420 180',
    preserveAspectRatio: 'none',
    class: 'funnel-shape',
    'aria-hidden': 'true',
  });
  const half = (from: number, to: number) =>
    node('path', {
      d: `M0,${from} C10,${from + (to - from) * 0.6} 190,${from + (to - from) * 0.6} 200,${to} L220,${to} C230,${from + (to - from) * 0.6} 410,${from + (to - from) * 0.6} 420,${from} Z`,
    });
  svg.append(half(0, 66), half(180, 114));
  return [
    make('p', { lang: 'en' }, own.text),
    make(
      'div',
      { class: 'funnel-middle' },
      svg,
      make('span', { class: 'vector', 'aria-hidden': 'true' }),
      make('span', { class: 'note' }, words.bottleneck.numbers(width)),
    ),
    make('p', { lang: 'fr' }, own.translation),
  ];
}

function linesOf(own: Reading, looking: Reading | null): HTMLElement[] {
  const split = (text: string) => text.split(' ');
  const differ = differing(split(own.translation), split(looking?.translation ?? own.translation));
  const line = (name: string, kind: string, ...text: (Node | string)[]) =>
    make(
      'div',
      { class: `translation ${kind}` },
      make('span', { class: 'note' }, name),
      make('p', { lang: kind === 'english' ? 'en' : 'fr' }, ...text),
    );
  const marked = (text: string, isMarked: readonly boolean[]) =>
    split(text).flatMap((word, i) => [
      i === 0 ? '' : ' ',
      make('span', { class: isMarked[i] ? 'differs' : undefined }, ...colouredPronoun(word)),
    ]);
  return [
    line(words.bottleneck.english, 'english', own.text),
    ...(looking ? [line(words.bottleneck.looksBack, 'looks-back', ...marked(looking.translation, []))] : []),
    line(words.bottleneck.oneVector, 'one-vector', ...marked(own.translation, differ)),
  ];
}

/** "qu'elle", with the pronoun in its colour. */
function colouredPronoun(word: string): (Node | string)[] {
  const [, before = '', pronoun = ''] = /^(.*['’])?(\p{L}+)/u.exec(word) ?? [];
  const kind = pronounOf(pronoun);
  if (!kind) return [word];
  return [before, make('b', { class: kind }, pronoun), word.slice(before.length + pronoun.length)];
}

const tableOf = ({ lengths, attention, one_vector, sentences }: ByLength) => ({
  caption: words.bottleneck.table,
  columns: [words.bottleneck.looksBack, words.bottleneck.oneVector, words.bottleneck.sentences],
  rows: lengths.map((range, i) => ({
    name: rangeText(range),
    values: [percent(attention[i] ?? 0), percent(one_vector[i] ?? 0), sentences[i] ?? 0],
  })),
});

const code: CodeSample = {
  ours: `const narrow = await loadModel('models/en-fr-bottleneck');
const looking = await loadModel('models/en-fr-bahdanau');
(await narrow.translate(text)).text;    // the context is the same vector for every word
(await looking.translate(text)).text;   // a context for each word`,
  pytorch: `states, last = encoder(embedded)          # [batch, time, width], [batch, width]
context = last                            # one vector for the whole sentence
context = (weights @ states)              # or one for each word`,
};
