/** The arguments and results of each task of `pipeline`. The tasks themselves take `unknown` and check it. */

import type { GenerationOptions } from '../generation/options.js';
import type { Answer, AnswerOptions } from '../tasks/answer.js';
import type { ChatMessage, ChatOptions } from '../tasks/chat.js';
import type { ClassifyOptions } from '../tasks/classify.js';
import type { ClassifyImageOptions, ImageSource } from '../tasks/classify_image.js';
import type { EmbedOptions } from '../tasks/embed.js';
import type { FilledMask, FillMaskOptions } from '../tasks/fill_mask.js';
import type { ImageFeatureOptions } from '../tasks/image_features.js';
import type { LabelScore } from '../tasks/labels.js';
import type { RankOptions } from '../tasks/rank.js';
import type { Tagged, TagOptions } from '../tasks/tag.js';
import type { AudioInput, TranscribeOptions } from '../tasks/transcribe.js';
import type { ZeroShotOptions, ZeroShotResult } from '../tasks/zero_shot.js';
import type { ZeroShotImageOptions } from '../tasks/zero_shot_image.js';
import type { Tensor } from '../values/tensor.js';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** Options as this package spells them (`topK`), or as Python does (`top_k`). */
type Spelt<Options> = Options & {
  [Name in keyof Options & string as Snake<Name>]?: Options[Name];
} & { batchSize?: number; batch_size?: number; numWorkers?: number; num_workers?: number; padding?: unknown };

type Truncation = { truncation?: boolean | 'only_first' | 'longest_first' | 'only_second' };
type Encoding<Options> = Spelt<Options> & Truncation;

/** At least one. */
type Some<T> = [T, ...T[]];
type Many<T> = readonly T[];

type Generating = Spelt<GenerationOptions> & {
  stop_sequence?: string | string[];
  stop_strings?: string | string[];
};
/** With this option, each input of several has a list of its own. */
type Several = { num_return_sequences: number } | { numReturnSequences: number };

// TypeScript reports why the last overload does not fit: one that takes each input names the option that is wrong.

/** One result for one input, a list for a list. */
interface EachOf<Input, Result, Options> {
  (input: Input, options?: Options): Promise<Result>;
  (inputs: Many<Input>, options?: Options): Promise<Result[]>;
  (input: Input | Many<Input>, options?: Options): Promise<Result | Result[]>;
}

/** Likewise, with candidate labels: an argument of their own, or among the options. */
interface ZeroShotOf<Input, Result, Options> {
  (input: Input, options: Options & Candidates): Promise<Result>;
  (inputs: Many<Input>, options: Options & Candidates): Promise<Result[]>;
  (input: Input, labels: string | Many<string>, options?: Options): Promise<Result>;
  (inputs: Many<Input>, labels: string | Many<string>, options?: Options): Promise<Result[]>;
  (input: Input | Many<Input>, labels: string | Many<string>, options?: Options): Promise<Result | Result[]>;
}

interface Rewriting<Result> {
  (texts: Many<string>, options: Generating & Several): Promise<Result[][]>;
  (text: string, options?: Generating): Promise<Some<Result>>;
  (texts: Many<string>, options?: Generating): Promise<Result[]>;
  (texts: string | Many<string>, options?: Generating): Promise<Result[] | Result[][]>;
}

type Continuing = Generating & Spelt<Omit<ChatOptions, keyof GenerationOptions>>;
type Continued<Text> = { generated_text: Text };
/** `return_full_text: false`. */
type OnlyNew = { return_full_text: false } | { returnFullText: false };
type FullText = { return_full_text?: boolean; returnFullText?: boolean };

interface TextGeneration {
  (text: string, options?: Continuing & FullText): Promise<Some<Continued<string>>>;
  (texts: Many<string>, options?: Continuing & FullText): Promise<Some<Continued<string>>[]>;
  (messages: Many<ChatMessage>, options: Continuing & OnlyNew): Promise<[Continued<string>]>;
  (messages: Many<ChatMessage>, options?: Continuing): Promise<[Continued<ChatMessage[]>]>;
  (all: Many<Many<ChatMessage>>, options: Continuing & OnlyNew): Promise<[Continued<string>][]>;
  (all: Many<Many<ChatMessage>>, options?: Continuing): Promise<[Continued<ChatMessage[]>][]>;
  (
    input: string | Many<string> | Many<ChatMessage> | Many<Many<ChatMessage>>,
    options?: Continuing & FullText,
  ): Promise<Continued<string | ChatMessage[]>[] | Continued<string | ChatMessage[]>[][]>;
}

type Pair = { text: string; text_pair?: string } | { text: string; textPair?: string };
type Classifying = Encoding<Omit<ClassifyOptions, 'topK'>>;
/** `null`: all labels. */
type Best =
  | { top_k: number | null }
  | { topK: number | null }
  | { topk: number }
  | { return_all_scores: true };

interface TextClassification {
  (input: string | Pair, options: Classifying & Best): Promise<LabelScore[]>;
  (inputs: Many<string | Pair>, options: Classifying & Best): Promise<LabelScore[][]>;
  (text: string, options?: Classifying): Promise<[LabelScore]>;
  (pair: Pair, options?: Classifying): Promise<LabelScore>;
  (inputs: Many<string | Pair>, options?: Classifying): Promise<LabelScore[]>;
  (
    input: string | Pair | Many<string | Pair>,
    options?: Classifying & Partial<Best>,
  ): Promise<LabelScore | LabelScore[] | LabelScore[][]>;
}

type ZeroShot = Encoding<ZeroShotOptions>;
type Candidates = { candidate_labels: string | string[] } | { candidateLabels: string | string[] };

type Tagging = Encoding<TagOptions> & { grouped_entities?: boolean; ignore_subwords?: boolean };

type Question = { question: string; context: string };
type Answering = Encoding<AnswerOptions> & { max_answer_length?: number };
/** With them, a question has a list of answers where there are several. */
type BestAnswers = { top_k: number } | { topK: number } | { topk: number };

interface QuestionAnswering {
  (question: string, context: string, options?: Answering): Promise<Answer>;
  (
    questions: string | Many<string>,
    contexts: string | Many<string>,
    options?: Answering,
  ): Promise<Answer | (Answer | Answer[])[]>;
  (question: Question, options: Answering & BestAnswers): Promise<Answer | Answer[]>;
  (question: Question, options?: Answering): Promise<Answer>;
  /** As in Python, a list of one question gives its answer alone. */
  (question: Question | Many<Question>, options?: Answering): Promise<Answer | (Answer | Answer[])[]>;
}

type Filling = Encoding<Omit<FillMaskOptions, 'targets'>> & { targets?: string | string[]; topk?: number };

interface FillMask {
  /** A text with several masks gives a list for each. */
  (text: string, options?: Filling): Promise<FilledMask[] | FilledMask[][]>;
  (
    texts: string | Many<string>,
    options?: Filling,
  ): Promise<FilledMask[] | FilledMask[][] | FilledMask[][][]>;
}

type Embedding = Encoding<Omit<EmbedOptions, 'pooling'>> & { pooling?: EmbedOptions['pooling'] | 'none' };

type Transcribing = Spelt<Omit<TranscribeOptions, 'timestamps'>> & {
  return_language?: boolean;
  returnLanguage?: boolean;
  chunk_length_s?: number;
  stride_length_s?: number | [number, number];
  generate_kwargs?: Generating | Spelt<TranscribeOptions>;
};
/** Python's form of samples with their rate. */
type Recording =
  | AudioInput
  | { raw: Float32Array; sampling_rate: number }
  | { array: Float32Array; sampling_rate: number };
type Timed = { return_timestamps: true | 'word' } | { returnTimestamps: true | 'word' };
type Untimed = { return_timestamps?: boolean | 'word'; returnTimestamps?: boolean | 'word' };
type Chunk = { text: string; timestamp?: [number, number]; language?: string | null };

interface SpeechRecognition {
  (audio: Recording, options: Transcribing & Timed): Promise<{ text: string; chunks: Chunk[] }>;
  (audio: Recording, options?: Transcribing & Untimed): Promise<{ text: string; chunks?: Chunk[] }>;
  (audios: Many<Recording>, options?: Transcribing & Untimed): Promise<{ text: string; chunks?: Chunk[] }[]>;
  (audio: Recording | Many<Recording>, options?: Transcribing & Untimed): Promise<unknown>;
}

type Seeing = Spelt<ClassifyImageOptions> & { topk?: number };

type Describing = Generating & { generate_kwargs?: Generating };

type Seen = Spelt<ImageFeatureOptions>;
type ZeroShotImages = Spelt<ZeroShotImageOptions>;

type Ranked = { corpus_id: number; score: number };
type Ranking = Encoding<RankOptions>;
type WithTexts = { return_documents: true } | { returnDocuments: true };

interface TextRanking {
  (query: string, texts: Many<string>, options: Ranking & WithTexts): Promise<(Ranked & { text: string })[]>;
  (
    query: string,
    texts: Many<string>,
    options?: Ranking & { return_documents?: boolean; returnDocuments?: boolean },
  ): Promise<(Ranked & { text?: string })[]>;
}

/** The call of each task, by its name. */
export interface PipelineCalls {
  translation: Rewriting<{ translation_text: string }>;
  summarization: Rewriting<{ summary_text: string }>;
  'text2text-generation': Rewriting<{ generated_text: string }>;
  'text-generation': TextGeneration;
  'text-classification': TextClassification;
  'sentiment-analysis': TextClassification;
  'text-ranking': TextRanking;
  'token-classification': EachOf<string, Tagged[], Tagging>;
  ner: EachOf<string, Tagged[], Tagging>;
  'zero-shot-classification': ZeroShotOf<string, ZeroShotResult, ZeroShot>;
  'question-answering': QuestionAnswering;
  'fill-mask': FillMask;
  'feature-extraction': (texts: string | Many<string>, options?: Embedding) => Promise<Tensor>;
  'automatic-speech-recognition': SpeechRecognition;
  asr: SpeechRecognition;
  'image-classification': EachOf<ImageSource, LabelScore[], Seeing>;
  'image-to-text': EachOf<ImageSource, Some<Continued<string>>, Describing>;
  'image-feature-extraction': (images: ImageSource | Many<ImageSource>, options?: Seen) => Promise<Tensor>;
  'zero-shot-image-classification': ZeroShotOf<ImageSource, LabelScore[], ZeroShotImages>;
}

/** The name of a task; `translation_en_to_fr` names a translation too. */
export type PipelineTask = keyof PipelineCalls | `translation_${string}_to_${string}`;

/** The call of a task. */
export type PipelineCall<Task extends PipelineTask> = Task extends keyof PipelineCalls
  ? PipelineCalls[Task]
  : PipelineCalls['translation'];
