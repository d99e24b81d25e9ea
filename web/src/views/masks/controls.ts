/** The controls of a mask, which is kept in the address: one for all heads, or one for each. */

import { action, check, choice, slider } from '../../drawing/controls.js';
import type { Cell } from '../../drawing/heat_map.js';
import { type Head, headName } from '../../selection/heads.js';
import type { SelectionStore } from '../../selection/selection.js';
import { words } from '../../words/words.js';
import { formatTurned, isPreset, type MaskSettings, parseTurned, presetNames } from './presets.js';

const id = 'masks';

export class MaskControls {
  readonly elements: readonly HTMLElement[];
  readonly #selection: SelectionStore;
  /** Where the mask of the selected head is kept: its own, or the one of all heads. */
  #place = '';
  readonly #preset = choice({
    label: words.masks.mask,
    options: presetNames,
    value: 'causal',
    onChange: (value) => this.#choose(value),
  });
  readonly #size = slider({
    label: words.masks.reach,
    value: 2,
    min: 0,
    max: 8,
    step: 1,
    onChange: (value) => this.#set('size', `${value}`, '2'),
  });
  readonly #own = check({
    label: words.masks.own,
    value: false,
    onChange: (value) => this.#selection.setSetting(id, 'own', value ? '1' : null),
  });
  readonly #clear = action(words.masks.turnBack, () => this.#set('turned', '', ''));

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    this.elements = [this.#preset.element, this.#size.element, this.#own.element, this.#clear];
  }

  /** Shows what is set for a head, and returns it. */
  show(head: Head): MaskSettings {
    const isOwn = this.#selection.setting(id, 'own', '') === '1';
    this.#own.set(isOwn);
    this.#place = isOwn ? `.${headName(head)}` : '';
    const name = this.#setting('preset', head.kind === 'decoder' ? 'causal' : 'none');
    const settings: MaskSettings = {
      preset: isPreset(name) ? name : 'none',
      size: Number(this.#setting('size', '2')) || 0,
      turned: parseTurned(this.#setting('turned', '')),
    };
    this.#preset.set(settings.preset);
    this.#size.set(settings.size);
    this.#size.element.hidden = settings.preset !== 'padding' && settings.preset !== 'window';
    this.#clear.hidden = settings.turned.size === 0;
    return settings;
  }

  /** Turns a cell over. @param columns how many cells a row has */
  turn({ row, column }: Cell, columns: number): void {
    const turned = parseTurned(this.#setting('turned', ''));
    const cell = row * columns + column;
    if (!turned.delete(cell)) turned.add(cell);
    this.#set('turned', formatTurned(turned), '');
  }

  /** Another mask begins without turned cells. */
  #choose(preset: string): void {
    const { [`${id}.turned${this.#place}`]: _, ...others } = this.#selection.current.settings;
    this.#selection.set({ settings: { ...others, [`${id}.preset${this.#place}`]: preset } });
  }

  #setting(name: string, otherwise: string): string {
    return this.#selection.setting(id, `${name}${this.#place}`, otherwise);
  }

  #set(name: string, value: string, otherwise: string): void {
    this.#selection.setSetting(id, `${name}${this.#place}`, value === otherwise ? null : value);
  }
}
