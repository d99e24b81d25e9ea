/** Passes of a model of texts and pictures: of one of its encoders, or of both, whose vectors are compared. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { Pool, Tower } from '../checkpoint/tower.js';
import { fail } from '../values/errors.js';
import { asTensor, Tensor, type TensorData } from '../values/tensor.js';
import type { ForwardInputs } from './forward_inputs.js';
import type { ReadForwardOptions } from './forward_options.js';
import type { ForwardOutput } from './forward_output.js';

/** One pass of a model with one encoder. */
export type RunOne = (model: Loaded, inputs: ForwardInputs) => Promise<ForwardOutput>;

/** The encoder of pictures as a model of its own. */
export const picturesOf = (model: Loaded, { plan, handle, frontEnd }: Tower): Loaded => ({
  ...model,
  plan,
  handle,
  frontEnd,
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
  const text = texts.inputIds === undefined ? null : withEmbeds(await run(model, texts), 'textEmbeds');
  if (pixelValues === undefined)
    return text ?? fail('invalid_argument', 'inputIds and pixelValues are missing');
  const pictures = picturesOf(model, tower);
  const states = await run(pictures, present(given));
  const pooled = tower.pool ? await attentionPool(pictures, tower.pool, states) : states;
  const picture = withEmbeds(pooled, 'imageEmbeds');
  return text ? compared(tower, text, picture) : picture;
}

/** Without the entries that are undefined. */
const present = (inputs: { [name in keyof ForwardInputs]: ForwardInputs[name] | undefined }): ForwardInputs =>
  Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));

/** The vectors at length 1, in place of the logits that the engine calls them. */
function withEmbeds({ logits, ...output }: ForwardOutput, name: 'textEmbeds' | 'imageEmbeds'): ForwardOutput {
  if (!logits) return output;
  const features = name === 'textEmbeds' ? 'textFeatures' : 'imageFeatures';
  return { [features]: logits, [name]: atLengthOne(logits), ...output };
}

/** Each row at length 1. */
export function atLengthOne({ data, shape }: TensorData): Tensor {
  const width = shape.at(-1) ?? 1;
  const lengths = Float64Array.from({ length: data.length / width }, (_, row) =>
    Math.sqrt(data.subarray(row * width, (row + 1) * width).reduce((sum, one) => sum + one * one, 0)),
  );
  const made = data.map((one, i) => one / (lengths[Math.floor(i / width)] || 1));
  return asTensor({ data: made, shape });
}

function compared(tower: Tower, text: ForwardOutput, picture: ForwardOutput): ForwardOutput {
  const { textEmbeds, imageEmbeds } = { ...text, ...picture };
  if (!textEmbeds || !imageEmbeds) return fail('internal', 'there are no vectors to compare');
  const logitsPerImage = logitsOf(tower, imageEmbeds, textEmbeds);
  return {
    logitsPerImage,
    logitsPerText: transposed(logitsPerImage),
    textEmbeds,
    imageEmbeds,
    textModelOutput: text,
    visionModelOutput: picture,
  };
}

/** [pictures, texts] */
export function logitsOf({ scale, bias }: Tower, pictures: TensorData, texts: TensorData): Tensor {
  const [rows = 0, width = 0] = pictures.shape;
  const [columns = 0] = texts.shape;
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let i = 0; i < width; i++)
        sum += (pictures.data[row * width + i] ?? 0) * (texts.data[column * width + i] ?? 0);
      data[row * columns + column] = scale * sum + bias;
    }
  return new Tensor(data, [rows, columns]);
}

function transposed({ data, shape: [rows = 0, columns = 0] }: Tensor): Tensor {
  const made = data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)] ?? 0);
  return new Tensor(made, [columns, rows]);
}

/** y + FFN(LayerNorm(y)), where y is what the learned query attends to. */
async function attentionPool(model: Loaded, pool: Pool, output: ForwardOutput): Promise<ForwardOutput> {
  const states = output.lastHiddenState ?? fail('internal', 'there are no states');
  const { dModel } = pool.config;
  const [batch = 0] = states.shape;
  const queries = new Float32Array(batch * dModel);
  for (let row = 0; row < batch; row++) queries.set(pool.probe, row * dModel);
  const query = { data: queries, shape: [batch, 1, dModel] };
  const options = output.patchMask ? { keyPaddingMask: output.patchMask } : {};
  const { output: y } = await model.host.invoke(pool.attention, 'forward', query, states, states, options);
  const added = await model.host.invoke(pool.feedForward, 'forward', layerNorm(y, pool));
  const pooled = new Tensor(
    y.data.map((one, i) => one + (added.data[i] ?? 0)),
    [batch, dModel],
  );
  return { ...output, poolerOutput: pooled, logits: pooled };
}

function layerNorm({ data, shape }: TensorData, { weight, bias, config }: Pool): TensorData {
  const width = config.dModel;
  const made = new Float32Array(data.length);
  for (let begin = 0; begin < data.length; begin += width) {
    const row = data.subarray(begin, begin + width);
    const mean = row.reduce((sum, one) => sum + one, 0) / width;
    const variance = row.reduce((sum, one) => sum + (one - mean) ** 2, 0) / width;
    for (const [i, one] of row.entries())
      made[begin + i] = ((one - mean) / Math.sqrt(variance + config.eps)) * (weight[i] ?? 0) + (bias[i] ?? 0);
  }
  return { data: made, shape };
}
