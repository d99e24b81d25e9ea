/** Queries on a model's description, for the rest of the package. */

import type { Plan } from './family.js';
import { countsMask, maxLengthOf, positionsAllowLeadingPadding } from './positions.js';
import type { StackName } from './stack.js';

type Described = Pick<Plan, 'model'>;

const recurrentOf = ({ model }: Described) => ('recurrent' in model ? model.recurrent : undefined);
const stackOf = ({ model }: Described, stack: StackName) => ('recurrent' in model ? undefined : model[stack]);

/** A stack's number of layers; 0 if the model does not have it. */
export const layersIn = (plan: Described, stack: StackName) =>
  recurrentOf(plan)?.numLayers ?? stackOf(plan, stack)?.numLayers ?? 0;

/** A stack's heads per attention; 0 if the model does not have it. */
export const headsIn = (plan: Described, stack: StackName) =>
  stackOf(plan, stack)?.layer?.attention?.numHeads ?? 0;

/** Width of the hidden states (dModel) of a stack, or of the other one if there is only that. */
export function widthOf(plan: Described, stack: StackName): number {
  const other = stack === 'encoder' ? 'decoder' : 'encoder';
  return recurrentOf(plan)?.hiddenSize ?? (stackOf(plan, stack) ?? stackOf(plan, other))?.layer?.dModel ?? 0;
}

/** Vocabulary size of a stack's embedding; 0 for a stack that takes vectors. */
export function vocabularyOf(plan: Described, stack: StackName): number {
  const { srcVocabSize, tgtVocabSize } = recurrentOf(plan) ?? {};
  return (stack === 'encoder' ? srcVocabSize : tgtVocabSize) ?? stackOf(plan, stack)?.vocab ?? 0;
}

/** Whether a stack takes token ids; otherwise it takes vectors. */
export const takesIds = (plan: Described, stack: StackName) => vocabularyOf(plan, stack) > 0;

/** Number of token types that the encoder distinguishes; 0: none. */
export const tokenTypesOf = (plan: Described) => stackOf(plan, 'encoder')?.tokenTypes ?? 0;

/** Vocabulary size of the logits; 0 for a model without output projection. */
export function outputVocabularyOf(plan: Described): number {
  if ('recurrent' in plan.model) return vocabularyOf(plan, 'decoder');
  return plan.model.projection?.vocab ?? 0;
}

/** The longest sequence that the positions of both stacks cover. */
export function longestInBoth(plan: Described): number {
  const lengths = (['encoder', 'decoder'] as const).map((stack) =>
    maxLengthOf(stackOf(plan, stack)?.positions),
  );
  return Math.min(...lengths.map((length) => length ?? Number.POSITIVE_INFINITY));
}

/** Width of the keys that the decoder caches per token and layer; the values have the same width. */
export function keyWidthOf(plan: Described): number {
  const { numHeads = 1, numKvHeads, dHead } = stackOf(plan, 'decoder')?.layer?.attention ?? {};
  return (numKvHeads || numHeads) * (dHead || widthOf(plan, 'decoder') / numHeads);
}

/** Whether the encoder's input may begin with padding without shifting the positions of its tokens. */
export const allowsLeadingPadding = (plan: Pick<Plan, 'model' | 'countsPositions'>) =>
  plan.countsPositions === true || positionsAllowLeadingPadding(stackOf(plan, 'encoder')?.positions);

/**
 * Whether the reference would skip padding between tokens when it counts decoder positions, which the engine cannot.
 */
export const refusesGaps = (plan: Described) => countsMask(stackOf(plan, 'decoder')?.positions);
