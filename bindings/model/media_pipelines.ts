/** The tasks of `pipeline` that take sound or pictures. */

import { inOrder } from '../tasks/batch_encoder.js';
import type { ClassifyImageOptions, ImageSource } from '../tasks/classify_image.js';
import { describeImages } from '../tasks/describe_image.js';
import { type ImageFeatureOptions, imageFeatures } from '../tasks/image_features.js';
import type { AudioInput, TranscribeOptions } from '../tasks/transcribe.js';
import { classifyImagesZeroShot } from '../tasks/zero_shot_image.js';
import { fail } from '../values/errors.js';
import { each, eachWithLabels, generationOf, like, listOf, optionsOf, type Task } from './pipeline_calls.js';

export const speechRecognition: Task = async (model, [input, options]) => {
  // Recordings of any length are read window by window: the lengths of chunks have no meaning here.
  const {
    returnTimestamps = false,
    chunkLengthS: _,
    strideLengthS: __,
    generateKwargs,
    returnLanguage = false,
    ...others
  } = optionsOf(options);
  if (typeof returnTimestamps !== 'boolean' && returnTimestamps !== 'word')
    fail(
      'unsupported',
      "return_timestamps must be true (segments), 'word' or false: characters have no times",
    );
  const timestamps = returnTimestamps === 'word' ? 'words' : returnTimestamps;
  const settings = { timestamps, ...optionsOf(generateKwargs), ...others } as TranscribeOptions;
  const { inputs, isList } = listOf<unknown>(input);
  const results: { text: string; chunks?: object[]; missing_seconds?: number }[] = [];
  for (const audio of inputs) {
    const heard = await model.transcribe(recordingOf(audio), settings);
    const { text, segments, words, language, missingSeconds } = heard;
    const parts = timestamps === 'words' ? (words ?? []) : segments;
    const named = returnLanguage === true && { language: await nameOfLanguage(language) };
    const chunks = parts.map((part) => ({ ...named, timestamp: [part.start, part.end], text: part.text }));
    // As in Python, the text is in one piece where no times were asked for.
    const shown = timestamps ? { chunks } : named && { chunks: [{ ...named, text }] };
    // Python is silent about a file that is cut short.
    results.push({ text, ...shown, ...(missingSeconds && { missing_seconds: missingSeconds }) });
  }
  return like(results, isList);
};

/** Python's name of a language, such as 'english'; `null` where the model has no languages. */
async function nameOfLanguage(code: string | null): Promise<string | null> {
  return code === null ? null : (await import('../tasks/speech/languages.js')).languageName(code);
}

/** Python's `{ raw, sampling_rate }` or `{ array, sampling_rate }` as ours. */
function recordingOf(audio: unknown): AudioInput {
  const { raw, array = raw, sampling_rate: sampleRate, ...others } = (audio ?? {}) as Record<string, unknown>;
  if (sampleRate === undefined || Object.keys(others).some((name) => name !== 'path'))
    return audio as AudioInput;
  return { samples: array, sampleRate } as AudioInput;
}

export const imageClassification = each<ImageSource>(optionsOf, (model, images, options) =>
  inOrder(images, (image) => model.classifyImage(image, { topK: 5, ...options } as ClassifyImageOptions)),
);

/** As in transformers.js: of a model that compares pictures with texts, the vectors that it compares. */
export const imageFeatureExtraction: Task = async (model, [input, options]) => {
  const { inputs } = listOf<ImageSource>(input);
  return imageFeatures(model.loaded, inputs, optionsOf(options) as ImageFeatureOptions);
};

export const zeroShotImages = eachWithLabels<ImageSource>(optionsOf, (model, images, labels, options) =>
  classifyImagesZeroShot(model.loaded, images, labels, options),
);

export const imageToText = each<ImageSource>(generationOf, async (model, images, options) => {
  const { generateKwargs, ...others } = options;
  const texts = await describeImages(model.loaded, images, { ...generationOf(generateKwargs), ...others });
  return texts.map((all) => all.map((text) => ({ generated_text: text })));
});
