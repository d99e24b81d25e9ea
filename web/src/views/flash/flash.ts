/** FlashAttention: one row of scores goes by in tiles, and a running maximum, a sum and a factor make a softmax of it. */

import { filled } from '../../drawing/filled.js';
import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import './flash.css';
import { centre } from '../../drawing/centred.js';
import { action, choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { figures } from '../../reading/figures.js';
import { type Inputs, ofSentence } from '../../reading/inputs.js';
import { differenceOf, memoryOf, scoresOf, streamOf, type TileStep } from './compute.js';
import { drawStream } from './draw.js';

const view = 'flash';
/** How long a tile stands while it plays, in milliseconds. */
const stands = 1200;

export class Flash {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #figure = make('div', { class: 'flash' });
  readonly #play = action(words.flash.play, () => (this.#timer ? this.#stop() : this.#start()));
  readonly #back = action(words.flash.tileBefore, () => this.#step(-1));
  readonly #next = action(words.flash.nextTile, () => this.#step(1));
  readonly #size = choice({
    label: words.flash.wordsInTile,
    options: { 2: '2', 4: '4', 8: '8' },
    value: '4',
    onChange: (value) => this.#page.selection.setSetting(view, 'tile', value === '4' ? null : value),
  });
  #timer: ReturnType<typeof setInterval> | undefined;
  /** How many tiles have been read. */
  #read = 0;
  #steps: readonly TileStep[] = [];
  #inputs: Inputs | null = null;
  #scores: readonly number[] = [];

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.controls.append(this.#play, this.#back, this.#next, this.#size.element);
    frame.figure.append(this.#figure);
    frame.code(code);
  }

  async draw({ reading, selection, signal }: State): Promise<void> {
    const inputs = await ofSentence(await this.#page.model(), reading, selection);
    if (signal.aborted) return;
    const tile = Math.max(1, Number(this.#page.selection.setting(view, 'tile', '4')) || 4);
    this.#size.set(`${tile}`);
    const rows = (tensor: Inputs['keys']) => ({ data: tensor.data, width: tensor.shape[1] ?? 1 });
    const width = inputs.queries.shape[1] ?? 1;
    const query = inputs.queries.data.subarray(inputs.query * width, (inputs.query + 1) * width);
    const all = scoresOf(query, rows(inputs.keys));
    // What a causal mask hides is never read.
    this.#scores = inputs.isCausal ? all.slice(0, inputs.query + 1) : all;
    this.#inputs = inputs;
    this.#steps = streamOf(this.#scores, rows(inputs.values), tile);
    const set =
      Number(this.#page.selection.setting(view, 'read', `${this.#steps.length}`)) || this.#steps.length;
    this.#show(Math.min(set, this.#steps.length));
    this.#frame.ghost(inputs.isOff ?? false);
    this.#frame.table(() => ({
      caption: words.flash.table(inputs.title),
      columns: [words.flash.columns.maximum, words.flash.columns.factor, words.flash.columns.sum],
      rows: this.#steps.map(({ from, to, max, factor, sum }) => ({
        name: inputs.keyNames.slice(from, to).join(' '),
        values: [max, factor, sum].map(figures),
      })),
    }));
  }

  #show(read: number): void {
    const inputs = this.#inputs;
    const last = this.#steps[read - 1];
    if (!inputs || !last) return;
    this.#read = read;
    this.#back.disabled = read <= 1;
    this.#next.disabled = read >= this.#steps.length;
    this.#figure.replaceChildren(
      ...drawStream({ steps: this.#steps, scores: this.#scores, names: inputs.keyNames, read }),
    );
    const isEnd = read === this.#steps.length;
    this.#followTile(isEnd);
    this.#frame.say(...this.#sentence(last, isEnd));
  }

  /** On a narrow screen: the tile that is read, and at the end the one whose score is the largest. */
  #followTile(isEnd: boolean): void {
    const tiles = this.#figure.querySelector<HTMLElement>('.flash-tiles');
    const meant = [...this.#figure.querySelectorAll(isEnd ? '.flash-word.largest' : '.flash-tile.now')].at(
      -1,
    );
    if (tiles) centre(tiles, meant);
  }

  #sentence(last: TileStep, isEnd: boolean): (Node | string)[] {
    const inputs = this.#inputs;
    if (!inputs) return [];
    if (!isEnd) {
      if (last.from === 0) return [words.flash.first];
      if (last.factor === 1) return filled(words.flash.noLarger, { one: make('b', {}, '1') });
      return filled(words.flash.larger, { factor: make('b', {}, figures(last.factor)) });
    }
    const width = inputs.values.shape[1] ?? 1;
    const off = differenceOf(this.#scores, { data: inputs.values.data, width }, last);
    const { table, kept } = memoryOf(4096, width);
    return [
      off > 0 ? words.flash.sameTo(figures(off)) : words.flash.same,
      words.marks.gap,
      words.flash.memory(grouped(4096), grouped(table), grouped(kept)),
    ];
  }

  #step(by: number): void {
    this.#stop();
    this.#go(this.#read + by);
  }

  #go(read: number): void {
    this.#page.selection.setSetting(view, 'read', read === this.#steps.length ? null : `${read}`);
    this.#show(read);
  }

  #start(): void {
    this.#play.textContent = words.page.pause;
    if (this.#read === this.#steps.length) this.#go(1);
    this.#timer = setInterval(() => {
      if (this.#read >= this.#steps.length || !this.#figure.isConnected) this.#stop();
      else this.#go(this.#read + 1);
    }, stands);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#play.textContent = words.flash.play;
  }
}

const code: CodeSample = {
  ours: `let [m, sum, out] = [-Infinity, 0, new Float32Array(d)];
for (const { scores, values } of tiles) {
  const next = Math.max(m, ...scores);
  const factor = Math.exp(m - next);
  sum *= factor;
  out = out.map((x) => x * factor);
  scores.forEach((s, j) => {
    const e = Math.exp(s - next);
    sum += e;
    for (let i = 0; i < d; i++) out[i] += e * values[j][i];
  });
  m = next;
}
out.map((x) => x / sum);`,
  pytorch: `m, l, out = torch.tensor(-torch.inf), torch.tensor(0.0), torch.zeros(d)
for s, v in zip(scores.split(4), values.split(4)):
    new = torch.maximum(m, s.max())
    factor, e = torch.exp(m - new), torch.exp(s - new)
    l, out, m = l * factor + e.sum(), out * factor + e @ v, new
out / l                                   # == scores.softmax(-1) @ values`,
};
