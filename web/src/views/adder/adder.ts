/** A transformer small enough to read: two numbers become a sum, and every number of the model is there to see and to change. */

import './adder.css';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { plainFigures } from '../../reading/figures.js';
import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { Column } from './column.js';
import { AdderControls, type Settings, settingsOf, view } from './controls.js';
import { Editor } from './editor.js';
import { Flow, symbolOf } from './flow.js';
import { countRight, look, type Step, stepOf, write } from './pass.js';
import { placesOf, saidOf } from './said.js';
import { added, promptOf, randomSums, type Sum, withOtherCarry } from './sums.js';
import { type Change, openTrained, openVariant, type Place, type Trained, type Variant } from './variant.js';
import { formatChanges, formatPlace } from './weights_text.js';

/** Sums that are tried after each change. */
const tried = 300;

interface Opened extends Variant {
  readonly key: string;
  readonly right: number;
}

export class Adder {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #controls: AdderControls;
  readonly #column: Column;
  readonly #share = make('p', { class: 'share-right', role: 'status' });
  readonly #editor = new Editor((place, value) => this.#change(place, value));
  readonly #flow: Flow;
  readonly #inside = make('div', { class: 'inside', hidden: true });
  #opened: Opened | null = null;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    const set = (name: string, value: string | null) => page.selection.setSetting(view, name, value);
    this.#controls = new AdderControls(set);
    this.#column = new Column((place) => set('place', `${place}`));
    this.#flow = new Flow((place) => set('chosen', formatPlace(place)));
    frame.controls.append(...this.#controls.elements);
    frame.figure.append(
      make('div', { class: 'sum' }, this.#controls.typed, this.#column.element, this.#share),
    );
    // Below the sentence about the step, which is to be in sight with it.
    this.#inside.append(this.#flow.element, this.#editor.element);
    frame.figure.closest('figure')?.after(this.#inside);
    frame.code(code);
  }

  async draw({ signal }: State): Promise<void> {
    const settings = settingsOf(this.#page.selection);
    this.#controls.show(settings);
    const [engine, trained] = [await this.#page.engine(), await openTrained()];
    const opened = await this.#open(settings);
    if (signal.aborted) return;
    const { sum, place } = settings;
    const written = await write(opened.model, sum);
    const step = await stepOf(engine, opened, written, place);
    const other = await this.#withOtherCarry(opened, sum, place);
    if (signal.aborted) return;
    const where = placesOf();
    this.#column.show({ sum, digits: written.digits, place, weights: looksOf(step, settings.head) });
    this.#share.style.setProperty('--share', `${opened.right / tried}`);
    this.#share.textContent = words.adder.right(grouped(opened.right), grouped(tried));
    this.#inside.hidden = false;
    this.#flow.show({ step, weights: opened.weights, trained, chosen: settings.chosen, other, where });
    this.#edit(settings, opened, trained);
    this.#frame.say(...saidOf({ sum, place, digits: written.digits, step, where }));
    this.#frame.table(() => tableOf(step));
  }

  /** The model with these changes, made anew only where they are others. */
  async #open({ base, bits, weights }: Settings): Promise<Opened> {
    const key = JSON.stringify([base, bits, weights]);
    if (this.#opened?.key === key) return this.#opened;
    const variant = await openVariant(await this.#page.engine(), { base, bits, weights });
    const right = await countRight(variant.model, randomSums(tried)).catch(async (error: unknown) => {
      await variant.model.dispose();
      throw error;
    });
    const before = this.#opened;
    this.#opened = { ...variant, key, right };
    await before?.model.dispose();
    return this.#opened;
  }

  /** The states of this step if the place before did the opposite; what it reads otherwise is the right sum. */
  async #withOtherCarry(opened: Opened, sum: Sum, place: number): Promise<Step | null> {
    const other = withOtherCarry(sum, place);
    if (!other) return null;
    const ids = [...promptOf(other), ...added(other).digits.slice(0, -1)];
    const seen = await look(opened.model, ids);
    return stepOf(await this.#page.engine(), opened, { ids, ...seen }, place);
  }

  #edit({ chosen }: Settings, { weights }: Opened, trained: Trained): void {
    const at = (all: Opened['weights']) => {
      const weight = chosen && all.get(chosen.name);
      return weight?.data[chosen ? chosen.row * weight.columns + chosen.column : -1];
    };
    const [value, before] = [at(weights), at(trained.weights)];
    const isThere = chosen && value !== undefined && before !== undefined;
    this.#editor.show(
      isThere ? { place: chosen, symbol: symbolOf(chosen.name), value, trained: before } : null,
    );
  }

  /** @param value `null`: as it was trained */
  #change(place: Place, value: number | null): void {
    const { weights } = settingsOf(this.#page.selection);
    const others = weights.filter((one) => formatPlace(one) !== formatPlace(place));
    const changes: readonly Change[] = value === null ? others : [...others, { ...place, value }];
    this.#page.selection.setSetting(view, 'w', changes.length > 0 ? formatChanges(changes) : null);
  }
}

/** The weights of one head, or the mean of both. */
function looksOf({ looks }: Step, head: Settings['head']): ArrayLike<number> {
  const one = looks[head === 'second' ? 1 : 0];
  if (head !== 'both' && one) return one;
  const mean = (token: number) =>
    looks.reduce((sum, weights) => sum + (weights[token] ?? 0), 0) / looks.length;
  return Array.from(looks[0] ?? [], (_, token) => mean(token));
}

const tableOf = (step: Step): NumberTable => {
  const rows: readonly (readonly [string, Float32Array])[] = [
    ['x', step.embedded],
    ['h', step.attended],
    ['h′', step.output],
    ['logits', step.logits],
  ];
  const columns = Array.from({ length: step.logits.length }, (_, i) => `${i + 1}`);
  return {
    caption: words.adder.table,
    columns,
    rows: rows.map(([name, numbers]) => ({
      name,
      values: columns.map((_, i) => (i < numbers.length ? plainFigures(numbers[i] ?? 0) : '')),
    })),
  };
};

const code: CodeSample = {
  ours: `const adder = await loadModel('./models/adder');
const prompt = [...a, 10, ...b, 11];   // eleven digits each, the lowest first; 10 is +, 11 is =
const { sequences } = await adder.generate(prompt, { maxNewTokens: 11, doSample: false });
const { trace } = await adder.forward({ inputIds: [prompt] }, { trace: ['decoder.layers.0.self_attn.*'] });`,
  pytorch: `adder = AutoModelForCausalLM.from_pretrained('adder')   # a Qwen3 of 278 numbers
out = adder.generate(torch.tensor([[*a, 10, *b, 11]]), max_new_tokens=11, do_sample=False)
adder(out[:, :-1], output_attentions=True).attentions[0]`,
};
