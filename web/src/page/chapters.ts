/** The views in the order of the story: the chapters, each opened by a question that the one before it has raised. */

import type { Chapter, View } from './view.js';

/** A chapter with its number and its views, the one that opens it first. */
export interface Told extends Chapter {
  /** From 1. */
  readonly number: number;
  readonly views: readonly [View, ...View[]];
}

/** @param views in order; what comes before the first chapter belongs to none */
export function chaptersOf(views: readonly View[]): Told[] {
  const told: (Chapter & { views: [View, ...View[]] })[] = [];
  for (const view of views) {
    if (view.chapter) told.push({ ...view.chapter, views: [view] });
    else told.at(-1)?.views.push(view);
  }
  return told.map((chapter, i) => ({ ...chapter, number: i + 1 }));
}
