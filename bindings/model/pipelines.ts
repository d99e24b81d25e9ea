/** Each task of `pipeline`: its arguments and results in the shapes of Python's and transformers.js's pipelines. */

import { type Answer, type AnswerOptions, answer } from '../tasks/answer.js';
import { type ChatMessage, chat } from '../tasks/chat.js';
import { type ClassifiedText, classify } from '../tasks/classify.js';
import { continueText } from '../tasks/continue_text.js';
import { embed } from '../tasks/embed.js';
import { extractFeatures } from '../tasks/extract_features.js';
import { fillMask } from '../tasks/fill_mask.js';
import { type TagOptions, tag } from '../tasks/tag.js';
import { textToText } from '../tasks/text_to_text.js';
import { classifyZeroShot } from '../tasks/zero_shot.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import {
  imageClassification,
  imageFeatureExtraction,
  imageToText,
  speechRecognition,
  zeroShotImages,
} from './media_pipelines.js';
import {
  each,
  eachWithLabels,
  encoderOptionsOf,
  generationOf,
  like,
  listOf,
  type Options,
  type Task,
} from './pipeline_calls.js';
import type { PipelineCalls } from './pipeline_types.js';

/** Tasks whose result is a text under some name: `[{ translation_text }]`, a list per input if there are several. */
const rewriting =
  (name: string): Task =>
  async (model, [input, options], task) => {
    const { inputs, isList } = listOf<string>(input);
    const { returnText: _, ...generation } = generationOf(options);
    const texts = await textToText(model.loaded, task, inputs, generation);
    const results = texts.map((all) => all.map((text) => ({ [name]: text })));
    return !isList || results.every((all) => all.length === 1) ? results.flat() : results;
  };

const textGeneration: Task = async (model, [input, options]) => {
  const { returnFullText = true, ...generation } = generationOf(options);
  const answered = async (turns: ChatMessage[]) => {
    const { message } = await chat(model.loaded, turns, generation);
    return [{ generated_text: returnFullText ? [...turns, message] : message.content }];
  };
  if (isConversation(input)) return answered(input);
  if (Array.isArray(input) && input.length > 0 && input.every(isConversation)) {
    const answers: Awaited<ReturnType<typeof answered>>[] = [];
    for (const turns of input) answers.push(await answered(turns));
    return answers;
  }
  const { inputs, isList } = listOf<string>(input);
  const texts = await continueText(model.loaded, inputs, Boolean(returnFullText), generation);
  return like(
    texts.map((all) => all.map((text) => ({ generated_text: text }))),
    isList,
  );
};

const isConversation = (input: unknown): input is ChatMessage[] =>
  Array.isArray(input) &&
  input.length > 0 &&
  input.every((turn) => typeof turn === 'object' && turn && 'role' in turn);

const textClassification: Task = async (model, [input, options]) => {
  const { inputs, isList } = listOf<string | { text: string; textPair?: string; text_pair?: string }>(input);
  const {
    returnAllScores,
    topK = returnAllScores === true ? null : undefined,
    ...others
  } = encoderOptionsOf(options);
  const texts = inputs.map((one) => {
    if (typeof one !== 'object' || one === null) return one;
    const { text, textPair = one.text_pair } = one;
    return { text, ...(textPair !== undefined && { textPair }) };
  });
  // null: all of them, as in Python.
  const results = await classify(model.loaded, texts as ClassifiedText[], {
    ...(topK === null ? {} : { topK: (topK as number | undefined) ?? 1 }),
    ...others,
  });
  if (topK !== undefined) return like(results, isList);
  // As in Python, a pair alone gives its label alone, and a text alone a list of one.
  return !isList && typeof input === 'object' ? results.flat()[0] : results.flat();
};

const zeroShot = eachWithLabels<string>(encoderOptionsOf, (model, texts, labels, options) =>
  classifyZeroShot(model.loaded, texts, labels, options),
);

/** As sentence-transformers' `rank`: the texts' places and scores, and the texts themselves if asked for. */
const textRanking: Task = async (model, [query, texts, options]) => {
  const { returnDocuments = false, ...others } = encoderOptionsOf(options);
  const ranked = await model.rank(query as string, texts as string[], others);
  return ranked.map(({ index, score, text }) => ({
    corpus_id: index,
    score,
    ...(returnDocuments === true && { text }),
  }));
};

const tokenClassification = each<string>(encoderOptionsOf, (model, texts, options) => {
  const { groupedEntities, ignoreSubwords, ...others } = options;
  // Names of older versions.
  const older = ignoreSubwords === true ? 'first' : 'simple';
  return tag(model.loaded, texts, {
    ...(groupedEntities === true && { aggregationStrategy: older }),
    ...others,
  } as TagOptions);
});

const questionAnswering: Task = async (model, [first, second, third]) => {
  const isText = (value: unknown) => typeof value === 'string';
  const isTexts = isText(first) || (Array.isArray(first) && first.every(isText));
  const { inputs, isList } = listOf<{ question: string; context: string }>(
    isTexts ? paired(first as string | string[], second) : first,
  );
  const { maxAnswerLength, ...options } = encoderOptionsOf(isTexts ? third : second);
  const read = { ...(maxAnswerLength !== undefined && { maxAnswerLen: maxAnswerLength }), ...options };
  const results: (Answer | Answer[])[] = [];
  for (const one of inputs) {
    const { question, context } = toObject(one, 'the question') as { question: string; context: string };
    const found = await answer(model.loaded, { question, context }, read as AnswerOptions);
    // As in Python, an answer alone is not in a list.
    results.push(found.length > 1 ? found : (found[0] ?? noAnswer));
  }
  return like(results, isList && results.length !== 1);
};

/** Each question with its context, or all with the only one. */
function paired(questions: string | string[], contexts: unknown): object {
  if (!Array.isArray(questions)) return { question: questions, context: contexts };
  if (Array.isArray(contexts) && contexts.length !== questions.length)
    fail('invalid_argument', `there are ${questions.length} questions, but ${contexts.length} contexts`);
  return questions.map((question, i) => ({
    question,
    context: Array.isArray(contexts) ? contexts[i] : contexts,
  }));
}

const noAnswer: Answer = { answer: '', score: 0, start: 0, end: 0 };

const maskFilling: Task = async (model, [input, options]) => {
  const { inputs, isList } = listOf<string>(input);
  const { targets, ...others } = encoderOptionsOf(options);
  const chosen = targets === undefined ? {} : { targets: [targets].flat() as string[] };
  const results = await fillMask(model.loaded, inputs, { ...others, ...chosen });
  return like(
    results.map((masks) => like(masks, masks.length > 1)),
    isList && results.length !== 1,
  );
};

const featureExtraction: Task = async (model, [input, options]) => {
  const { inputs } = listOf<string>(input);
  const { pooling = 'none', ...others } = encoderOptionsOf(options);
  if (pooling === 'none')
    return extractFeatures(model.loaded, inputs, others.signal as AbortSignal | undefined);
  return embed(model.loaded, inputs, { pooling, ...others } as Options);
};

/** Other names of tasks. */
export const aliases = {
  'sentiment-analysis': 'text-classification',
  ner: 'token-classification',
  asr: 'automatic-speech-recognition',
} as const satisfies Partial<Record<keyof PipelineCalls, keyof PipelineCalls>>;

/** The tasks by name: those of {@link PipelineCalls}, which has the type of each call. */
export const tasks: Readonly<Record<Exclude<keyof PipelineCalls, keyof typeof aliases>, Task>> = {
  translation: rewriting('translation_text'),
  summarization: rewriting('summary_text'),
  'text2text-generation': rewriting('generated_text'),
  'text-generation': textGeneration,
  'text-classification': textClassification,
  'text-ranking': textRanking,
  'token-classification': tokenClassification,
  'zero-shot-classification': zeroShot,
  'question-answering': questionAnswering,
  'fill-mask': maskFilling,
  'feature-extraction': featureExtraction,
  'automatic-speech-recognition': speechRecognition,
  'image-classification': imageClassification,
  'image-to-text': imageToText,
  'image-feature-extraction': imageFeatureExtraction,
  'zero-shot-image-classification': zeroShotImages,
};
