/**
 * Speech to text (Radford et al. 2022): a recording window by window, each continuing where the last segment of the one
 * before ended.
 *
 * Like every file in this folder, a task above the model that a page which only translates never loads: Model has a
 * method for it, which imports the file when it is first called (`await import`), and names only its types otherwise.
 * scripts/check_layers.mjs lets imports go up through that one door. A new task is a file here, whose function takes
 * the `Loaded` model, and a method in model.ts.
 */

import { type Loaded, transformerOf } from '../checkpoint/loaded.js';
import { drawSeed } from '../generation/combined_options.js';
import { frontOf } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import { tokenTimes } from './speech/alignment.js';
import { type AudioInput, type Features, openFeatures } from './speech/features.js';
import {
  type ReadTranscribeOptions,
  readTranscribeOptions,
  type TranscribeOptions,
} from './speech/options.js';
import { earlierText, givenLanguage, promptIds, startOfTranscript } from './speech/prompt.js';
import { cutSegments, type Piece } from './speech/segments.js';
import { type SpeechSettings, speechSettings } from './speech/settings.js';
import { type Segment, Transcription } from './speech/transcription.js';
import { type Attempt, SpeechWindow } from './speech/window.js';
import { type Word, wordsOf } from './speech/words.js';

export type { AudioInput } from './speech/features.js';
export type { TranscribeOptions, TranscribeProgress } from './speech/options.js';
export type { Segment, Transcription } from './speech/transcription.js';
export type { Word } from './speech/words.js';

/** A window whose text was attempted with this temperature or more is not continued: it may have gone astray. */
const tooRandom = 0.5;

/** @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason. */
export async function transcribe(
  model: Loaded,
  audio: AudioInput,
  given: TranscribeOptions,
): Promise<Transcription> {
  const segments = streamTranscription(model, audio, given);
  for (;;) {
    const { done, value } = await segments.next();
    if (done) return value;
  }
}

/**
 * Yields each segment as soon as it is certain, and returns the whole.
 *
 * @throws TransformerError like {@link transcribe}.
 */
export async function* streamTranscription(
  model: Loaded,
  audio: AudioInput,
  given: TranscribeOptions,
): AsyncGenerator<Segment, Transcription, void> {
  const options = readTranscribeOptions(given);
  options.signal?.throwIfAborted();
  const front = frontOf(model.plan);
  if (front?.input === 'inputValues') {
    const { listenInParts } = await import('./speech/parts.js');
    return yield* listenInParts(model, front.frames, audio, options);
  }
  const settings = speechSettings(model);
  transformerOf(model);
  if (options.timestamps === 'words' && !model.tokenizer)
    fail('unsupported', 'the model has no tokenizer, so it cannot tell words apart');
  const language = givenLanguage(settings, options);
  const prompt = await promptIds(model, settings, options);
  const features = await openFeatures(model, audio, { settings, options });
  try {
    return yield* new Listener(model, settings, options, prompt).listen(features, language);
  } finally {
    await features.close();
  }
}

/** Writes down one recording. */
class Listener {
  readonly #model: Loaded;
  readonly #settings: SpeechSettings;
  readonly #options: ReadTranscribeOptions;
  readonly #prompt: readonly number[];
  readonly #segments: Segment[] = [];
  readonly #seed: number;
  readonly #written: number[] = [];
  #continues: boolean;

  constructor(
    model: Loaded,
    settings: SpeechSettings,
    options: ReadTranscribeOptions,
    prompt: readonly number[],
  ) {
    this.#model = model;
    this.#settings = settings;
    this.#options = options;
    this.#prompt = prompt;
    this.#seed = options.seed ?? drawSeed();
    this.#continues = options.conditionOnPrevTokens ?? false;
  }

  async *listen(features: Features, given: string | null): AsyncGenerator<Segment, Transcription, void> {
    const { timestamps = true, onProgress, onSegment, signal } = this.#options;
    const { window: whole, timeStep, framesPerStep } = this.#settings;
    const secondsPerFrame = timeStep / framesPerStep;
    const isShort = features.frames <= whole.frames;
    const hasTimes = timestamps !== false || !isShort;
    let language = given;
    for (let seek = 0; seek < features.frames; ) {
      signal?.throwIfAborted();
      const frames = Math.min(whole.frames, features.frames - seek);
      const sound = await features.window(seek, whole.frames);
      const window = await SpeechWindow.encode(this.#model, this.#settings, sound);
      if (seek === 0) language ??= await window.detectLanguage();
      const start = startOfTranscript(this.#settings, this.#options, { language, hasTimes });
      const prompt = [...this.#earlier(), ...start];
      const attempt = await window.write(prompt, this.#options, { hasTimes, seed: this.#seed + seek });
      const { pieces, advance } = attempt.isSilent
        ? { pieces: [], advance: frames }
        : cutSegments(attempt.ids, this.#settings, { frames, isLast: isShort });
      const times =
        timestamps === 'words' && pieces.length > 0
          ? await tokenTimes(this.#model, this.#settings, {
              ids: [...prompt, ...attempt.ids, ...(attempt.hasEnded ? [this.#settings.end] : [])],
              memory: window.memory,
              steps: Math.ceil(frames / framesPerStep),
            })
          : null;
      const offset = seek * secondsPerFrame;
      for (const piece of pieces) {
        const words = times && this.#wordsOf(piece, times.slice(prompt.length), { offset, language });
        const segment = this.#add(piece, attempt, { offset, words });
        onSegment?.(segment);
        yield segment;
        // Whoever reads may have taken long, or aborted.
        signal?.throwIfAborted();
        this.#model.checkAlive();
      }
      this.#continues = (this.#options.conditionOnPrevTokens ?? false) && attempt.temperature < tooRandom;
      seek += isShort ? features.frames : Math.max(advance, framesPerStep);
      const total = features.frames * secondsPerFrame;
      onProgress?.({ phase: 'text', done: Math.min(total, seek * secondsPerFrame), total });
    }
    return new Transcription({
      language,
      segments: this.#segments,
      hasWords: timestamps === 'words',
      missingSeconds: features.missingSeconds,
    });
  }

  #earlier(): number[] {
    const text = { prompt: this.#prompt, written: this.#written, continues: this.#continues };
    return earlierText(this.#settings, this.#options, text);
  }

  #add(
    { ids, start, end }: Piece,
    { isSilent: _, hasEnded: __, ids: ___, ...attempt }: Attempt,
    { offset, words }: { offset: number; words: Word[] | null },
  ): Segment {
    const segment: Segment = {
      start: hundredths(offset + start),
      end: hundredths(offset + end),
      text: this.#textOf(ids),
      ids: [...ids],
      ...(words && { words }),
      ...attempt,
    };
    this.#written.push(...ids);
    this.#segments.push(segment);
    return segment;
  }

  /** @param times of the ids of the window */
  #wordsOf(
    { ids, first }: Piece,
    times: readonly number[],
    { offset, language }: { offset: number; language: string | null },
  ): Word[] {
    const { firstTimestamp, end } = this.#settings;
    const { tokenizer } = this.#model;
    const places = [...ids.keys()].filter((place) => (ids[place] ?? 0) < Math.min(end, firstTimestamp));
    if (!tokenizer || places.length === 0) return [];
    const texts = places.map((place) => ids[place] ?? 0);
    return wordsOf(texts, { tokenizer, language, end }).map((word) => {
      const at = (place: number | undefined) => first + (places[place ?? 0] ?? 0);
      const begin = times[at(word.places[0])] ?? 0;
      const finish = times[at(word.places.at(-1)) + 1] ?? begin;
      return { text: word.text, start: hundredths(offset + begin), end: hundredths(offset + finish) };
    });
  }

  /** The ids as text, without timestamps; empty without a tokenizer. */
  #textOf(ids: readonly number[]): string {
    const words = ids.filter((id) => id < this.#settings.firstTimestamp);
    return this.#model.tokenizer?.decode(words) ?? '';
  }
}

/** Times are multiples of 0.01 s, which sums of floating-point numbers miss. */
const hundredths = (seconds: number) => Math.round(seconds * 100) / 100;
