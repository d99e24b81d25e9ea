/** What the rest of the package asks of a model's description. */

import type { Plan } from './family.js';
import { allowsLeadingPadding, countsMask, maxLengthOf } from './positions.js';
import type { StackName } from './stack.js';

type Described = Pick<Plan, 'model'>;

export const layersIn = ({ model }: Described, stack: StackName) => model[stack]?.numLayers ?? 0;

/** The width of the hidden states, which both stacks share. */
export const widthOf = ({ model: { encoder, decoder } }: Described) =>
  (decoder ?? encoder)?.layer?.dModel ?? 0;

/** Tokens that a stack reads; 0 for one that reads vectors. */
export const vocabularyOf = ({ model }: Described, stack: StackName) => model[stack]?.vocab ?? 0;

/** Whether a stack reads token ids; else it reads vectors. */
export const takesIds = (plan: Described, stack: StackName) => vocabularyOf(plan, stack) > 0;

/** Kinds of tokens that the encoder tells apart; 0: none. */
export const tokenTypesOf = ({ model }: Described) => model.encoder?.tokenTypes ?? 0;

/** Tokens that the logits score; 0 for a model without output projection. */
export const outputVocabularyOf = ({ model }: Described) => model.projection?.vocab ?? 0;

/** The longest sequence that both stacks have positions for. */
export function longestInBoth({ model: { encoder, decoder } }: Described): number {
  const lengths = [encoder, decoder].map((stack) => maxLengthOf(stack?.positions));
  return Math.min(...lengths.map((length) => length ?? Number.POSITIVE_INFINITY));
}

/** Numbers that the decoder keeps of each token in each layer: as many for its key as for its value. */
export function keyWidthOf(plan: Described): number {
  const { numHeads = 1, numKvHeads, dHead } = plan.model.decoder?.layer?.attention ?? {};
  return (numKvHeads || numHeads) * (dHead || widthOf(plan) / numHeads);
}

/** Whether padding may stand before the tokens of the encoder: it moves them to no other positions. */
export const mayLead = ({ model, countsPositions }: Pick<Plan, 'model' | 'countsPositions'>) =>
  countsPositions === true || allowsLeadingPadding(model.encoder?.positions);

/** Whether the decoder's positions would have to skip padding between tokens, which the engine's cannot. */
export const refusesGaps = ({ model }: Described) => countsMask(model.decoder?.positions);
