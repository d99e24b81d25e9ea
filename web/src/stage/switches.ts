/** The wall of all heads beside the sentence: each is a switch, and those that decide the translation are outlined. */

import type { Model } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import { chosenWord, type Reading, strongest } from '../reading/reading.js';
import { pronounIn } from '../reading/swaps.js';
import { percent } from '../reading/tokens.js';
import { type Head, headLabel, headName } from '../selection/heads.js';
import type { SelectionStore } from '../selection/selection.js';
import { allHeads, decisiveHeads } from './decisive.js';
import { Wall } from './wall.js';

export class Switches {
  readonly element: HTMLElement;
  readonly #selection: SelectionStore;
  readonly #wall: Wall;
  readonly #title = make('h2', { id: 'switches-title' }, 'All heads. Switch one off.');
  readonly #note = make('p', { class: 'spoken' });
  #reading: Reading | null = null;
  #changes: ReadonlyMap<string, string> = new Map();

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    this.#wall = new Wall({
      onClick: (head) => this.#toggle(head),
      onHover: (head) => this.#describe(head),
      pressed: (head) => !selection.current.off.includes(headName(head)),
    });
    const lead = 'Every square is one head on this sentence. Outlined: without it, the French changes.';
    this.element = make(
      'aside',
      { class: 'switches', 'aria-labelledby': 'switches-title' },
      this.#title,
      make('p', { class: 'note' }, lead),
      this.#wall.element,
      this.#note,
    );
  }

  show(reading: Reading | null): void {
    this.#reading = reading;
    this.#changes = new Map();
    // The one attention of a recurrent model cannot be switched off.
    this.element.hidden = reading?.isRecurrent ?? false;
    this.#wall.element.hidden = !reading;
    if (reading) {
      this.#wall.show(reading);
      this.#title.textContent = `${allHeads(reading).length} heads. Switch one off.`;
    }
    this.#wall.outline(this.#changes);
    this.select();
  }

  select(): void {
    this.#wall.press();
    this.#describe(null);
  }

  /** Translates once without each head, and outlines those that matter. */
  async outline(model: Model, reading: Reading, signal: AbortSignal): Promise<void> {
    this.#changes = await decisiveHeads(model, reading, this.#selection.current.prefix, signal);
    signal.throwIfAborted();
    this.#wall.outline(this.#changes);
    this.#describe(null);
  }

  #toggle(head: Head): void {
    const { off } = this.#selection.current;
    const name = headName(head);
    const next = off.includes(name) ? off.filter((other) => other !== name) : [...off, name];
    this.#selection.set({ off: next, prefix: [] });
    this.#describe(head);
  }

  /** @param head the one under the pointer; `null`: says how many decide */
  #describe(head: Head | null): void {
    const reading = this.#reading;
    const { off } = this.#selection.current;
    if (!reading || !head) {
      const count = this.#changes.size;
      const decisive =
        count > 0 ? `${count} ${count === 1 ? 'head decides' : 'heads decide'} this sentence.` : '';
      this.#note.textContent = [off.length > 0 ? `${off.length} switched off.` : '', decisive].join(' ');
      return;
    }
    const change = this.#changes.get(headName(head));
    this.#note.replaceChildren(
      make('b', {}, headLabel(head)),
      this.#looks(reading, head),
      ...(off.includes(headName(head)) ? [' Switched off.'] : []),
      ...(change === undefined
        ? []
        : [' Without it: ', make('b', { lang: 'fr' }, difference(reading, change))]),
    );
  }

  /** Where a head looks for the chosen French word. */
  #looks({ maps, ...reading }: Reading, head: Head): string {
    const map = maps[head.kind];
    if (!map || head.kind === 'encoder') return '.';
    const row = map.row(
      head.layer,
      head.head,
      chosenWord({ maps, ...reading }, this.#selection.current.word),
    );
    const key = strongest(row);
    return ` looks at “${map.keys[key]?.label}” ${percent(row[key] ?? 0)}.`;
  }
}

/** The pronouns if they differ, else the whole translation. */
function difference({ translation }: Reading, change: string): string {
  const [before, after] = [pronounIn(translation), pronounIn(change)];
  return before && after && before !== after ? `${before} → ${after}` : change;
}
