/** The page's only access to the package: loads engine and model, and gathers all that the page shows of a sentence. */

import { createEngine, type Engine, loadModel, type Model, type Tensor } from 'transformer-wasm';
import { AttentionMap } from './attention_map.js';
import { type Token, tokenOf } from './tokens.js';

/** A sentence, its translation and the attention of the model. */
export interface Reading {
  readonly text: string;
  readonly translation: string;
  readonly source: readonly NumberedToken[];
  /** The tokens that the decoder wrote, including the end of the sentence. */
  readonly written: readonly WrittenToken[];
  readonly unknownWords: readonly string[];
  /** Rows and columns: the source. */
  readonly encoder: AttentionMap;
  /** Rows: what was written; columns: the source. */
  readonly cross: AttentionMap;
  /** Rows: what was written; columns: what the decoder had read by then. */
  readonly decoder: AttentionMap;
}

export interface NumberedToken extends Token {
  readonly id: number;
}

export interface WrittenToken extends Token {
  readonly probability: number;
}

export interface LoadTimes {
  readonly engine: number;
  readonly model: number;
}

interface ReadOptions {
  readonly signal: AbortSignal;
}

export class Translator {
  private constructor(
    readonly engine: Engine,
    readonly model: Model,
    /** In milliseconds. */
    readonly loadTimes: LoadTimes,
  ) {}

  /** @param onProgress called with the share of the weights that is loaded; `null` if unknown */
  static async load(folder: string, onProgress: (share: number | null) => void): Promise<Translator> {
    const begin = performance.now();
    const engine = await createEngine();
    const between = performance.now();
    try {
      const model = await loadModel(folder, {
        engine,
        onProgress: ({ phase, loaded, total }) =>
          onProgress(phase === 'weights' && total ? loaded / total : null),
      });
      const end = performance.now();
      return new Translator(engine, model, { engine: between - begin, model: end - between });
    } catch (error) {
      await engine.dispose();
      throw error;
    }
  }

  /** The translation as it is written, one piece per token; some are empty. */
  async *stream(text: string, { signal }: ReadOptions): AsyncGenerator<string, void, void> {
    for await (const chunk of this.model.stream(text, { signal })) yield chunk.text;
  }

  /** The same translation with tokens, probabilities and attention weights. */
  async read(text: string, { signal }: ReadOptions): Promise<Reading> {
    const result = await this.model.generate(text, { signal, outputAttentions: true });
    const { inputIds, inputTokens, inputOffsets, unknownWords, axes } = result;
    const best = result.sequences[0];
    if (!best || !axes) throw new Error('the model returned no attention weights');
    const source = inputTokens.map((token, i) => {
      const offset = inputOffsets[i];
      return { ...tokenOf(token, 'en', offset ? text.slice(...offset) : undefined), id: inputIds[i] ?? 0 };
    });
    const written = axes.written.map((token, i) => ({
      ...tokenOf(token, 'fr'),
      probability: Math.exp(best.tokenScores[i] ?? Number.NEGATIVE_INFINITY),
    }));
    const read = axes.decoder.map((token) => tokenOf(token, 'fr'));
    const map = (queries: readonly Token[], keys: readonly Token[], weights: Tensor[] = []) =>
      new AttentionMap(queries, keys, weights);
    return {
      text,
      translation: best.text,
      source,
      written,
      unknownWords,
      encoder: map(source, source, result.encoderAttentions),
      cross: map(written, source, result.crossAttentions),
      decoder: map(written, read, result.decoderAttentions),
    };
  }
}
