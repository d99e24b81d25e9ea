/** The end of the story: the reader's own sentence with all its strands, what remains of it, and what to do with it. */

import { action } from '../drawing/controls.js';
import { make } from '../drawing/dom.js';
import { onSightChange } from '../drawing/visible.js';
import { copyButton } from '../page/copy_button.js';
import type { Page } from '../page/view.js';
import type { Reading } from '../reading/reading.js';
import { words } from '../words/words.js';
import { Loom } from './loom.js';
import './end.css';

export class End {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #loom: Loom;
  readonly #frame: HTMLElement;
  readonly #code = make('code');
  #reading: Reading | null = null;
  #isInSight = false;
  #isStale = true;

  /** @param printSheets prints a sheet for each chapter */
  constructor(page: Page, printSheets: () => Promise<void>) {
    this.#page = page;
    this.#loom = new Loom({ isWhole: true });
    this.#frame = make('div', { class: 'loom-frame' }, this.#loom.element);
    const assignment = make(
      'div',
      { class: 'end-fold', hidden: true },
      make('p', {}, words.end.sheets),
      make(
        'div',
        { class: 'controls' },
        action(words.end.print, () => void printSheets()),
        copyButton(words.page.copyLink, () => location.href),
      ),
    );
    const code = this.#codePanel();
    const buttons = make(
      'div',
      { class: 'end-actions' },
      shareButton(),
      opener(words.end.assign, assignment),
      opener(words.end.use, code),
    );
    this.element = make(
      'section',
      { id: 'end', class: 'end', 'aria-labelledby': 'end-title' },
      this.#frame,
      make('h2', { id: 'end-title' }, words.end.said),
      buttons,
      assignment,
      code,
    );
    onSightChange(
      this.element,
      (isInSight) => {
        this.#isInSight = isInSight;
        this.#draw();
      },
      '300px',
    );
  }

  #codePanel(): HTMLElement {
    return make(
      'div',
      { class: 'end-fold code', hidden: true },
      make('pre', { tabindex: 0, 'aria-label': words.page.codeLabel }, this.#code),
      make(
        'div',
        { class: 'controls' },
        copyButton(words.page.copy, () => this.#code.textContent ?? ''),
        // A single file has no documentation beside it.
        ...(location.protocol === 'file:' ? [] : [make('a', { href: './api/' }, words.end.documentation)]),
      ),
    );
  }

  show(reading: Reading | null): void {
    this.#reading = reading;
    this.#isStale = true;
    this.#frame.hidden = !reading?.written.length && !reading?.source.length;
    this.#code.textContent = codeOf(reading?.text ?? '');
    this.#draw();
  }

  #draw(): void {
    const reading = this.#reading;
    if (!this.#isInSight || !this.#isStale) return;
    this.#isStale = false;
    this.#loom.show(reading, { isWritten: false });
    if (reading) this.#loom.select({ look: this.#page.selection.current.look, chosen: 0, needs: null });
  }
}

/** Where the system has a way to share, it is asked; else the address is copied. */
function shareButton(): HTMLElement {
  if (!('share' in navigator)) return copyButton(words.end.share, () => location.href);
  return action(words.end.share, () => {
    // Whoever closes the system's window shares nothing.
    navigator.share({ title: document.title, url: location.href }).catch(() => undefined);
  });
}

/** A button that opens something below it. */
function opener(label: string, panel: HTMLElement): HTMLElement {
  const button = make('button', { type: 'button', 'aria-expanded': 'false' }, label);
  button.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    button.setAttribute('aria-expanded', `${!panel.hidden}`);
  });
  return button;
}

/** With this page's own model, from where the page is. */
const codeOf = (sentence: string) => `// npm install transformer-wasm
import { loadModel } from 'transformer-wasm';

const model = await loadModel('${new URL('./models/en-fr', location.href.replace(/[?#].*/, '')).href}');
const { text } = await model.translate(${JSON.stringify(sentence)});
const { crossAttentions } = await model.generate(${JSON.stringify(sentence)}, { outputAttentions: true });
`;
