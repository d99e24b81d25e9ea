/** Queries on a model's description, for the rest of the package. */

import type { Plan } from './family.js';
import { allowsLeadingPadding, countsMask, maxLengthOf } from './positions.js';
import type { StackName } from './stack.js';

type Described = Pick<Plan, 'model'>;

export const layersIn = ({ model }: Described, stack: StackName) => model[stack]?.numLayers ?? 0;

/** Width of the hidden states (dModel), the same in both stacks. */
export const widthOf = ({ model: { encoder, decoder } }: Described) =>
  (decoder ?? encoder)?.layer?.dModel ?? 0;

/** Vocabulary size of a stack's embedding; 0 for a stack that takes vectors. */
export const vocabularyOf = ({ model }: Described, stack: StackName) => model[stack]?.vocab ?? 0;

/** Whether a stack takes token ids; otherwise it takes vectors. */
export const takesIds = (plan: Described, stack: StackName) => vocabularyOf(plan, stack) > 0;

/** Number of token types that the encoder distinguishes; 0: none. */
export const tokenTypesOf = ({ model }: Described) => model.encoder?.tokenTypes ?? 0;

/** Vocabulary size of the logits; 0 for a model without output projection. */
export const outputVocabularyOf = ({ model }: Described) => model.projection?.vocab ?? 0;

/** The longest sequence that the positions of both stacks cover. */
export function longestInBoth({ model: { encoder, decoder } }: Described): number {
  const lengths = [encoder, decoder].map((stack) => maxLengthOf(stack?.positions));
  return Math.min(...lengths.map((length) => length ?? Number.POSITIVE_INFINITY));
}

/** Width of the keys that the decoder caches per token and layer; the values have the same width. */
export function keyWidthOf(plan: Described): number {
  const { numHeads = 1, numKvHeads, dHead } = plan.model.decoder?.layer?.attention ?? {};
  return (numKvHeads || numHeads) * (dHead || widthOf(plan) / numHeads);
}

/** Whether the encoder's input may be padded on the left without shifting the positions of its tokens. */
export const allowsLeftPadding = ({ model, countsPositions }: Pick<Plan, 'model' | 'countsPositions'>) =>
  countsPositions === true || allowsLeadingPadding(model.encoder?.positions);

/**
 * Whether the reference would skip padding between tokens when it counts decoder positions, which the engine cannot.
 */
export const refusesGaps = ({ model }: Described) => countsMask(model.decoder?.positions);
