/** Writes down one window of sound. */

import { type Loaded, transformerOf } from '../../checkpoint/loaded.js';
import type { Handle } from '../../engine/host.js';
import { pull } from '../../generation/pull.js';
import { outputVocabularyOf } from '../../plans/model_shape.js';
import { fail } from '../../values/errors.js';
import type { TensorData } from '../../values/tensor.js';
import { compressionRatio } from './compression.js';
import { type ReadTranscribeOptions, textSettings } from './options.js';
import type { SpeechSettings } from './settings.js';

/** A text for a window, and how good it seems. */
export interface Attempt {
  /** Without prompt and end token. */
  readonly ids: number[];
  /** Whether the end token follows. */
  readonly hasEnded: boolean;
  readonly temperature: number;
  readonly averageLogProbability: number;
  readonly compressionRatio: number;
  readonly noSpeechProbability?: number;
  /** Whether nobody speaks, so that the text is not used. */
  readonly isSilent: boolean;
}

export class SpeechWindow {
  readonly #model: Loaded;
  readonly #transformer: Handle<'Transformer'>;
  readonly #settings: SpeechSettings;
  /** The encoder's output [1, steps, dModel]. */
  readonly memory: TensorData;

  private constructor(
    model: Loaded,
    settings: SpeechSettings,
    encoded: { transformer: Handle<'Transformer'>; memory: TensorData },
  ) {
    this.#model = model;
    this.#settings = settings;
    this.#transformer = encoded.transformer;
    this.memory = encoded.memory;
  }

  /** @param features [bands, frames] */
  static async encode(model: Loaded, settings: SpeechSettings, features: TensorData): Promise<SpeechWindow> {
    const transformer = transformerOf(model);
    const values = { ...features, shape: [1, ...features.shape] };
    const memory = await model.host.invoke(transformer, 'encode', undefined, { media: { values } });
    return new SpeechWindow(model, settings, { transformer, memory });
  }

  /** The most likely language. */
  async detectLanguage(): Promise<string | null> {
    const { start, languages } = this.#settings;
    if (languages.size === 0) return null;
    const logits = await this.#logits([start]);
    const score = (id: number) => logits[id] ?? Number.NEGATIVE_INFINITY;
    return [...languages].reduce((best, one) => (score(one[1]) > score(best[1]) ? one : best))[0];
  }

  /** Tries one temperature after the other until a text passes the caller's thresholds. */
  async write(
    prompt: readonly number[],
    options: ReadTranscribeOptions,
    { hasTimes, seed }: { hasTimes: boolean; seed: number },
  ): Promise<Attempt> {
    const { noSpeechThreshold, logprobThreshold, temperature = [0] } = options;
    const needsSilence = noSpeechThreshold !== undefined;
    const noSpeechProbability = needsSilence ? await this.#noSpeechProbability(prompt) : undefined;
    let last: Attempt | undefined;
    for (const [i, degree] of temperature.entries()) {
      const { ids, mean, hasEnded } = await this.#generate(prompt, options, {
        hasTimes,
        seed: seed + i,
        temperature: degree,
      });
      const ratio = await compressionRatio(ids, outputVocabularyOf(this.#model.plan));
      const isUnlikely = logprobThreshold !== undefined && mean < logprobThreshold;
      const isSilent = isUnlikely && (noSpeechProbability ?? 0) > (noSpeechThreshold ?? 1);
      last = {
        ids,
        hasEnded,
        temperature: degree,
        averageLogProbability: mean,
        compressionRatio: ratio,
        ...(noSpeechProbability !== undefined && { noSpeechProbability }),
        isSilent,
      };
      const repeats = ratio > (options.compressionRatioThreshold ?? Number.POSITIVE_INFINITY);
      if (isSilent || (!repeats && !isUnlikely)) break;
    }
    return last ?? fail('internal', 'no temperature was tried');
  }

  async #generate(
    prompt: readonly number[],
    options: ReadTranscribeOptions,
    { hasTimes, seed, temperature }: { hasTimes: boolean; seed: number; temperature: number },
  ): Promise<{ ids: number[]; mean: number; hasEnded: boolean }> {
    const { maxTokens, end, firstTimestamp } = this.#settings;
    const { generation } = this.#model;
    const text = { ...generation.options, ...textSettings(options) };
    const samples = temperature > 0;
    const settings = {
      ...text,
      maxNewTokens: Math.min(options.maxNewTokens ?? generation.maxLength, maxTokens - prompt.length),
      ...(hasTimes && { firstTimestampId: firstTimestamp }),
      ...(samples ? { doSample: true, temperature, numBeams: 1, seed } : { doSample: false }),
    };
    const input = { promptIds: Int32Array.from(prompt), padding: 0, padId: 0, memory: this.memory };
    const { signal } = options;
    for await (const { done, results } of pull(this.#model, [input], { settings, signal })) {
      if (!done) continue;
      const best = results[0]?.[0] ?? fail('internal', 'a generation returned no result');
      const written = Array.from(best.ids.subarray(prompt.length));
      const hasEnded = written.includes(end);
      const length = hasEnded ? written.indexOf(end) : written.length;
      let sum = 0;
      for (const score of best.tokenScores.subarray(0, length)) sum += score;
      const isBeam = !samples && (text.numBeams ?? 1) > 1;
      const mean = isBeam ? best.score : sum / (length + 1);
      return { ids: written.slice(0, length), mean, hasEnded };
    }
    return fail('internal', 'a generation did not end');
  }

  /** The probability of silence where the transcript starts. */
  async #noSpeechProbability(prompt: readonly number[]): Promise<number> {
    const { start, noSpeech } = this.#settings;
    const logits = await this.#logits(prompt.slice(0, prompt.indexOf(start) + 1));
    const greatest = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const sum = logits.reduce((total, logit) => total + Math.exp(logit - greatest), 0);
    return Math.exp((logits[noSpeech] ?? Number.NEGATIVE_INFINITY) - greatest) / sum;
  }

  /** The logits of what follows some ids. */
  async #logits(ids: readonly number[]): Promise<Float32Array> {
    const target = { data: Int32Array.from(ids), shape: [1, ids.length] };
    const { logits } = await this.#model.host.invoke(this.#transformer, 'decode', target, this.memory, {});
    const vocabulary = logits?.shape.at(-1) ?? 0;
    return logits?.data.subarray(-vocabulary) ?? fail('bad_checkpoint', 'the model has no output projection');
  }
}
