/** Transcription settings from a checkpoint's files: the ids of special tokens, and sizes. */

import type { Loaded } from '../../checkpoint/loaded.js';
import { Fields } from '../../files/fields.js';
import { type FramesConfig, frontOf } from '../../plans/front_end_config.js';
import { headsIn, layersIn } from '../../plans/model_shape.js';
import { fail } from '../../values/errors.js';
import { languageCodes } from './languages.js';

export interface SpeechSettings {
  /** What the model reads at once. */
  readonly window: FramesConfig;
  /** Seconds of a step between two timestamps. */
  readonly timeStep: number;
  /** Frames that a step of the decoder's attention covers. */
  readonly framesPerStep: number;
  /** Tokens that the decoder can hold. */
  readonly maxTokens: number;
  /** Ids. Below `end` are words. */
  readonly end: number;
  readonly start: number;
  readonly noTimestamps: number;
  readonly firstTimestamp: number;
  readonly noSpeech: number;
  /** Precedes earlier text; `null` in a model without one. */
  readonly previous: number | null;
  /** By language code; empty for a model of one language. */
  readonly languages: ReadonlyMap<string, number>;
  readonly tasks: ReadonlyMap<string, number>;
  readonly maxInitialTimestampIndex: number | undefined;
  /** [layer, head] pairs whose attention follows the sound. */
  readonly alignmentHeads: readonly (readonly [layer: number, head: number])[];
  readonly medianFilterWidth: number;
}

/** @throws TransformerError `unsupported` for a model that takes no audio, `bad_checkpoint` */
export function speechSettings(model: Loaded): SpeechSettings {
  const front = frontOf(model.plan);
  const { maxPositions } = model.plan;
  if (front?.input !== 'inputFeatures')
    fail('unsupported', 'this model does not take audio, so it cannot transcribe');
  const fields = new Fields(model.generation.fields, 'generation_config.json');
  const config = new Fields(model.config, 'config.json');
  const noTimestamps =
    fields.id('no_timestamps_token_id') ??
    model.tokenizer?.idOf('<|notimestamps|>') ??
    fail('unsupported', 'this model has no timestamps, so it cannot transcribe: use generate');
  const start = model.generation.decoderStartTokenId ?? model.plan.tokens.decoderStart;
  const [end] = model.generation.eosTokenIds;
  if (start === null || end === undefined)
    fail('bad_checkpoint', 'generation_config.json has no decoder_start_token_id or no eos_token_id');
  const isMultilingual = fields.flag('is_multilingual', true);
  return {
    window: front.frames,
    timeStep: 0.02,
    framesPerStep: 2,
    maxTokens: maxPositions ?? Number.POSITIVE_INFINITY,
    end,
    start,
    noTimestamps,
    firstTimestamp: noTimestamps + 1,
    noSpeech: noTimestamps - 1,
    previous:
      fields.id('prev_sot_token_id') ??
      model.tokenizer?.idOf('<|startofprev|>') ??
      fields.ids('suppress_tokens').at(-2) ??
      null,
    languages: isMultilingual ? languagesOf(model, fields.raw('lang_to_id')) : new Map(),
    tasks: isMultilingual ? idsOf(model, fields.raw('task_to_id'), ['transcribe', 'translate']) : new Map(),
    maxInitialTimestampIndex: fields.has('max_initial_timestamp_index')
      ? fields.count('max_initial_timestamp_index', undefined, 0)
      : undefined,
    alignmentHeads: alignmentHeads(model, fields.raw('alignment_heads')),
    medianFilterWidth: config.count('median_filter_width', 7),
  };
}

function languagesOf(model: Loaded, given: unknown): Map<string, number> {
  return idsOf(model, given, [...languageCodes]);
}

/** Ids by the names of tokens, `en` for `<|en|>`: those that the file gives, or else those of the tokenizer. */
function idsOf(model: Loaded, given: unknown, names: readonly string[]): Map<string, number> {
  const entries: [string, number][] = [];
  if (typeof given === 'object' && given !== null) {
    for (const [name, id] of Object.entries(given))
      if (Number.isSafeInteger(id)) entries.push([name.replace(/^<\|(.*)\|>$/, '$1'), id]);
  } else {
    for (const name of names) {
      const id = model.tokenizer?.idOf(`<|${name}|>`) ?? null;
      if (id !== null) entries.push([name, id]);
    }
  }
  return new Map(entries.sort(([, a], [, b]) => a - b));
}

/** Where the file names none: all heads of the upper half of the layers. */
function alignmentHeads(model: Loaded, given: unknown): [number, number][] {
  const isPair = (pair: unknown): pair is [number, number] =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    pair.every((place) => Number.isSafeInteger(place) && place >= 0);
  if (Array.isArray(given) && given.length > 0 && given.every(isPair)) return given;
  const layers = layersIn(model.plan, 'decoder');
  const heads = headsIn(model.plan, 'decoder');
  const chosen: [number, number][] = [];
  for (let layer = Math.floor(layers / 2); layer < layers; layer++)
    for (let head = 0; head < heads; head++) chosen.push([layer, head]);
  return chosen;
}
