/**
 * Speech by a model that reads sound as it is and writes no times (Jeffries et al. 2024: Moonshine): a long recording
 * in parts, which are cut where it is quietest.
 */

import type { Loaded } from '../../checkpoint/loaded.js';
import { generate } from '../../generation/generate.js';
import type { GenerationOptions } from '../../generation/options.js';
import { type FramesConfig, leastSamples } from '../../plans/front_end_config.js';
import { outputVocabularyOf } from '../../plans/model_shape.js';
import type { Recording } from '../../signal/recording.js';
import { fail } from '../../values/errors.js';
import { compressionRatio } from './compression.js';
import type { AudioInput } from './features.js';
import { type ReadTranscribeOptions, textSettings } from './options.js';
import { type Segment, Transcription } from './transcription.js';
import { openWave } from './wave.js';

/** In seconds: the longest part, and how much of its end is searched for a quiet place. */
const longest = 30;
const searched = 10;
/** In seconds: the sound around a cut. */
const quiet = 0.1;

/** The most tokens that anyone says in a second, which keeps noise from becoming an endless text. */
const tokensPerSecond = 6.5;

const refused = [
  'language',
  'prompt',
  'promptConditionType',
  'conditionOnPrevTokens',
  'temperature',
  'compressionRatioThreshold',
  'logprobThreshold',
  'noSpeechThreshold',
] as const;

/** @throws TransformerError `unsupported` for options that such a model does not have. */
function checkOptions(options: ReadTranscribeOptions): void {
  for (const name of refused)
    if (options[name] !== undefined) fail('unsupported', `this model does not take the option ${name}`);
  if (options.task === 'translate') fail('unsupported', 'this model does not translate');
  if (options.timestamps === 'words') fail('unsupported', 'this model has no times of words');
}

/** Yields the text of each part, and returns the whole. */
export async function* listenInParts(
  model: Loaded,
  config: FramesConfig,
  audio: AudioInput,
  options: ReadTranscribeOptions,
): AsyncGenerator<Segment, Transcription, void> {
  checkOptions(options);
  const { signal, onProgress, onSegment } = options;
  const wave = await openWave(model, audio, signal);
  const { recording, rate } = wave;
  try {
    const segments: Segment[] = [];
    for (let begin = 0; begin < recording.length; ) {
      signal?.throwIfAborted();
      model.checkAlive();
      const end = await endOfPart(recording, begin, rate);
      const samples = await recording.read(begin, Math.max(end, begin + leastSamples(config)));
      const part = await write(model, samples, { options, seconds: (end - begin) / rate });
      const segment = { ...part, start: hundredths(begin / rate), end: hundredths(end / rate) };
      if (segments.length > 0 && segment.text !== '') segment.text = ` ${segment.text}`;
      segments.push(segment);
      onSegment?.(segment);
      yield segment;
      begin = end;
      onProgress?.({ phase: 'text', done: begin / rate, total: recording.length / rate });
    }
    const { missingSeconds } = recording;
    return new Transcription({ language: null, segments, hasWords: false, missingSeconds });
  } finally {
    await wave.close();
  }
}

/** The end of a part that begins there: that of the recording, or the quietest place before the part is too long. */
async function endOfPart(recording: Recording, begin: number, rate: number): Promise<number> {
  const last = begin + longest * rate;
  if (recording.length <= last) return recording.length;
  const first = last - searched * rate;
  const samples = await recording.read(first, last);
  const step = Math.round(quiet * rate);
  let [place, least] = [first, Number.POSITIVE_INFINITY];
  for (let at = 0; at + step <= samples.length; at += step) {
    const power = samples.subarray(at, at + step).reduce((sum, sample) => sum + sample * sample, 0);
    if (power < least) [place, least] = [first + at + Math.floor(step / 2), power];
  }
  return place;
}

async function write(
  model: Loaded,
  samples: Float32Array,
  { options, seconds }: { options: ReadTranscribeOptions; seconds: number },
): Promise<Omit<Segment, 'start' | 'end'>> {
  const most = Math.max(1, Math.floor(seconds * tokensPerSecond));
  const room = (model.plan.maxPositions ?? Number.POSITIVE_INFINITY) - 1;
  const settings: GenerationOptions = {
    ...textSettings(options),
    maxNewTokens: Math.min(options.maxNewTokens ?? most, room),
    ...(options.signal && { signal: options.signal }),
  };
  const features = { data: samples, shape: [samples.length] };
  const [result] = await generate(model, [{ features, padding: 0 }], settings);
  const best = result?.sequences[0] ?? fail('internal', 'a generation returned no result');
  const { eosTokenIds } = model.generation;
  const ids = best.ids.slice(1).filter((id) => !eosTokenIds.includes(id));
  const { tokenScores: scores } = best;
  return {
    text: model.tokenizer?.decode(ids).trim() ?? '',
    ids,
    temperature: 0,
    averageLogProbability: scores.length > 0 ? scores.reduce((a, b) => a + b, 0) / scores.length : best.score,
    compressionRatio: await compressionRatio(ids, outputVocabularyOf(model.plan)),
  };
}

/** Times are multiples of 0.01 s, which sums of floating-point numbers miss. */
const hundredths = (seconds: number) => Math.round(seconds * 100) / 100;
