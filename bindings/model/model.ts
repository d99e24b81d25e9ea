/** A loaded model: the main class of the public API. */

import { release } from '../checkpoint/build_model.js';
import type { CheckpointInfo } from '../checkpoint/checkpoint_info.js';
import type { Checkpoint } from '../checkpoint/load_checkpoint.js';
import type { Loaded } from '../checkpoint/loaded.js';
import { whenForgotten } from '../engine/forgotten.js';
import type { JsonObject } from '../files/json_object.js';
import { generate } from '../generation/generate.js';
import { type GenerationInputs, isGenerationInputs } from '../generation/input_tensors.js';
import { isMany, type TextOrIds } from '../generation/inputs.js';
import type { GenerationOptions } from '../generation/options.js';
import type { GenerationResult, StreamChunk } from '../generation/results.js';
import type { ForwardInputs } from '../insight/forward_inputs.js';
import type { ForwardOptions } from '../insight/forward_options.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import type { Profile, ProfileOptions } from '../insight/profile.js';
import type { Engine } from '../layers/engine.js';
import type { CaptionOptions, Captions, SoundStream } from '../tasks/captions.js';
import type { ChatMessage, ChatOptions, ChatReply } from '../tasks/chat.js';
import type { ClassifiedText, ClassifyOptions } from '../tasks/classify.js';
import type { ClassifyImageOptions, ImageSource } from '../tasks/classify_image.js';
import type { EmbedOptions } from '../tasks/embed.js';
import type { LabelScore } from '../tasks/labels.js';
import type { QuantizedEmbeddings } from '../tasks/quantized_embeddings.js';
import type { RankedText, RankOptions } from '../tasks/rank.js';
import type { ScoredText, ScoreOptions } from '../tasks/score.js';
import type { Session, SessionOptions } from '../tasks/session.js';
import type { AudioInput, Segment, TranscribeOptions, Transcription } from '../tasks/transcribe.js';
import { translatorOf } from '../texts/each.js';
import { readTranslateOptions, type TranslateOptions } from '../texts/options.js';
import type { TranslatedSentence, Translation } from '../texts/results.js';
import type { SentenceTranslator } from '../texts/sentence_translator.js';
import { streamTranslation, translate } from '../texts/translate.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import type { Given } from '../values/given.js';
import { asTensor, type Tensor, type TensorLike } from '../values/tensor.js';

/** Facts about a model and how it was loaded. */
export type ModelInfo = CheckpointInfo;

/** The attentions of a model with an encoder and a decoder. */
export type AttentionStack = 'encoderAttentions' | 'decoderAttentions' | 'crossAttentions';

/** Options that ask for the attention weights of a text that is read as a whole. */
export type WholeWithAttentions = TranslateOptions & { outputAttentions: true; split: false };

/** A translation with the attention weights that were asked for. */
export type SeenTranslation = Given<Translation, AttentionStack | 'axes'>;

/** Frees the memory of models that were garbage-collected; an engine of their own is freed likewise. */
const forgotten = whenForgotten<Pick<Checkpoint, 'host' | 'handle' | 'tower'>>((model) => {
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
  readonly #translator: SentenceTranslator;
  #isDisposed = false;

  /** @internal */
  constructor(checkpoint: Checkpoint, { engine, ownsEngine }: { engine: Engine; ownsEngine: boolean }) {
    this.config = checkpoint.config;
    this.tokenizer = checkpoint.tokenizer;
    this.info = checkpoint.info;
    this.engine = engine;
    this.#ownsEngine = ownsEngine;
    this.#loaded = { ...checkpoint, checkAlive: () => this.#alive() };
    this.#translator = translatorOf(this.#loaded);
    const { host, handle, tower } = checkpoint;
    forgotten.register(this, { host, handle, tower }, this);
  }

  /**
   * Translates one text or several, of any length: sentence by sentence, in batches. White space, line breaks and lists
   * stay as they are, and so does a text of white space alone. A translation does not depend on the other texts.
   *
   * @throws TransformerError `invalid_argument` (an unknown option; with `split: false` a text longer than the model's
   *   maximum), `unsupported` (a model that does not translate), `disposed`; an abort rejects with the
   *   signal's reason.
   * @example
   * const { text, sentences } = await model.translate('The cat is hungry. The dog is tired.');
   * const page = await model.translate('<p>I am <b>hungry</b>.</p>', { html: true });
   */
  translate(text: string, options: WholeWithAttentions): Promise<SeenTranslation>;
  translate(texts: readonly string[], options: WholeWithAttentions): Promise<SeenTranslation[]>;
  translate(text: string, options?: TranslateOptions): Promise<Translation>;
  translate(texts: readonly string[], options?: TranslateOptions): Promise<Translation[]>;
  // TypeScript reports why the last overload does not fit: one that takes each input names the option that is wrong.
  translate(
    input: string | readonly string[],
    options?: TranslateOptions,
  ): Promise<Translation | Translation[]>;
  async translate(
    input: string | readonly string[],
    options: TranslateOptions = {},
  ): Promise<Translation | Translation[]> {
    this.#alive();
    const texts = isList(input) ? input : [input];
    const read = readTranslateOptions(options);
    const results = read.html
      ? await (await import('../markup/translate_markup.js')).translateMarkup(this.#translator, texts, read)
      : await translate(this.#translator, texts, read);
    return isList(input) ? results : first(results);
  }

  /**
   * Like {@link translate}, sentence by sentence: each is yielded as soon as it and those before it are certain, and
   * the whole translation is the generator's return value. Leaving the loop ends the work.
   *
   * @example
   * for await (const { source, text } of model.streamTranslation(article)) show(source, text);
   */
  async *streamTranslation(
    text: string,
    options: TranslateOptions = {},
  ): AsyncGenerator<TranslatedSentence, Translation, void> {
    this.#alive();
    return yield* streamTranslation(this.#translator, text, readTranslateOptions(options));
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
  generate(
    input: TextOrIds | readonly TextOrIds[] | GenerationInputs,
    options?: GenerationOptions,
  ): Promise<GenerationResult | GenerationResult[]>;
  async generate(
    input: TextOrIds | readonly TextOrIds[] | GenerationInputs,
    options: GenerationOptions = {},
  ): Promise<GenerationResult | GenerationResult[]> {
    const model = this.#alive();
    if (isGenerationInputs(input)) {
      const { rowsOf } = await import('../generation/generation_inputs.js');
      return generate(model, rowsOf(model, input), options);
    }
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
    const { stream } = await import('../generation/stream.js');
    yield* stream(this.#alive(), input, options);
  }

  /**
   * One forward pass: scores for every next token, given the tokens before it (teacher forcing).
   *
   * @param inputs token ids [batch, time] and masks
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`
   */
  forward(
    inputs: ForwardInputs & { decoderInputIds: TensorLike },
    options: ForwardOptions & { outputAttentions: true },
  ): Promise<Given<ForwardOutput, AttentionStack>>;
  forward(
    inputs: ForwardInputs & { pixelValues: TensorLike; decoderInputIds?: undefined },
    options: ForwardOptions & { outputAttentions: true },
  ): Promise<Given<ForwardOutput, 'attentions'>>;
  forward(inputs: ForwardInputs, options?: ForwardOptions): Promise<ForwardOutput>;
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
   * Like {@link transcribe}, segment by segment: each is yielded as soon as it is certain, and the whole transcription
   * is the generator's return value. Leaving the loop ends the work.
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
   * Captions of sound that goes on: a MediaStream, as of a microphone, or samples block by block. Yields all that has
   * been heard, again and again, with the newest words open to change; ends with the sound, and an `AbortSignal` or
   * leaving the loop ends it sooner. The stream stays the caller's: its tracks go on until you stop them.
   *
   * @throws TransformerError like {@link transcribe}
   * @example
   * const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
   * for await (const { text } of model.captions(stream, { language: 'en' })) paragraph.textContent = text;
   */
  async *captions(sound: SoundStream, options: CaptionOptions = {}): AsyncGenerator<Captions, void, void> {
    const { captions } = await import('../tasks/captions.js');
    yield* captions(this.#alive(), sound, options);
  }

  /**
   * The embedding of a text [width], or of several [texts, width], as the folder says (sentence-transformers) or else
   * the mean of the tokens' vectors. For an encoder alone.
   *
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`; an abort rejects with the signal's reason.
   */
  embed(
    input: string | readonly string[],
    options?: EmbedOptions & { precision?: 'float32' },
  ): Promise<Tensor>;
  embed(input: string | readonly string[], options: EmbedOptions): Promise<Tensor | QuantizedEmbeddings>;
  async embed(
    input: string | readonly string[],
    options: EmbedOptions = {},
  ): Promise<Tensor | QuantizedEmbeddings> {
    const { embed } = await import('../tasks/embed.js');
    const texts = isList(input) ? input : [input];
    const { data, shape: all } = await embed(this.#alive(), texts, options);
    const shape = isList(input) ? [...all] : all.slice(1);
    return data instanceof Float32Array ? asTensor({ data, shape }) : { data, shape };
  }

  /**
   * The labels of a text with their probabilities, best first; of an array of texts, one list each. For an encoder
   * with a classifier.
   *
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`; an abort rejects with the signal's reason.
   */
  classify(text: ClassifiedText, options?: ClassifyOptions): Promise<LabelScore[]>;
  classify(texts: readonly ClassifiedText[], options?: ClassifyOptions): Promise<LabelScore[][]>;
  classify(
    input: ClassifiedText | readonly ClassifiedText[],
    options?: ClassifyOptions,
  ): Promise<LabelScore[] | LabelScore[][]>;
  async classify(
    input: ClassifiedText | readonly ClassifiedText[],
    options: ClassifyOptions = {},
  ): Promise<LabelScore[] | LabelScore[][]> {
    const { classify } = await import('../tasks/classify.js');
    if (Array.isArray(input)) return classify(this.#alive(), input, options);
    return first(await classify(this.#alive(), [input as ClassifiedText], options));
  }

  /**
   * The texts that answer a query best, best first, by a model that reads query and text together: a classifier with
   * one label (sentence-transformers' CrossEncoder), or one of Qwen3's rerankers.
   *
   * @throws TransformerError `invalid_argument`, `unsupported`, `disposed`; an abort rejects with the signal's reason.
   * @example
   * const [best] = await model.rank('What is a cat?', ['A small animal.', 'A large city.']);
   */
  async rank(query: string, texts: readonly string[], options: RankOptions = {}): Promise<RankedText[]> {
    const { rank } = await import('../tasks/rank.js');
    return rank(this.#alive(), query, texts, options);
  }

  /**
   * How probable given texts are after a prompt, or as answers to a source: their log-probabilities, sums and token by
   * token, as greedy decoding reports them. What the texts begin with in common is computed once.
   *
   * @param input a text, or its token ids
   * @param texts what may follow: texts, which are tokenized apart from the input, or token ids
   * @throws TransformerError `invalid_argument`, `unsupported` (a recurrent model), `disposed`; an abort rejects with
   *   the signal's reason.
   * @example
   * const [yes, no] = await model.score('Is water wet? Answer:', [' yes', ' no']);
   * console.log(yes.score > no.score);
   */
  async score(
    input: TextOrIds,
    texts: readonly TextOrIds[],
    options: ScoreOptions = {},
  ): Promise<ScoredText[]> {
    const { score } = await import('../tasks/score.js');
    return score(this.#alive(), input, texts, options);
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
   * A conversation that goes on turn by turn, each after the tokens of those before it.
   *
   * @throws TransformerError `invalid_argument`, `disposed`
   * @example
   * const session = await model.session({ system: 'Answer in one sentence.' });
   * const { text } = await session.send('Who wrote Faust?');
   * for await (const chunk of session.stream('When?')) show(chunk.text);
   */
  async session(options: SessionOptions = {}): Promise<Session> {
    const { Session } = await import('../tasks/session.js');
    this.#alive();
    return new Session(() => this.#alive(), options);
  }

  /**
   * A session that `save()` wrote, with the same model.
   *
   * @throws TransformerError `invalid_argument` for other bytes, and for a session of another model; `disposed`
   */
  async loadSession(saved: Uint8Array): Promise<Session> {
    const { loadSession } = await import('../tasks/session.js');
    return loadSession(() => this.#alive(), saved);
  }

  /**
   * Its parts in the engine, for tasks.
   *
   * @internal
   */
  get loaded(): Loaded {
    return this.#alive();
  }

  /**
   * Frees the model's memory, and its engine if it owns one. Idempotent. Calls that are not finished reject with
   * `disposed`, also those that wait for a pass that they share with others: await them first. At most a pass that is
   * being computed still gives its result.
   */
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

border(Model, {
  translate: 'text options',
  streamTranslation: 'text options',
  generate: 'input options',
  stream: 'input options',
  forward: 'inputs options',
  profile: 'options',
  transcribe: 'audio options',
  streamTranscription: 'audio options',
  captions: 'sound options',
  embed: 'text options',
  classify: 'text options',
  rank: 'query texts options',
  score: 'input texts options',
  classifyImage: 'image options',
  chat: 'messages options',
  streamChat: 'messages options',
  session: 'options',
  loadSession: 'saved',
});
