/** Passes of a model of texts and pictures: of one of its encoders, or of both, whose vectors are compared. */

import type { Tower } from '../checkpoint/build_model.js';
import type { Loaded } from '../checkpoint/loaded.js';
import type { PassOutput } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { asTensor, type TensorData } from '../values/tensor.js';
import type { ForwardInputs } from './forward_inputs.js';
import type { ReadForwardOptions } from './forward_options.js';
import type { ForwardOutput } from './forward_output.js';

/** A pass of a model with one encoder, and the same as a caller sees it. */
export interface OnePass {
  readonly output: PassOutput;
  readonly collected: ForwardOutput;
}

/** @param others what the vectors are compared with */
export type RunOne = (model: Loaded, inputs: ForwardInputs, others?: TensorData) => Promise<OnePass>;

/** The encoder of pictures as a model of its own. */
export const picturesOf = (model: Loaded, { plan, handle }: Tower): Loaded => ({
  ...model,
  plan,
  handle,
  tower: null,
});

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function runTowers(
  model: Loaded,
  tower: Tower,
  inputs: ForwardInputs,
  { wanted, run }: { wanted: ReadForwardOptions; run: RunOne },
): Promise<ForwardOutput> {
  const { pixelValues, pixelAttentionMask, spatialShapes, ...texts } = inputs;
  const given = { pixelValues, pixelAttentionMask, spatialShapes };
  if (wanted.trace && texts.inputIds !== undefined && pixelValues !== undefined)
    fail('unsupported', 'trace takes texts or pictures: pass inputIds or pixelValues, not both');
  const text = texts.inputIds === undefined ? null : await run(model, texts);
  const textOutput = text && withEmbeds(text, 'text');
  if (pixelValues === undefined)
    return textOutput ?? fail('invalid_argument', 'inputIds and pixelValues are missing');
  const picture = await run(picturesOf(model, tower), present(given), text?.output.logits ?? wanted.others);
  const pictureOutput = withEmbeds(picture, 'image');
  const { similarities, transposed } = picture.output;
  if (!similarities || !transposed) return pictureOutput;
  const logits = { logitsPerImage: asTensor(similarities), logitsPerText: asTensor(transposed) };
  if (!textOutput) return { ...pictureOutput, ...logits };
  const { textEmbeds } = textOutput;
  const { imageEmbeds } = pictureOutput;
  return {
    ...logits,
    ...(textEmbeds && { textEmbeds }),
    ...(imageEmbeds && { imageEmbeds }),
    textModelOutput: textOutput,
    visionModelOutput: pictureOutput,
  };
}

/** Without the entries that are undefined. */
const present = (inputs: { [name in keyof ForwardInputs]: ForwardInputs[name] | undefined }): ForwardInputs =>
  Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));

/** What is compared, and the same at length 1, in place of the logits that the engine calls them. */
function withEmbeds(
  { output: { embeds }, collected: { logits, ...output } }: OnePass,
  kind: 'text' | 'image',
): ForwardOutput {
  if (!logits || !embeds) return output;
  return { [`${kind}Features`]: logits, [`${kind}Embeds`]: asTensor(embeds), ...output };
}
