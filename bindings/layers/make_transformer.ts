/** Creates a transformer from a config and weights, which supply what the config leaves open. */

import type { Handle, Host } from '../engine/host.js';
import { Found, type TorchModel, transformerOf } from '../plans/torch_model.js';
import { transformerSlices } from '../plans/torch_names.js';
import { fail } from '../values/errors.js';
import type { TensorData } from '../values/tensor.js';
import type { Slice } from '../weights/slices.js';
import { needHeads, readTransformerConfig, type TransformerOptions } from './layer_config.js';
import {
  type LayerWeights,
  makeOnce,
  type ReadWeights,
  readWeights,
  rowsOf,
  shapesOf,
} from './layer_weights.js';
import { Transformer } from './transformer.js';

export async function makeTransformer(
  host: Host,
  config: TransformerOptions,
  given: LayerWeights,
): Promise<Transformer> {
  needHeads(config);
  const { dtype, ...read } = readTransformerConfig(config);
  const { weights, slices } = slicesOf(read, readWeights(given));
  const model = transformerOf(read, new Found(slices));
  if (model.encoder?.numLayers === 0 && model.decoder?.numLayers === 0)
    fail('invalid_argument', 'neither config nor weights have a layer of an encoder or decoder');
  const build = (host: Host, handed: Handle<'Weights'>) => host.create('Transformer', model, handed);
  return new Transformer(await makeOnce(host, { build, dtype, weights, slices: slices ?? [] }), model);
}

/** Weights and their slices for the engine; no slices for random weights. */
interface Sliced {
  readonly weights: ReadWeights;
  readonly slices: readonly Slice[] | undefined;
}

/** Some names depend on which stacks exist. If the config does not say, the names decide. */
function slicesOf(config: TorchModel, weights: ReadWeights): Sliced {
  if (!weights.tensors) return { weights, slices: undefined };
  const shapes = shapesOf(weights.tensors);
  const found = new Found(
    transformerSlices(shapes, onlyStack(config.numEncoderLayers, config.numDecoderLayers)),
  );
  const only = onlyStack(
    config.numEncoderLayers ?? found.layers('encoder'),
    config.numDecoderLayers ?? found.layers('decoder'),
  );
  const slices = transformerSlices(shapes, only);
  return config.tieEmbeddings ? withoutTied(slices, weights.tensors) : { weights, slices };
}

function onlyStack(
  encoders: number | undefined,
  decoders: number | undefined,
): 'encoder' | 'decoder' | undefined {
  if (decoders === 0 && encoders !== 0) return 'encoder';
  return encoders === 0 && decoders !== 0 ? 'decoder' : undefined;
}

/** Drops the second copy of a tied projection that a state dict contains. */
function withoutTied(slices: readonly Slice[], tensors: ReadonlyMap<string, TensorData>): Sliced {
  const projection = slices.find(({ name }) => name === 'projection.weight');
  const names = ['decoder.embedding.weight', 'embedding.weight', 'encoder.embedding.weight'];
  const table = names.flatMap((name) => slices.find((slice) => slice.name === name) ?? [])[0];
  if (!projection || !table) return { weights: { tensors }, slices };
  const [a, b] = [rowsOf(projection, tensors), rowsOf(table, tensors)];
  if (a.length !== b.length || a.some((value, i) => value !== b[i]))
    fail(
      'invalid_argument',
      `tieEmbeddings is set, but '${projection.from}' and '${table.from}' hold different numbers`,
    );
  const others = [...tensors].filter(([name]) => name !== projection.from);
  return { weights: { tensors: new Map(others) }, slices: slices.filter((slice) => slice !== projection) };
}
