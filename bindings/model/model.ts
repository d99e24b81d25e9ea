/** A loaded model: the main class of the public API. */

import { release } from '../checkpoint/build_model.js';
import type { CheckpointInfo } from '../checkpoint/checkpoint_info.js';
import type { Checkpoint } from '../checkpoint/load_checkpoint.js';
import type { Loaded } from '../checkpoint/loaded.js';
import { whenForgotten } from '../engine/forgotten.js';
import type { JsonObject } from '../files/json_object.js';
import { generate } from '../generation/generate.js';
import { type GenerationInputs, isGenerationInputs, rowsOf } from '../generation/generation_inputs.js';
import { isMany, type TextOrIds } from '../generation/inputs.js';
import type { GenerationOptions } from '../generation/options.js';
import type { GenerationResult, StreamChunk, Translation } from '../generation/results.js';
import { stream } from '../generation/stream.js';
import { translate } from '../generation/translate.js';
import type { ForwardInputs } from '../insight/forward_inputs.js';
import type { ForwardOptions } from '../insight/forward_options.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import type { Profile, ProfileOptions } from '../insight/profile.js';
import type { Engine } from '../layers/engine.js';
import type { ChatMessage, ChatOptions, ChatReply } from '../tasks/chat.js';
import type { ClassifiedText, ClassifyOptions } from '../tasks/classify.js';
import type { ClassifyImageOptions, ImageSource } from '../tasks/classify_image.js';
import type { EmbedOptions } from '../tasks/embed.js';
import type { LabelScore } from '../tasks/labels.js';
import type { AudioInput, Segment, TranscribeOptions, Transcription } from '../tasks/transcribe.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import { asTensor, type Tensor } from '../values/tensor.js';

/** Facts about a model and how it was loaded. */
export type ModelInfo = CheckpointInfo;

/** Frees the memory of models that were garbage-collected; an engine of their own is freed likewise. */
const forgotten = whenForgotten<Pick<Checkpoint, 'host' | 'transformer' | 'frontEnd'>>((model) => {
  // A host that was closed in the meantime has already freed everything.
  release(model.host, model).catch(() => undefined);
});

/** Created by `loadModel`. */
export class Model implements Disposable {
  /** The content of config.json. */
  readonly config: JsonObject;
  /** `null` for a model that takes token ids only. */
  readonly tokenizer: Tokenizer | null;
  readonly info: ModelInfo;
  /** The engine that runs the model. */
  readonly engine: Engine;
  readonly #loaded: Loaded;
  readonly #ownsEngine: boolean;
  #isDisposed = false;

  /** @internal */
  constructor(checkpoint: Checkpoint, { engine, ownsEngine }: { engine: Engine; ownsEngine: boolean }) {
    this.config = checkpoint.config;
    this.tokenizer = checkpoint.tokenizer;
    this.info = checkpoint.info;
    this.engine = engine;
    this.#ownsEngine = ownsEngine;
    this.#loaded = { ...checkpoint, checkAlive: () => this.#alive() };
    const { host, transformer, frontEnd } = checkpoint;
    forgotten.register(this, { host, transformer, frontEnd }, this);
  }

  /**
   * Translates one text or several. A translation does not depend on the other texts.
   *
   * @throws TransformerError `invalid_argument` (an empty text, one longer than the model's maximum, an unknown
   *   option), `unsupported` (a model that does not translate), `disposed`; an abort rejects with the signal's reason.
   */
  translate(text: string, options?: GenerationOptions): Promise<Translation>;
  translate(texts: readonly string[], options?: GenerationOptions): Promise<Translation[]>;
  async translate(
    input: string | readonly string[],
    options: GenerationOptions = {},
  ): Promise<Translation | Translation[]> {
    const model = this.#alive();
    if (isList(input)) return translate(model, input, options);
    return first(await translate(model, [input], options));
  }

  /**
   * Generates from a text or from token ids `[source]`; from an array of them, one result each. A model with an encoder
   * answers its input; a decoder alone continues it. Padded batches, audio, images and decoder prompts are passed as in
   * Python: `{ inputIds, attentionMask }`, `{ inputFeatures }`, `{ pixelValues }`.
   *
   * @throws TransformerError like {@link translate}.
   */
  generate(input: TextOrIds, options?: GenerationOptions): Promise<GenerationResult>;
  generate(
    inputs: readonly TextOrIds[] | GenerationInputs,
    options?: GenerationOptions,
  ): Promise<GenerationResult[]>;
  async generate(
    input: TextOrIds | readonly TextOrIds[] | GenerationInputs,
    options: GenerationOptions = {},
  ): Promise<GenerationResult | GenerationResult[]> {
    const model = this.#alive();
    if (isGenerationInputs(input)) return generate(model, rowsOf(model, input), options);
    if (isMany(input)) return generate(model, input, options);
    return first(await generate(model, [input], options));
  }

  /**
   * Generates one result token by token. Leaving the loop ends the generation.
   *
   * @throws TransformerError like {@link translate}, when the first token is requested.
   * @example
   * for await (const { text } of model.stream('I am hungry.')) process.stdout.write(text);
   */
  async *stream(input: TextOrIds, options: GenerationOptions = {}): AsyncGenerator<StreamChunk, void, void> {
    yield* stream(this.#alive(), input, options);
  }

  /**
   * One forward pass: scores for every next token, given the tokens before it (teacher forcing).
   *
   * @param inputs token ids [batch, time] and masks
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`
   */
  async forward(inputs: ForwardInputs, options: ForwardOptions = {}): Promise<ForwardOutput> {
    const model = this.#alive();
    return (await import('../generation/passes.js')).forward(model, inputs, options);
  }

  /**
   * Measures where the time goes: runs the model's passes on synthetic tokens, and reports the work and the time of
   * every part.
   *
   * @throws TransformerError `invalid_argument`, `disposed`; an abort rejects with the signal's reason.
   * @example
   * const [encoder] = await model.profile({ tokens: 64 });
   * for (const { path, flops, milliseconds } of encoder.parts) console.log(path, flops / milliseconds / 1e6,
   * 'GFLOP/s');
   */
  async profile(options: ProfileOptions = {}): Promise<Profile> {
    const { profile } = await import('../insight/profile.js');
    return profile(this.#alive(), options);
  }

  /**
   * Writes down what is said in a recording, with times; or translates it into English. Recordings of any length: each
   * segment is passed to `onSegment` as soon as it is certain, or yielded by {@link streamTranscription}.
   *
   * @param audio samples at 16000 Hz, `{ samples, sampleRate }`, an AudioBuffer, or a file (Blob, bytes, URL, path)
   * @throws TransformerError `invalid_argument`, `unsupported` (a model that takes no audio, a file that cannot be
   *   decoded), `missing_file`, `disposed`; an abort rejects with the signal's reason.
   * @example
   * const { text, segments } = await model.transcribe('talk.wav', { language: 'en' });
   */
  async transcribe(audio: AudioInput, options: TranscribeOptions = {}): Promise<Transcription> {
    const { transcribe } = await import('../tasks/transcribe.js');
    return transcribe(this.#alive(), audio, options);
  }

  /**
   * Like {@link transcribe}, segment by segment: each is yielded as soon as it is certain, and the whole transcription is
   * the generator's return value. Leaving the loop ends the work.
   *
   * @example
   * for await (const { start, text } of model.streamTranscription('talk.wav')) console.log(start, text);
   */
  async *streamTranscription(
    audio: AudioInput,
    options: TranscribeOptions = {},
  ): AsyncGenerator<Segment, Transcription, void> {
    const { streamTranscription } = await import('../tasks/transcribe.js');
    return yield* streamTranscription(this.#alive(), audio, options);
  }

  /**
   * The embedding of a text [width], or of several [texts, width], as the folder says (sentence-transformers) or else the
   * mean of the tokens' vectors. For an encoder alone.
   *
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`; an abort rejects with the signal's reason.
   */
  async embed(input: string | readonly string[], options: EmbedOptions = {}): Promise<Tensor> {
    const { embed } = await import('../tasks/embed.js');
    const texts = typeof input === 'string' ? [input] : input;
    const { data, shape } = await embed(this.#alive(), texts, options);
    return asTensor({ data, shape: typeof input === 'string' ? shape.slice(1) : shape });
  }

  /**
   * The labels of a text with their probabilities, best first; of an array of texts, one list each. For an encoder
   * with a classifier.
   *
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`; an abort rejects with the signal's reason.
   */
  classify(text: ClassifiedText, options?: ClassifyOptions): Promise<LabelScore[]>;
  classify(texts: readonly ClassifiedText[], options?: ClassifyOptions): Promise<LabelScore[][]>;
  async classify(
    input: ClassifiedText | readonly ClassifiedText[],
    options: ClassifyOptions = {},
  ): Promise<LabelScore[] | LabelScore[][]> {
    const { classify } = await import('../tasks/classify.js');
    if (Array.isArray(input)) return classify(this.#alive(), input, options);
    return first(await classify(this.#alive(), [input as ClassifiedText], options));
  }

  /**
   * Gives a picture the labels of a model that classifies pictures, best first.
   *
   * @param image pixels, ImageData, a canvas, an ImageBitmap, or a file (Blob, URL); in Node.js pixels
   * @throws TransformerError `invalid_argument`, `unsupported` (a model that takes no pictures, a file that cannot be
   *   decoded), `missing_file`, `disposed`; an abort rejects with the signal's reason.
   */
  async classifyImage(image: ImageSource, options: ClassifyImageOptions = {}): Promise<LabelScore[]> {
    const { classifyImage } = await import('../tasks/classify_image.js');
    return classifyImage(this.#alive(), image, options);
  }

  /**
   * Answers a conversation, written as a text by the checkpoint's chat template.
   *
   * @throws TransformerError `invalid_argument` (a conversation that the template refuses), `unsupported` (a checkpoint
   *   without a template), `bad_checkpoint` (a template that fails), `disposed`; an abort rejects with the signal's
   *   reason.
   * @example
   * const { message } = await model.chat([{ role: 'user', content: 'Who wrote Faust?' }]);
   */
  async chat(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatReply> {
    const { chat } = await import('../tasks/chat.js');
    return chat(this.#alive(), messages, options);
  }

  /** Like {@link chat}, token by token. Leaving the loop ends the generation. */
  async *streamChat(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<StreamChunk, void, void> {
    const { streamChat } = await import('../tasks/chat.js');
    yield* streamChat(this.#alive(), messages, options);
  }

  /**
   * Its parts in the engine, for tasks.
   *
   * @internal
   */
  get loaded(): Loaded {
    return this.#alive();
  }

  /** Frees the model's memory, and its engine if it owns one. Idempotent. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    forgotten.unregister(this);
    if (this.#ownsEngine) await this.engine.dispose();
    else await release(this.#loaded.host, this.#loaded);
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #alive(): Loaded {
    if (this.#isDisposed) fail('disposed', 'this model was disposed and can no longer be used');
    return this.#loaded;
  }
}

const isList = (input: string | readonly string[]): input is readonly string[] => Array.isArray(input);

function first<T>([result]: readonly T[]): T {
  return result ?? fail('internal', 'a generation returned no result');
}
