/** Attention weights, hidden states and inner tensors of a pass over an input and the result generated from it. */

import { type Loaded, tokensOf } from '../checkpoint/loaded.js';
import { runForward } from '../insight/forward.js';
import type { ForwardInputs } from '../insight/forward_inputs.js';
import type { ReadForwardOptions } from '../insight/forward_options.js';
import { frontOf } from '../plans/front_end_config.js';
import { type Source, sourceTokensOf } from './inputs.js';
import type { Attentions } from './results.js';

/** One pass over a source and a finished result, with its attention weights or hidden states. */
export async function passOver(
  model: Loaded,
  source: Source | null,
  ids: readonly number[],
  { signal, ...options }: ReadForwardOptions & { signal?: AbortSignal | undefined },
): Promise<Partial<Attentions>> {
  signal?.throwIfAborted();
  // The last token was generated, but never fed to the decoder.
  const decoderIds = ids.slice(0, -1);
  const output = await runForward(model, inputsOf(model, source, decoderIds), options);
  const axes = {
    source: source instanceof Int32Array ? sourceTokensOf(model, source) : [],
    decoder: tokensOf(model, decoderIds),
    written: tokensOf(model, ids.slice(1)),
  };
  const { encoderAttentions, decoderAttentions, crossAttentions, attentions, trace } = output;
  const { encoderHiddenStates, decoderHiddenStates, hiddenStates } = output;
  const stacks = source
    ? { encoderAttentions, decoderAttentions, crossAttentions, encoderHiddenStates, decoderHiddenStates }
    : { decoderAttentions: attentions, decoderHiddenStates: hiddenStates };
  const captured = Object.entries({ ...stacks, trace }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(captured), axes };
}

function inputsOf({ plan }: Loaded, source: Source | null, decoderIds: readonly number[]): ForwardInputs {
  if (source === null) return { inputIds: decoderIds };
  if (source instanceof Int32Array) return { inputIds: source, decoderInputIds: decoderIds };
  const name = frontOf(plan)?.input ?? 'inputsEmbeds';
  const mask = source.mask && { attentionMask: source.mask };
  return { [name]: source.values, ...mask, decoderInputIds: decoderIds };
}
