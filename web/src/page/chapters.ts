/** The views in the order of the page: chapters, each opened by a question that the one before it has raised, and cards. */

import type { Card, Chapter, View } from './view.js';

/** The view that opens, and those that belong to it. */
export type Views = readonly [View, ...View[]];

/** A chapter with its number and its views, the one that opens it first. */
export interface Told extends Chapter {
  /** From 1. */
  readonly number: number;
  readonly views: Views;
}

/** A card of the workbench with its views. */
export interface Laid extends Card {
  readonly views: Views;
}

/** @param views in order; what comes before the first chapter belongs to none */
export const chaptersOf = (views: readonly View[]): Told[] =>
  grouped(views, ({ chapter }) => chapter).map((chapter, i) => ({ ...chapter, number: i + 1 }));

export const cardsOf = (views: readonly View[]): Laid[] => grouped(views, ({ card }) => card);

/** The one that has a view. */
export const withView = <T extends { readonly views: Views }>(all: readonly T[], id: string): T | undefined =>
  all.find(({ views }) => views.some((view) => view.id === id));

function grouped<T extends Card>(
  views: readonly View[],
  opens: (view: View) => T | undefined,
): (T & { readonly views: Views })[] {
  const groups: (T & { views: [View, ...View[]] })[] = [];
  for (const view of views) {
    const opened = opens(view);
    if (opened) groups.push({ ...opened, views: [view] });
    else groups.at(-1)?.views.push(view);
  }
  return groups;
}
