/** The reading of what is selected: made anew where the selection asks for another one; superseded requests are dropped. */

import made from 'virtual:first-readings';
import type { Model } from 'transformer-wasm';
import { isSameRequest, type SelectionStore } from '../selection/selection.js';
import type { FirstReadings } from './first_readings.js';
import { unpack } from './packed_reading.js';
import type { Reading } from './reading.js';
import { isPlain } from './request.js';

/** What became of the latest request. */
export type Outcome =
  | { readonly kind: 'read'; readonly milliseconds: number | null }
  | { readonly kind: 'empty' }
  | { readonly kind: 'failed'; readonly error: unknown };

type Listener = (reading: Reading | null, outcome: Outcome) => void;

const first = made as FirstReadings;

/** The readings that the page was built with. */
export const builtIn = first.readings.map(unpack);

/** The pronouns of sentences that were translated then: by the sentence. */
export const builtInPronouns = first.pronouns;

/** The names of the models that come with the page. */
export const shippedModels: readonly string[] = Object.keys(first.models);

/** The bytes of those that the story loads as one scrolls. */
export const modelBytes: Readonly<Record<string, number>> = first.models;

export class Readings {
  /** `null` where there is nothing to show: no text, or one that the model cannot read. */
  current: Reading | null = null;
  #model: Model | null = null;
  #isOurs = true;
  #running = new AbortController();
  readonly #listeners = new Set<Listener>();

  constructor(private readonly selection: SelectionStore) {
    selection.subscribe((next, previous) => {
      if (!isSameRequest(next, previous)) void this.#read();
    });
    this.current = this.#builtIn();
  }

  /** Reads with this model from now on. @param isOurs whether it is the one that the page was built with */
  use(model: Model, isOurs: boolean): void {
    this.#model = model;
    this.#isOurs = isOurs;
    void this.#read();
  }

  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
  }

  async #read(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { text, sentence, off, prefix, beams } = this.selection.current;
    const model = this.#model;
    if (!model) {
      const ready = this.#builtIn();
      if (ready) this.#tell(ready, { kind: 'read', milliseconds: null });
      return;
    }
    try {
      const { read, sentencesOf } = await import('./reader.js');
      if (signal.aborted) return;
      const sentences = sentencesOf(text);
      const chosen = sentences[Math.min(sentence, sentences.length - 1)];
      if (chosen === undefined) return this.#tell(null, { kind: 'empty' });
      const begin = performance.now();
      const reading = await read(model, chosen, { off, prefix, beams, signal });
      if (signal.aborted) return;
      const milliseconds = performance.now() - begin;
      this.#tell(this.#withKnownNeeds(reading), { kind: 'read', milliseconds });
    } catch (error) {
      if (!signal.aborted) this.#tell(null, { kind: 'failed', error });
    }
  }

  /**
   * What was measured when the page was built is not measured again: in 8 bits, the engine's modules round activations
   * differently, and one sentence would have two numbers.
   */
  #withKnownNeeds(reading: Reading): Reading {
    const made = this.#isOurs ? this.#builtIn() : null;
    return made?.needs && made.ids.join() === reading.ids.join()
      ? { ...reading, needs: made.needs }
      : reading;
  }

  /** The reading that the page was built with, where it is what is selected. */
  #builtIn(): Reading | null {
    const { current } = this.selection;
    return (isPlain(current) && builtIn.find(({ text }) => text === current.text)) || null;
  }

  #tell(reading: Reading | null, outcome: Outcome): void {
    this.current = reading;
    for (const listener of this.#listeners) listener(reading, outcome);
  }
}
