/** Paragraphs below a figure: what belongs to it and has no figure of its own. */

import { make } from '../drawing/dom.js';

export interface Note {
  readonly title: string;
  readonly text: string;
  /** In mathematical notation, on a line of its own. */
  readonly formula?: string;
  /** Rows that stand one below the other, place by place, each after its name. */
  readonly rows?: readonly { readonly name: string; readonly cells: readonly string[] }[];
}

export const drawNote = ({ title, text, formula, rows = [] }: Note): HTMLElement =>
  make(
    'div',
    { class: 'aside' },
    make('p', { class: 'aside-title' }, title),
    make('p', {}, text),
    ...(formula ? [make('p', { class: 'formula' }, formula)] : []),
    ...(rows.length > 0
      ? [
          make(
            'table',
            { class: 'places' },
            ...rows.map(({ name, cells }) =>
              make(
                'tr',
                {},
                make('th', { scope: 'row' }, name),
                ...cells.map((cell) => make('td', { lang: 'fr' }, cell)),
              ),
            ),
          ),
        ]
      : []),
  );
