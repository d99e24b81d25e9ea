/** How to get from one language to another: with one model, or with two through a language that both know. */

import { fallbacks, isSameLanguage } from './tags.js';
import type { FindModel, TranslationModel } from './translation_models.js';

export interface Route {
  /** The languages that are served, which may be others than those that were asked for: `en` for `en-GB`. */
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** None where source and target are the same language. */
  readonly models: readonly TranslationModel[];
}

interface Leg {
  readonly source: string;
  readonly target: string;
  readonly model: TranslationModel;
}

/** `null` where no models lead there. */
export async function findRoute(
  find: FindModel,
  [source, target]: readonly [string, string],
  pivots: readonly string[],
): Promise<Route | null> {
  if (isSameLanguage(source, target)) return { sourceLanguage: source, targetLanguage: target, models: [] };
  const direct = await findLeg(find, fallbacks(source), fallbacks(target));
  if (direct) return routeOf(direct, direct);
  for (const pivot of pivots) {
    const first = await findLeg(find, fallbacks(source), [pivot]);
    const last = first && (await findLeg(find, [pivot], fallbacks(target)));
    if (last) return routeOf(first, last);
  }
  return null;
}

async function findLeg(
  find: FindModel,
  sources: readonly string[],
  targets: readonly string[],
): Promise<Leg | null> {
  for (const source of sources)
    for (const target of targets) {
      const model = await find(source, target);
      if (model) return { source, target, model };
    }
  return null;
}

const routeOf = (first: Leg, last: Leg): Route => ({
  sourceLanguage: first.source,
  targetLanguage: last.target,
  models: first === last ? [first.model] : [first.model, last.model],
});
