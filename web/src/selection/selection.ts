/** The one selection that all views share. It lives in the URL's hash, so that any address gives the same picture again. */

import { type Head, headName, parseHead } from './heads.js';
import { type Look, parseLook } from './look.js';

export interface Selection {
  /** The text in the field: one sentence or several. */
  readonly text: string;
  /** Which of its sentences the views show, from 0. */
  readonly sentence: number;
  /** Index of the written token; `null`: the page chooses one (the pronoun, where there is one). */
  readonly word: number | null;
  /** The attention head; `null`: the page chooses one. */
  readonly head: Head | null;
  /** Which heads the page's pictures of a sentence are drawn from. */
  readonly look: Look;
  /** Names of the heads that are switched off, as in `cross.1.3`. */
  readonly off: readonly string[];
  /** Ids that the translation must begin with: what the visitor chose in place of the model's own words. */
  readonly prefix: readonly number[];
  /** Width of the beam search; 1: greedy. */
  readonly beams: number;
  /** The view that the address points at: its id, or ''. */
  readonly view: string;
  /** The step of "Read along", from 1; 0: nobody reads along. */
  readonly step: number;
  /** Settings of single views, by `view.setting`. */
  readonly settings: Readonly<Record<string, string>>;
}

type Listener = (selection: Selection, previous: Selection) => void;

const maxBeams = 5;

const nothing: Selection = {
  text: '',
  sentence: 0,
  word: null,
  head: null,
  look: 'mean',
  off: [],
  prefix: [],
  beams: 1,
  view: '',
  step: 0,
  settings: {},
};

const wholeNumber = (text: string | null) => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null);

/**
 * Reads a hash: `#s=The+cat.&w=3&h=cross.1.3&off=cross.1.0,encoder.0.2&v=heads`, or the id of a view alone, `#heads`.
 * What cannot be read is ignored.
 */
export function parseSelection(hash: string, text = ''): Selection {
  const plain = hash.replace(/^#/, '');
  if (!plain.includes('=')) return { ...nothing, text, view: plain };
  const fields = new URLSearchParams(plain);
  const list = (name: string) => (fields.get(name) ?? '').split(',').filter((entry) => entry !== '');
  return {
    text: fields.get('s') ?? text,
    sentence: wholeNumber(fields.get('n')) ?? 0,
    word: wholeNumber(fields.get('w')),
    head: parseHead(fields.get('h') ?? ''),
    look: parseLook(fields.get('l')),
    off: list('off').filter((name) => parseHead(name)),
    prefix: list('p').flatMap((id) => wholeNumber(id) ?? []),
    beams: Math.min(maxBeams, Math.max(1, wholeNumber(fields.get('b')) ?? 1)),
    view: fields.get('v') ?? '',
    step: wholeNumber(fields.get('t')) ?? 0,
    settings: Object.fromEntries([...fields].filter(([name]) => name.includes('.'))),
  };
}

/** The opposite of {@link parseSelection}; what has its default is left out. */
export function formatSelection(selection: Selection): string {
  const { text, sentence, word, head, look, off, prefix, beams, view, step, settings } = selection;
  const fields = new URLSearchParams({ s: text });
  if (sentence > 0) fields.set('n', `${sentence}`);
  if (word !== null) fields.set('w', `${word}`);
  if (head) fields.set('h', headName(head));
  if (look !== 'mean') fields.set('l', look);
  if (off.length > 0) fields.set('off', off.join(','));
  if (prefix.length > 0) fields.set('p', prefix.join(','));
  if (beams > 1) fields.set('b', `${beams}`);
  if (view) fields.set('v', view);
  if (step > 0) fields.set('t', `${step}`);
  for (const [name, value] of Object.entries(settings)) fields.set(name, value);
  return `#${fields}`;
}

/** Whether two selections ask for the same reading. */
export function isSameRequest(a: Selection, b: Selection): boolean {
  const key = ({ text, sentence, off, prefix, beams }: Selection) =>
    JSON.stringify([text, sentence, off, prefix, beams]);
  return key(a) === key(b);
}

/** The state of every entry of the history that the page has seen: a new one has none. */
const known = { isKnown: true };

export class SelectionStore {
  #current: Selection;
  readonly #listeners = new Set<Listener>();

  /**
   * @param text the sentence of an address that names none
   * @param jump called with the view that a link or a typed address names
   */
  constructor(
    private readonly text: string,
    jump: (view: string) => void,
  ) {
    this.#current = parseSelection(location.hash, text);
    history.replaceState(known, '');
    // Only for links, typed addresses, and those that come from the history: `set` itself does not cause this event.
    addEventListener('hashchange', () => {
      // To what the visitor comes back to, the browser scrolls by itself.
      const isBack = history.state !== null;
      const isAnchor = !location.hash.includes('=');
      // A link to a view keeps the sentence, in the address too.
      if (isAnchor) this.set({ view: parseSelection(location.hash).view }, 'replace');
      else this.#change(parseSelection(location.hash, this.text));
      history.replaceState(known, '');
      if (!isBack) jump(this.#current.view);
    });
  }

  get current(): Selection {
    return this.#current;
  }

  /**
   * Changes some fields.
   *
   * @param entry default: what asks for another reading is an entry of the history, so that Back takes it back
   */
  set(change: Partial<Selection>, entry: 'push' | 'replace' | 'auto' = 'auto'): void {
    const next = { ...this.#current, ...change };
    const isNew = entry === 'auto' ? !isSameRequest(next, this.#current) : entry === 'push';
    if (isNew) history.pushState(known, '', formatSelection(next));
    else history.replaceState(known, '', formatSelection(next));
    this.#change(next);
  }

  /** A view's own setting, or its default. */
  setting(view: string, name: string, otherwise: string): string {
    return this.#current.settings[`${view}.${name}`] ?? otherwise;
  }

  /** @param value `null` for the default, which the address then leaves out */
  setSetting(view: string, name: string, value: string | null): void {
    const { [`${view}.${name}`]: _, ...others } = this.#current.settings;
    this.set({ settings: value === null ? others : { ...others, [`${view}.${name}`]: value } });
  }

  /** Called after each change; returns the way to stop it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(next: Selection): void {
    const previous = this.#current;
    this.#current = next;
    if (formatSelection(previous) === formatSelection(next)) return;
    for (const listener of this.#listeners) listener(next, previous);
  }
}
