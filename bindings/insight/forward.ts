/** One pass through the model, with the decoder's input given by the caller (teacher forcing). */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import type { PassOptions, PassOutput } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import {
  checkInputs,
  type ForwardInputs,
  readDecoderInput,
  readInput,
  type StackInput,
} from './forward_inputs.js';
import { type ForwardOptions, type ReadForwardOptions, readForwardOptions } from './forward_options.js';
import { collect, type ForwardOutput } from './forward_output.js';
import { type EncoderIds, type PassWishes, sharedPass } from './shared_passes.js';
import type { OnePass, RunOne } from './towers.js';

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function forward(
  model: Loaded,
  inputs: ForwardInputs,
  options: ForwardOptions,
  signal?: AbortSignal,
): Promise<ForwardOutput> {
  checkInputs(model, inputs);
  return runForward(model, inputs, readForwardOptions(options), signal);
}

/** Like {@link forward}, for inputs and options that are already checked. */
export async function runForward(
  model: Loaded,
  inputs: ForwardInputs,
  wanted: ReadForwardOptions,
  signal?: AbortSignal,
): Promise<ForwardOutput> {
  if (!model.tower) return (await runOne(model, inputs, wanted, signal)).collected;
  const { runTowers } = await import('./towers.js');
  const run: RunOne = (one, given, others) =>
    runOne(one, given, { ...wanted, ...(others && { others }) }, signal);
  return runTowers(model, model.tower, inputs, { wanted, run });
}

/** A pass of a model that is not one of two encoders. */
async function runOne(
  model: Loaded,
  inputs: ForwardInputs,
  wanted: ReadForwardOptions,
  signal?: AbortSignal,
): Promise<OnePass> {
  const first = readInput(model, inputs);
  const decoder = hasEncoder(model) && hasDecoder(model) ? readDecoderInput(model, inputs) : undefined;
  if (decoder && decoder.batch !== first.batch)
    fail(
      'invalid_argument',
      `the encoder's batch has ${first.batch} sequences, the decoder's has ${decoder.batch}`,
    );
  const source = hasEncoder(model) ? first : undefined;
  const target = hasEncoder(model) ? decoder : first;
  const output =
    source && !target && isShareable(source, wanted)
      ? await sharedPass(model, { input: source, wishes: wanted }, runEncoder, signal)
      : await runPass(model, { source, target }, wanted);
  const shifts = { source: source?.shifts ?? null, target: target?.shifts ?? null };
  return { output, collected: collect(model, output, shifts, wanted) };
}

async function runEncoder(model: Loaded, source: EncoderIds, wishes: PassWishes): Promise<PassOutput> {
  model.checkAlive();
  return runPass(model, { source, target: undefined }, wishes);
}

interface PassInputs {
  readonly source: StackInput | undefined;
  readonly target: StackInput | undefined;
}

const runPass = (
  { host, handle, plan }: Loaded,
  { source, target }: PassInputs,
  {
    outputAttentions,
    outputHiddenStates,
    trace,
    heads,
    edits,
    skipPadding,
    skipLogits,
    ...rest
  }: ReadForwardOptions,
): Promise<PassOutput> =>
  host.invoke(handle, 'forward', source?.tokens, target?.tokens, {
    ...masksOf(source, target),
    ...(source?.media && { media: source.media }),
    others: rest.others,
    sentence: rest.sentence,
    ...(plan.isCausal && { isCausal: true }),
    lastStateBeforeNorm: plan.statesBeforeNorm,
    outputAttentions,
    outputHiddenStates,
    trace,
    heads,
    edits,
    skipPadding,
    skipLogits,
  });

/** Whether the pass has nothing but results of the model as it is, and none of padding. */
function isShareable(source: StackInput, wanted: ReadForwardOptions): source is EncoderIds {
  const { outputAttentions, outputHiddenStates, trace, heads, edits, skipPadding } = wanted;
  if (outputAttentions || outputHiddenStates || trace || heads || edits) return false;
  return source.tokens?.data instanceof Int32Array && (skipPadding || !source.mask?.data.includes(0));
}

function masksOf(source: StackInput | undefined, target: StackInput | undefined): Partial<PassOptions> {
  return {
    srcKeyPaddingMask: source?.mask,
    memoryKeyPaddingMask: target && source?.mask,
    tgtKeyPaddingMask: target?.mask,
    ...(source?.types && { tokenTypes: source.types.data }),
    isCausal: target !== undefined,
  };
}
