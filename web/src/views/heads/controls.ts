/** The controls of the heads: as a matrix or as lines, one head or the mean, with the special tokens or without. */

import { action, check, choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { SelectionStore } from '../../selection/selection.js';
import { words } from '../../words/words.js';

const view = 'heads';

/** What is set in the address. */
export interface HeadSettings {
  readonly asLines: boolean;
  readonly isMean: boolean;
  readonly isBare: boolean;
}

export class HeadControls {
  readonly elements: readonly HTMLElement[];
  readonly #selection: SelectionStore;
  readonly #as = choice({
    label: words.heads.showAs,
    options: { matrix: words.heads.matrix, lines: words.heads.lines },
    value: 'matrix',
    onChange: (value) => this.#selection.setSetting(view, 'as', value === 'matrix' ? null : value),
  });
  readonly #mean = check({
    label: words.heads.meanOfLayer,
    value: false,
    onChange: (isOn) => this.#selection.setSetting(view, 'mean', isOn ? '1' : null),
  });
  readonly #special = check({
    label: words.heads.withoutEnds,
    value: false,
    onChange: (isOn) => this.#selection.setSetting(view, 'bare', isOn ? '1' : null),
  });

  /** @param formats what a click on each format writes */
  constructor(selection: SelectionStore, formats: Readonly<Record<string, () => void>>) {
    this.#selection = selection;
    const saves = make(
      'div',
      { class: 'choice', role: 'group', 'aria-label': words.heads.saveAs },
      make('span', { class: 'name' }, words.heads.saveAs),
      ...Object.entries(formats).map(([label, write]) => action(label, write)),
    );
    this.elements = [this.#as.element, this.#mean.element, this.#special.element, saves];
  }

  /** Shows what is set, and returns it. */
  settings(): HeadSettings {
    const isOn = (name: string) => this.#selection.setting(view, name, '') === '1';
    const asLines = this.#selection.setting(view, 'as', 'matrix') === 'lines';
    const settings = { asLines, isMean: isOn('mean'), isBare: isOn('bare') };
    this.#as.set(asLines ? 'lines' : 'matrix');
    this.#mean.set(settings.isMean);
    this.#special.set(settings.isBare);
    return settings;
  }
}
