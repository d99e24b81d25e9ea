/** What is seen of a pass over an input and what was generated from it. */

import { runForward } from './forward.js';
import type { ReadForwardOptions } from './forward_options.js';
import { type Source, sourceNamesOf } from './inputs.js';
import { type Loaded, namesOf } from './loaded.js';
import type { Attentions } from './results.js';

/** One pass over a source and a finished result, with its attention weights or hidden states. */
export async function passOver(
  model: Loaded,
  source: Source | null,
  ids: readonly number[],
  { signal, ...options }: ReadForwardOptions & { signal?: AbortSignal | undefined },
): Promise<Partial<Attentions>> {
  signal?.throwIfAborted();
  // The last token was written, but never read.
  const read = ids.slice(0, -1);
  const output = await runForward(model, inputsOf(source, read), options);
  const axes = {
    source: source instanceof Int32Array ? sourceNamesOf(model, source) : [],
    decoder: namesOf(model, read),
    written: namesOf(model, ids.slice(1)),
  };
  const { encoderAttentions, decoderAttentions, crossAttentions, attentions, trace } = output;
  const { encoderHiddenStates, decoderHiddenStates, hiddenStates } = output;
  const stacks = source
    ? { encoderAttentions, decoderAttentions, crossAttentions, encoderHiddenStates, decoderHiddenStates }
    : { decoderAttentions: attentions, decoderHiddenStates: hiddenStates };
  const seen = Object.entries({ ...stacks, trace }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(seen), axes };
}

function inputsOf(source: Source | null, read: readonly number[]) {
  if (source === null) return { inputIds: read };
  return source instanceof Int32Array
    ? { inputIds: source, decoderInputIds: read }
    : { inputsEmbeds: source, decoderInputIds: [...read] };
}
