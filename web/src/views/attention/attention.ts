/** One attention, by numbers: from queries, keys and values to the weights and their sum. */

import { words } from '../../words/words.js';
import './attention.css';
import { onSchemeChange } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { AgreementBars } from '../../page/agreement_bars.js';
import { copyButton } from '../../page/copy_button.js';
import type { Frame } from '../../page/frame.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import type { Page, State } from '../../page/view.js';
import { type Inputs, ofSentence } from '../../reading/inputs.js';
import { chosenQuery, factorOf, factorText } from './compute.js';
import { AttentionControls } from './controls.js';
import { numbersOf } from './numbers.js';
import { numpyOf } from './numpy.js';
import { drawSteps } from './rows.js';
import { codeOf, sentenceOf, tableOf } from './said.js';
import { saidVerdict } from './smallest.js';
import { ofArticle, ofVectors, parseMatrix } from './sources.js';

export class Attention {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #controls: AttentionControls;
  readonly #steps = make('div');
  readonly #agreement = new AgreementBars();
  readonly #verdict = make('p', { class: 'spoken verdict' });
  /** Which rows show their vectors on a narrow screen. */
  readonly #opened = new Set<number>();
  #last: State | null = null;
  #numpy = '';

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#controls = new AttentionControls(page.selection);
    frame.controls.append(
      ...this.#controls.elements,
      copyButton(words.page.copyNumPy, () => this.#numpy),
    );
    frame.figure.append(this.#steps, this.#verdict, this.#agreement.element);
    frame.controls.after(this.#controls.paste, this.#controls.problem);
    onSchemeChange(() => this.#last && void this.draw(this.#last));
  }

  async draw(state: State): Promise<void> {
    this.#last = state;
    const source = this.#controls.source();
    try {
      const inputs = await this.#inputsOf(state);
      this.#controls.problem.textContent = '';
      await this.#drawInputs(inputs, state.signal);
    } catch (error) {
      if (source !== 'own') throw error;
      this.#controls.problem.replaceChildren(...shownMessage(messageOf(error)));
    }
  }

  async #inputsOf({ reading, selection }: State): Promise<Inputs> {
    const source = this.#controls.source();
    if (source === 'sentence') return ofSentence(await this.#page.model(), reading, selection);
    if (source !== 'own') return ofArticle(await this.#page.engine(), source);
    return ofVectors(parseMatrix(this.#controls.matrix()), words.attention.everyRow);
  }

  async #drawInputs(inputs: Inputs, signal: AbortSignal): Promise<void> {
    const width = inputs.keys.shape[1] ?? 1;
    const chosen = chosenQuery(this.#controls.askedQuery(), inputs.queryNames.length, inputs.query);
    const asked = this.#controls.asked();
    const tiles = this.#controls.tiles(inputs.keyNames.length, asked.isTiled);
    this.#controls.showQueries(inputs.queryNames, chosen);
    const read = asked.isTiled ? tiles.keys : inputs.keyNames.length;
    const factor = factorOf(width, asked);
    const { hidden, isTiled, power, temperature } = asked;
    const engine = await this.#page.engine();
    const numbers = await numbersOf(engine, inputs, { query: chosen, factor, hidden, read });
    const verdict = this.#controls.source() === 'smallest' ? await saidVerdict(engine) : [];
    if (signal.aborted) return;
    this.#numpy = numpyOf(inputs, numbers, { query: chosen, factor, read });
    const text = factorText(width, asked);
    const onHide = (key: number) => this.#controls.toggle(key);
    this.#steps.replaceChildren(
      drawSteps({ inputs, numbers, query: chosen, factorText: text, read, onHide, opened: this.#opened }),
    );
    this.#verdict.replaceChildren(...verdict);
    this.#frame.ghost(inputs.isOff ?? false);
    const losses = inputs.losses?.(chosen) ?? null;
    const weights = inputs.isOff ? null : numbers.weights;
    this.#agreement.show(losses && { names: inputs.keyNames, weights, losses });
    this.#frame.say(...sentenceOf(inputs, numbers, { chosen, text, isTiled, read }));
    this.#frame.table(() => tableOf(inputs, numbers, chosen));
    this.#frame.code(codeOf(width, factor, power === 0.5 && temperature === 1));
  }
}
