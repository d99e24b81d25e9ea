/** One token's way through the layers: what each step adds, and what the decoder would say after each layer. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './layers.css';
import { choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import { frenchWord } from '../../page/french_word.js';
import type { Page, State } from '../../page/view.js';
import { figures, plainFigures } from '../../reading/figures.js';
import { percent } from '../../reading/tokens.js';
import { largestMove, stackOf, tokenIn } from './compute.js';
import { lengthsByDepth, unknownLengths } from './depth.js';
import { boxOf, drawDepths } from './draw.js';
import { Likeness } from './likeness.js';
import { expectedWay, type LayerWay, type Stack, wayOf } from './way.js';

const view = 'layers';

export class Layers {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #side = choice({
    label: words.layers.wayOf,
    options: { decoder: words.layers.frenchWord, encoder: words.layers.englishWord },
    value: 'decoder',
    onChange: (value) => this.#page.selection.setSetting(view, 'stack', value === 'decoder' ? null : value),
  });
  readonly #likeness = new Likeness();
  readonly #way = make('div', { class: 'way' });
  readonly #depths = make('div', { class: 'depths' });
  #areDepthsKnown = false;
  /** Which boxes the visitor has closed, by their names. */
  readonly #closed = new Set<string>();

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.code(code);
    frame.controls.append(this.#side.element);
    frame.figure.append(
      this.#likeness.element,
      make('details', { class: 'fold' }, make('summary', {}, words.layers.everyStep), this.#way),
      make('details', { class: 'fold' }, make('summary', {}, words.layers.whereNorm), this.#depths),
    );
    this.#depths.append(...drawDepths({ post: unknownLengths, pre: unknownLengths }));
  }

  async draw(state: State): Promise<void> {
    await Promise.all([this.#drawWay(state), this.#drawDepths()]);
  }

  async #drawWay({ reading, selection, signal }: State): Promise<void> {
    const wanted = this.#page.selection.setting(view, 'stack', 'decoder') as Stack;
    const stack = stackOf(reading, wanted);
    this.#side.set(stack);
    const token = tokenIn(stack, reading, selection);
    this.#frame.claim(claimOf(reading, stack, token));
    if (this.#way.childElementCount === 0) {
      const expected = expectedWay(reading, stack);
      this.#likeness.show(expected);
      this.#way.replaceChildren(...expected.map((layer) => boxOf(layer, stack, this.#closed)));
    }
    const model = await this.#page.model();
    const layers = await wayOf(model, reading, stack, token);
    if (signal.aborted) return;
    const name = (stack === 'encoder' ? reading.source : reading.written)[token]?.label ?? '';
    this.#way.replaceChildren(...layers.map((layer) => boxOf(layer, stack, this.#closed)));
    this.#likeness.show(layers);
    this.#frame.say(...(stack === 'decoder' ? saidAfter(layers) : movedMost(name, layers)));
    this.#frame.table(() => tableOf(name, layers));
  }

  /** Once: they do not depend on the sentence. */
  async #drawDepths(): Promise<void> {
    if (this.#areDepthsKnown) return;
    const engine = await this.#page.engine();
    const post = await lengthsByDepth(engine, 'post');
    this.#depths.replaceChildren(...drawDepths({ post, pre: await lengthsByDepth(engine, 'pre') }));
    this.#areDepthsKnown = true;
  }
}

/** The vector at a place begins as what is read there: in a decoder, the word before the one that is written. */
function claimOf({ read, written, source }: State['reading'], stack: Stack, token: number): string {
  const [from, to] =
    stack === 'decoder'
      ? [read[token]?.label, written[token]?.label]
      : [source[token]?.label, source[token]?.label];
  if (!from || !to) return words.chapters.layers.claim;
  return stack === 'decoder' ? words.layers.beginsAndEnds(from, to) : words.layers.beginsAs(from);
}

function saidAfter(layers: readonly LayerWay[]): (Node | string)[] {
  const says = (layer: LayerWay | undefined) => {
    const best = layer?.says[0];
    return best ? [frenchWord(best.label), ` ${percent(best.probability)}`] : [];
  };
  return filled(words.layers.afterLayers, {
    first: make('span', {}, ...says(layers[1])),
    last: make('span', {}, ...says(layers.at(-1))),
  });
}

function movedMost(name: string, layers: readonly LayerWay[]): (Node | string)[] {
  const moved = largestMove(layers);
  return filled(words.layers.movesMost(moved.name, figures(moved.moved)), {
    word: make('b', { lang: 'en' }, name),
  });
}

const tableOf = (name: string, layers: readonly LayerWay[]): NumberTable => ({
  caption: words.layers.table(name),
  columns: [words.layers.columns.length, words.layers.columns.moved],
  rows: layers.flatMap(({ layer, steps }) =>
    steps.map((step) => ({
      name: layer === 0 ? step.name : words.layers.step(layer, step.name),
      values: [plainFigures(step.length), plainFigures(step.moved)],
    })),
  ),
});

const code: CodeSample = {
  ours: `const { trace } = await model.forward(
  { inputIds: [ids], decoderInputIds: [written] },
  { trace: ['decoder.layers.*.output', 'decoder.layers.*.logits'] },
);
const said = trace['decoder.layers.0.logits'];   // what the decoder would say after layer 1`,
  pytorch: `out = model(input_ids=ids, decoder_input_ids=written, output_hidden_states=True)
for states in out.decoder_hidden_states[1:]:
    said = model.lm_head(states).softmax(-1)      # the "logit lens"`,
};
