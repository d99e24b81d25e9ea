/** The result of a transcription. */

import { toSrt, toVtt } from './subtitles.js';
import type { Word } from './words.js';

/** A part of what was said, about a sentence. Times are in seconds from the beginning of the recording. */
export interface Segment {
  start: number;
  end: number;
  text: string;
  /** Token ids, with timestamps. */
  ids: number[];
  /** With `timestamps: 'words'`. */
  words?: Word[];
  /** The temperature with which its window was accepted. */
  temperature: number;
  /** Of its window: mean log-probability of the tokens. */
  averageLogProbability: number;
  /** Of its window: how far the text repeats itself. */
  compressionRatio: number;
  /** Of its window: the probability that nobody speaks; only with `noSpeechThreshold`. */
  noSpeechProbability?: number;
}

interface Heard {
  readonly language: string | null;
  readonly segments: readonly Segment[];
  readonly hasWords: boolean;
  readonly missingSeconds: number;
}

/** The words that were said. */
export class Transcription {
  readonly text: string;
  /** The code of the language, given or detected; `null` for a model of one language. */
  readonly language: string | null;
  readonly segments: readonly Segment[];
  /** With `timestamps: 'words'`: the words of all segments. */
  readonly words?: readonly Word[];
  /**
   * Where the sound file is cut short: the seconds that its header states and that are not there, so that what was said
   * in them is missing from the text.
   */
  readonly missingSeconds?: number;

  /** @internal */
  constructor({ language, segments, hasWords, missingSeconds }: Heard) {
    this.text = segments.map(({ text }) => text).join('');
    this.language = language;
    this.segments = segments;
    if (hasWords) this.words = segments.flatMap(({ words }) => words ?? []);
    if (missingSeconds > 0) this.missingSeconds = missingSeconds;
  }

  /** As subtitles in the SubRip format, a line for each segment. */
  toSrt(): string {
    return toSrt(this.segments);
  }

  /** As subtitles in the WebVTT format. */
  toVtt(): string {
    return toVtt(this.segments);
  }
}
