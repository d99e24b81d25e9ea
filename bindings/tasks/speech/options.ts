/** The options of a transcription. */

import { isIds, type TextOptions, textReaders } from '../../generation/settings/text_options.js';
import {
  type FieldsOf,
  type ReadersOf,
  readFields,
  toBe,
  toBoolean,
  toChoice,
  toFunction,
  toNumber,
  toSignal,
} from '../../values/options.js';
import type { Segment } from './transcription.js';

/** How far a transcription is. */
export interface TranscribeProgress {
  /** `features`: the sound is measured; `text`: it is written down. */
  phase: 'features' | 'text';
  /** Seconds of the recording. */
  done: number;
  total: number;
}

/**
 * Named as in Python's `generate()` for Whisper, in camel case, with the same defaults. For long or difficult
 * recordings:
 * `{ temperature: [0, 0.2, 0.4, 0.6, 0.8, 1], compressionRatioThreshold: 1.35, logprobThreshold: -1, noSpeechThreshold:
 * 0.6, conditionOnPrevTokens: true }`, as in the paper.
 */
export interface TranscribeOptions
  extends Omit<
    TextOptions,
    'temperature' | 'doSample' | 'eosTokenId' | 'numReturnSequences' | 'firstTimestampId'
  > {
  /** `'en'`, `'english'` or `'<|en|>'`; default: detected from the beginning. */
  language?: string;
  /**
   * `'translate'`: into English. `null`: no task token, as in Python where the language is detected and no task given.
   * Default: `'transcribe'`.
   */
  task?: 'transcribe' | 'translate' | null;
  /**
   * `true`: segments have times; `'words'`: words too; `false`: text alone, faster; a recording that is longer than a
   * window needs times and has them anyway. Default: `true`.
   */
  timestamps?: boolean | 'words';
  /** Text that could have come before, such as names and their spelling; or its token ids. */
  prompt?: string | ArrayLike<number>;
  /** Whether the prompt precedes the first window only, or each. Default: `'first-segment'`. */
  promptConditionType?: 'first-segment' | 'all-segments';
  /** Whether each window continues the text of those before. Default: `false`. */
  conditionOnPrevTokens?: boolean;
  /** Temperatures to try in turn until the text passes the thresholds; 0: greedy or beam search. Default: 0. */
  temperature?: number | number[];
  /** Text that repeats itself more than this is rejected. Usual: 1.35. */
  compressionRatioThreshold?: number;
  /** Text whose tokens have a lower mean log-probability is rejected. Usual: -1. */
  logprobThreshold?: number;
  /** A rejected window with a higher probability of silence is skipped. Usual: 0.6. */
  noSpeechThreshold?: number;
  /** Called with each segment as soon as it is certain. An exception thrown here ends the transcription. */
  onSegment?: (segment: Segment) => void;
  onProgress?: (progress: TranscribeProgress) => void;
  /** Aborts, and rejects with the signal's reason. */
  signal?: AbortSignal;
}

const { temperature: _, doSample: __, eosTokenId: ___, numReturnSequences: ____, ...shared } = textReaders;
const { firstTimestampId: _____, ...text } = shared;

const isTemperature = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

function toTemperatures(value: unknown, name: string): number[] {
  const list = [value].flat();
  const isList = (given: unknown[]): given is number[] => given.length > 0 && given.every(isTemperature);
  return toBe('a number from 0 on, or a list of them', isList as (given: unknown) => given is number[])(
    list,
    name,
  );
}

const readers = {
  ...text,
  language: toBe('a language', (value): value is string => typeof value === 'string' && value !== ''),
  task: (value: unknown, name: string) =>
    value === null ? null : toChoice(value, name, ['transcribe', 'translate']),
  timestamps: toBe(
    "true, false or 'words'",
    (value): value is boolean | 'words' => typeof value === 'boolean' || value === 'words',
  ),
  prompt: toBe(
    'a text or a list of token ids',
    (value): value is string | ArrayLike<number> => typeof value === 'string' || isIds(value),
  ),
  promptConditionType: (value: unknown, name: string) =>
    toChoice(value, name, ['first-segment', 'all-segments']),
  conditionOnPrevTokens: toBoolean,
  temperature: toTemperatures,
  compressionRatioThreshold: toNumber,
  logprobThreshold: toNumber,
  noSpeechThreshold: toNumber,
  onSegment: toFunction<(segment: Segment) => void>,
  onProgress: toFunction<(progress: TranscribeProgress) => void>,
  signal: toSignal,
} satisfies ReadersOf<TranscribeOptions>;

export type ReadTranscribeOptions = FieldsOf<typeof readers>;

/** The options for the text alone, in the engine's terms. */
export const textSettings = (options: ReadTranscribeOptions) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => name in text));

/** @throws TransformerError `invalid_argument`, naming the option. */
export const readTranscribeOptions = (options: TranscribeOptions): ReadTranscribeOptions =>
  readFields(options, readers);
