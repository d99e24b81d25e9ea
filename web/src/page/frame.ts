/** What surrounds the picture of every view: its claim, one row of controls, a spoken sentence, the numbers and the code. */

import { action } from '../drawing/controls.js';
import { make } from '../drawing/dom.js';
import { words } from '../words/words.js';
import { copyButton } from './copy_button.js';
import { Fold, type Sheet, sheetFold } from './folds.js';
import { icon } from './icons.js';
import { type Message, messageOf, shownMessage } from './messages.js';
import { drawNote, type Note } from './notes.js';

/** What stands above a view's picture. */
export interface Heading {
  /** The view's anchor. */
  readonly id: string;
  readonly claim: string;
  readonly text: string;
  /** `2 · Bahdanau, Cho and Bengio, 2014`; '' for none. */
  readonly kicker?: string;
  /** What of it is a link to a paper. */
  readonly paper?: { readonly source: string; readonly address: string };
  /** Whether it opens a chapter or a card, or stands alone. */
  readonly isFirst?: boolean;
  readonly isLarge?: boolean;
  /** How deep its heading is; default: 2 for a first one, else 3. */
  readonly level?: 2 | 3 | 4;
  /** Something to try, and for teachers a question with its answer. */
  readonly sheet?: Sheet;
  /** What belongs to the figure, and stands below it. */
  readonly notes?: readonly Note[];
}

/** The numbers of a picture, as a table. */
export interface NumberTable {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly values: readonly (string | number)[] }[];
}

/** The same computation in two languages. */
export interface CodeSample {
  readonly ours: string;
  readonly pytorch: string;
}

export class Frame {
  readonly section: HTMLElement;
  /** One row; see controls.ts. */
  readonly controls = make('div', { class: 'controls' });
  /** The picture. */
  readonly figure = make('div', { class: 'picture' });
  readonly #claim: HTMLElement;
  readonly #lead: HTMLElement;
  readonly #spoken = make('p', { class: 'spoken' });
  readonly #off = make('p', { class: 'note', hidden: true }, words.page.headIsOff);
  readonly #message = make('div', { class: 'message', role: 'alert' });
  readonly #table = new Fold('table', words.page.table);
  readonly #code = new Fold('code', words.page.code);
  #numbers: (() => NumberTable) | null = null;

  constructor(heading: Heading) {
    const { id, claim, text, kicker = '', isFirst = true, isLarge = false } = heading;
    const title = `${id}-title`;
    this.#claim = make('a', { href: `#${id}` }, claim);
    this.#lead = make('p', { class: 'lead' }, text);
    const sheet = heading.sheet ? [sheetFold(heading.sheet)] : [];
    const folds = [this.#table, this.#code, ...sheet];
    this.section = make(
      'section',
      { id, class: `view${isFirst ? '' : ' further'}${isLarge ? ' large' : ''}`, 'aria-labelledby': title },
      ...(kicker ? [make('p', { class: 'kicker' }, ...linked(kicker, heading.paper))] : []),
      make(`h${heading.level ?? (isFirst ? 2 : 3)}`, { id: title }, this.#claim),
      this.#lead,
      make('div', { class: 'figure-head' }, this.controls, this.#furniture(id, folds)),
      make('figure', {}, this.figure, make('figcaption', {}, this.#spoken, this.#off)),
      this.#message,
      ...(heading.notes ? [make('div', { class: 'asides' }, ...heading.notes.map(drawNote))] : []),
      make('div', { class: 'folds' }, ...folds.map(({ panel }) => panel)),
    );
    this.#table.onOpen = () => this.#fillTable();
    // Says what changes to those who change it, and is silent about the changes that other views cause.
    this.section.addEventListener('focusin', () => this.#spoken.setAttribute('aria-live', 'polite'));
    this.section.addEventListener('focusout', () => this.#spoken.removeAttribute('aria-live'));
  }

  /** What can be done with the figure: one row of icons, at its top right. */
  #furniture(id: string, folds: readonly Fold[]): HTMLElement {
    const save = make(
      'button',
      { type: 'button', 'aria-label': words.stage.savePicture, title: words.stage.savePicture },
      icon('picture'),
    );
    save.addEventListener('click', () => {
      this.#savePicture().catch((error: unknown) =>
        this.#message.replaceChildren(...shownMessage(messageOf(error))),
      );
    });
    const link = copyButton(words.page.copyLink, () => linkTo(id), icon('link'));
    return make('div', { class: 'furniture' }, ...folds.map(({ button }) => button), link, save);
  }

  /** A heading that is true of what is shown. */
  claim(text: string): void {
    if (this.#claim.textContent !== text) this.#claim.textContent = text;
  }

  /** The words below the heading, where they name what is shown. */
  lead(...text: (Node | string)[]): void {
    this.#lead.replaceChildren(...text);
  }

  /** The picture in one sentence, under it and for screen readers. */
  say(...sentence: (Node | string)[]): void {
    this.#spoken.replaceChildren(...sentence);
  }

  /** Shows the picture as a ghost: the head that it is of is switched off. */
  ghost(isOff: boolean): void {
    this.figure.classList.toggle('ghost-picture', isOff);
    this.#off.hidden = !isOff;
  }

  /** Says why there is no picture; '' when there is one again. @param retry offered as "Draw again" */
  fail(message: Message | '', retry?: () => void): void {
    for (const element of [this.figure, this.#spoken]) element.hidden = message !== '';
    this.#message.replaceChildren(
      ...(message === '' ? [] : shownMessage(message)),
      ...(retry ? [' ', action(words.page.drawAgain, retry)] : []),
    );
  }

  /** @param numbers called when the visitor opens the table, and for each change while it is open */
  table(numbers: () => NumberTable): void {
    this.#numbers = numbers;
    this.#table.isOffered = true;
    this.#fillTable();
  }

  code(sample: CodeSample): void {
    const { panel } = this.#code;
    const show = (language: string) => {
      panel.dataset.language = language;
    };
    panel.replaceChildren(codeBlock(sample, panel.dataset.language ?? 'ours', show));
    this.#code.isOffered = true;
  }

  async #savePicture(): Promise<void> {
    const { saveFigure } = await import('./figure_picture.js');
    const [claim, said] = [this.#claim, this.#spoken].map(({ textContent }) => textContent ?? '');
    const address = linkTo(this.section.id);
    await saveFigure({ figure: this.figure, claim: claim ?? '', said: said ?? '', address }, this.section.id);
  }

  #fillTable(): void {
    if (!this.#table.isOpen || !this.#numbers) return;
    const { caption, columns, rows } = this.#numbers();
    const cells = (values: readonly (string | number)[]) => values.map((value) => make('td', {}, `${value}`));
    const table = make(
      'table',
      {},
      make('caption', {}, caption),
      make(
        'thead',
        {},
        make('tr', {}, make('td'), ...columns.map((name) => make('th', { scope: 'col' }, name))),
      ),
      make(
        'tbody',
        {},
        ...rows.map(({ name, values }) =>
          make('tr', {}, make('th', { scope: 'row' }, name), ...cells(values)),
        ),
      ),
    );
    const scroller = make(
      'div',
      { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': caption },
      table,
    );
    this.#table.panel.replaceChildren(scroller);
  }
}

/** What stands above the heading, its source a link to the paper. */
function linked(kicker: string, paper: Heading['paper']): (Node | string)[] {
  if (!paper?.source || !kicker.endsWith(paper.source)) return [kicker];
  return [
    kicker.slice(0, kicker.length - paper.source.length),
    make('a', { href: paper.address, rel: 'noopener' }, paper.source),
  ];
}

/** The address of what is shown, at this view. */
function linkTo(id: string): string {
  const { href, hash } = location;
  if (!hash.includes('=')) return `${href.replace(/#.*/, '')}#${id}`;
  const fields = new URLSearchParams(hash.slice(1));
  fields.set('v', id);
  return `${href.replace(/#.*/, '')}#${fields}`;
}

const languages = { ours: words.page.ours, pytorch: 'PyTorch' } as const;

function codeBlock(sample: CodeSample, chosen: string, onChoice: (language: string) => void): HTMLElement {
  const code = make('code');
  const scroller = make('pre', { tabindex: 0, 'aria-label': words.page.codeLabel }, code);
  const copy = copyButton(words.page.copy, () => code.textContent ?? '');
  const tabs = Object.entries(languages).map(([language, name]) => {
    const tab = make('button', { type: 'button' }, name);
    tab.addEventListener('click', () => show(language));
    return { tab, language };
  });
  const show = (language: string) => {
    code.textContent = language === 'pytorch' ? sample.pytorch : sample.ours;
    for (const one of tabs) one.tab.setAttribute('aria-pressed', `${one.language === language}`);
    onChoice(language);
  };
  show(chosen);
  return make(
    'div',
    { class: 'code' },
    make('div', { class: 'controls' }, ...tabs.map(({ tab }) => tab), copy),
    scroller,
  );
}
