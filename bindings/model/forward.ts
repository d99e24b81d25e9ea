/** One pass through the model, the decoder fed with what the caller gives it (teacher forcing). */

import { fail } from '../engine/errors.js';
import { checkNames, toBoolean, toObject } from '../engine/options.js';
import {
  checkInputs,
  type ForwardInputs,
  readDecoderInput,
  readInput,
  type StackInput,
} from './forward_inputs.js';
import { collect, type EngineOutput, type ForwardOutput, lastStates } from './forward_output.js';
import { hasDecoder, hasEncoder, type Loaded } from './loaded.js';
import { factorsOf, type HeadFactors, Trace } from './places.js';

export interface ForwardOptions {
  /** Also the attention weights, a tensor a layer. */
  outputAttentions?: boolean;
  /** Also what goes into the first layer and comes out of each, a tensor each. */
  outputHiddenStates?: boolean;
  /**
   * Inner tensors by their paths, in which `*` stands for any name: `decoder.layers.3.cross.weights`,
   * `encoder.layers.*.residual`. In a layer there are self and cross .queries, .keys, .values, .scores, .weights and
   * .residual, feed_forward.residual, residual (what leaves the layer), and in a decoder logits (what the model would say
   * if the layer were the last); around the layers encoder and decoder .embeddings and .output.
   */
  trace?: string[];
  /** Factors of heads by their paths: `{ 'decoder.layers.1.cross.2': 0 }` switches one off. */
  heads?: HeadFactors;
}

const optionNames: readonly (keyof ForwardOptions)[] = [
  'outputAttentions',
  'outputHiddenStates',
  'trace',
  'heads',
];

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function forward(
  model: Loaded,
  inputs: ForwardInputs,
  options: ForwardOptions,
): Promise<ForwardOutput> {
  checkInputs(model, inputs);
  const { trace, ...wanted } = readOptions(model, options);
  const first = await readInput(model, inputs);
  const decoder = hasEncoder(model) && hasDecoder(model) ? readDecoderInput(model, inputs) : undefined;
  if (decoder && decoder.tokens.shape[0] !== first.tokens.shape[0]) {
    const [sources, targets] = [first.tokens.shape[0], decoder.tokens.shape[0]];
    fail(
      'invalid_argument',
      `the encoder has a batch of ${sources} sequences, the decoder one of ${targets}`,
    );
  }
  const paths = [...(trace?.paths ?? []), ...(wanted.outputHiddenStates ? lastStates(model) : [])];
  const source = hasEncoder(model) ? first : undefined;
  const target = hasEncoder(model) ? decoder : first;
  const output = await model.host.call<EngineOutput>(
    model.transformer,
    'forward',
    source?.tokens,
    target?.tokens,
    { ...wanted, ...masksOf(source, target), ...(paths.length > 0 ? { trace: paths } : {}) },
  );
  return collect(model, output, { source: source?.shifts ?? null, target: target?.shifts ?? null }, trace);
}

function readOptions(model: Loaded, options: ForwardOptions) {
  const given = toObject(options, 'options');
  checkNames(given, optionNames, 'options');
  const isAsked = (name: string) => given[name] !== undefined && toBoolean(given[name], name);
  return {
    outputAttentions: isAsked('outputAttentions'),
    outputHiddenStates: isAsked('outputHiddenStates'),
    trace: options.trace && traceOf(model, options.trace),
    ...headsOf(model, options.heads),
  };
}

function traceOf({ plan }: Loaded, patterns: unknown): Trace {
  if (!Array.isArray(patterns) || patterns.some((pattern) => typeof pattern !== 'string'))
    fail('invalid_argument', "trace must be a list of paths, as ['decoder.layers.0.cross.weights']");
  return new Trace(patterns, plan.engine);
}

/** The option of the engine for heads that are turned down; nothing where none are. */
export function headsOf({ plan }: Loaded, heads: unknown): { heads?: Record<string, number[]> } {
  if (heads === undefined) return {};
  const given = toObject(heads, 'heads') as HeadFactors;
  return { heads: factorsOf(given, plan.engine) };
}

function masksOf(source: StackInput | undefined, target: StackInput | undefined): object {
  return {
    srcKeyPaddingMask: source?.mask,
    memoryKeyPaddingMask: target && source?.mask,
    tgtKeyPaddingMask: target?.mask,
    tokenTypes: source?.types,
    isCausal: target !== undefined,
  };
}
