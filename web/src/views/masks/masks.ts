/** A mask and what it does: the scores before the softmax, the weights after it. */

import { words } from '../../words/words.js';
import './masks.css';
import type { Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { ofSentence } from '../../reading/inputs.js';
import { chosenHead, type Reading } from '../../reading/reading.js';
import type { Head } from '../../selection/heads.js';
import { hiddenCells, maskedOf } from './compute.js';
import { MaskControls } from './controls.js';
import { codeOf, MaskMaps, tableOf } from './draw.js';

export class Masks {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #controls: MaskControls;
  readonly #maps: MaskMaps;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#controls = new MaskControls(page.selection);
    this.#maps = new MaskMaps((cell, columns) => this.#controls.turn(cell, columns));
    frame.controls.append(...this.#controls.elements);
    frame.figure.append(...this.#maps.elements);
  }

  async draw({ reading, selection: asked, signal }: State): Promise<void> {
    const selection = { ...asked, head: asked.head ?? maskedHead(reading) };
    const settings = this.#controls.show(chosenHead(reading, selection.head));
    const engine = await this.#page.engine();
    const inputs = await ofSentence(await this.#page.model(), reading, selection);
    const masked = await maskedOf(engine, inputs, settings);
    if (signal.aborted) return;
    this.#frame.ghost(inputs.isOff ?? false);
    this.#maps.show(masked);
    const cells = inputs.queryNames.length * inputs.keyNames.length;
    this.#frame.say(words.masks.said(inputs.title, hiddenCells(masked), cells), words.masks.saidRest);
    this.#frame.table(() => tableOf(masked));
    this.#frame.code(codeOf(settings));
  }
}

/** The head to begin with: one that is masked in the model itself. */
const maskedHead = ({ maps: { decoder } }: Reading): Head | null =>
  decoder ? { kind: 'decoder', layer: decoder.layers - 1, head: decoder.heads - 1 } : null;
