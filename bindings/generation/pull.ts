/** Pulls tokens out of the engine: between two requests, the caller can abort. */

import type { Loaded, LoadedModel } from '../checkpoint/loaded.js';
import type { ConstructorArgs } from '../engine/calls.js';
import type {
  Edit,
  GenerationInput,
  GenerationOptions,
  GenerationProgress,
  HeadFactor,
} from '../modules/embind.js';
import type { Media } from '../plans/front_end_config.js';
import { concatenated, type TensorData } from '../values/tensor.js';
import type { Input, Source } from './inputs.js';
import type { AllowedTokens } from './options.js';

/** The source of a generation: an input, or the encoder's output in its place. */
type PullInput = Pick<Input, 'promptIds' | 'prefixLength' | 'padding' | 'padId' | 'shortlist'> &
  ({ readonly source: Source | null } | { readonly memory: TensorData });

/** Settings of a generation. */
interface PullSettings {
  /** The engine's options. */
  readonly settings: Partial<GenerationOptions>;
  readonly heads?: HeadFactor[] | undefined;
  readonly edits?: Edit[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly prefixAllowedTokens?: AllowedTokens | undefined;
  /** A form that the answers keep to. */
  readonly constrain?: Readonly<Record<string, unknown>> | undefined;
  /** A smaller model that guesses what follows. */
  readonly assistantModel?: LoadedModel | undefined;
  /** The place of each input among those of the caller; default: from 0 on. */
  readonly places?: readonly number[] | undefined;
  /** Whether every report has the results so far, not only the last one. */
  readonly reportsResults?: boolean | undefined;
}

/**
 * Generates for several inputs at once and reports every few tokens. Leaving the loop early ends the generation.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* pull(
  model: Loaded,
  inputs: readonly PullInput[],
  {
    settings,
    heads = [],
    edits = [],
    signal,
    prefixAllowedTokens: allowed,
    constrain,
    assistantModel,
    places = [],
    reportsResults,
  }: PullSettings,
): AsyncGenerator<GenerationProgress, void, void> {
  const { host, handle } = model;
  signal?.throwIfAborted();
  const [{ prefixLength = 0 } = {}] = inputs;
  const form = constrain && (await (await import('./constrained.js')).formOf(model, constrain, prefixLength));
  const input = { ...engineInput(inputs), ...form, heads, edits };
  const args: ConstructorArgs<'Generation'> = [handle, input, settings];
  const assistant =
    assistantModel &&
    (await import('./assistant.js')).assistantOf(model, assistantModel, input.sources ?? []);
  const progresses = allowed
    ? (await import('./allowed_tokens.js')).steps(
        model,
        args,
        allowed,
        inputs.map((_, i) => places[i] ?? i),
      )
    : host.run({ args, assistant, reportsResults }, signal);
  for await (const progress of progresses) {
    signal?.throwIfAborted();
    model.checkAlive();
    yield progress;
  }
}

/** The inputs in the engine's terms: token ids or vectors for the encoder, and the decoder's prompts. */
function engineInput(inputs: readonly PullInput[]): Partial<GenerationInput> {
  const prompts = inputs.map(({ promptIds, padding, padId }) =>
    Int32Array.from([...new Array<number>(padding).fill(padId), ...promptIds]),
  );
  const decoder = { prompts, padding: Int32Array.from(inputs, ({ padding }) => padding) };
  const sourceIds: Int32Array[] = [];
  const media: Media[] = [];
  const memories: TensorData[] = [];
  for (const input of inputs) {
    if ('memory' in input) memories.push(input.memory);
    else if (input.source instanceof Int32Array) sourceIds.push(input.source);
    else if (input.source) media.push(input.source);
  }
  return {
    ...decoder,
    sources: sourceIds,
    shortlists: inputs.flatMap(({ shortlist }) => shortlist ?? []),
    ...(media.length > 0 && { media: media.length === 1 ? media[0] : joined(media) }),
    ...(memories.length > 0 && { memory: joinedMemories(memories) }),
  };
}

/** Sounds or pictures of one size, each without the batch axis. */
function joined(media: readonly Media[]): Media {
  const masks = media.flatMap(({ mask }) => mask ?? []);
  return {
    values: stacked(media.map(({ values }) => values)),
    ...(masks.length > 0 && { mask: stacked(masks) }),
  };
}

/** Tensors of one shape along a batch axis. */
function stacked(tensors: readonly TensorData[]): TensorData {
  const { shape = [] } = tensors[0] ?? {};
  return { data: concatenated(tensors.map(({ data }) => data)), shape: [tensors.length, ...shape] };
}

/** Encoders' outputs [1, time, dModel]. */
const joinedMemories = (memories: readonly TensorData[]): TensorData =>
  stacked(memories.map(({ data, shape }) => ({ data, shape: shape.slice(1) })));
