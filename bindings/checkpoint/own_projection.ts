/** Output projections that are stored beside the embedding that config.json ties them to. */

import type { Plan } from '../plans/family.js';
import { haveSameNumbers } from '../weights/same_numbers.js';
import type { Slice } from '../weights/slices.js';
import type { WeightFiles } from '../weights/weight_file.js';

/**
 * The plan for the numbers that the files hold: as in Python (transformers 5), a projection that differs from the
 * embedding is not tied to it. A copy is left out.
 *
 * @throws TransformerError `bad_checkpoint`; the signal's reason.
 */
export async function withOwnProjection(plan: Plan, files: WeightFiles, signal?: AbortSignal): Promise<Plan> {
  const { model } = plan;
  const twice = plan.slices.find(({ unlessSameAs }) => unlessSameAs !== undefined);
  if (!twice || 'recurrent' in model || !model.projection) return plan;
  const slices = withoutCopies(plan.slices);
  const { unlessSameAs, ...own } = twice;
  const table = slices.find(({ name }) => name === unlessSameAs);
  if (!table || (await haveSameNumbers(files, [own.from, table.from], signal))) return { ...plan, slices };
  const projection = { ...model.projection, tied: false };
  return { ...plan, model: { ...model, projection }, slices: [...slices, own] };
}

/** The plan of a model whose projection is tied. */
export const withoutCopies = (slices: readonly Slice[]): Slice[] =>
  slices.filter(({ unlessSameAs }) => unlessSameAs === undefined);
