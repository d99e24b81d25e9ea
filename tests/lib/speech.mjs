// The speech cases: a tiny Whisper, recordings made of tones by a formula, and Python's results.

import { readdirSync, readFileSync } from 'node:fs';
import { readSafetensors } from './safetensors.mjs';

export { tones, wav } from './sound.mjs';

const root = new URL('../fixtures/speech/', import.meta.url);

/** A case: what expected.json says, its tensors, and its files as a folder to load. */
export function readSpeechCase(name) {
  const file = (path) => readFileSync(new URL(`${name}/${path}`, root));
  const tensors = readSafetensors(file('expected.safetensors'));
  return {
    about: JSON.parse(file('expected.json')),
    get: (key) => tensors.get(key),
    files: () =>
      new Map(
        readdirSync(new URL(`${name}/`, root))
          .filter((one) => !one.startsWith('expected'))
          .map((one) => [one, file(one)]),
      ),
  };
}

/** The features [bands, frames] of one clip of a batch, without padding. */
export function clipOf({ data, shape }, clip, frames = shape.at(-1)) {
  const [bands, all] = shape.slice(-2);
  const part = new Float32Array(bands * frames);
  for (let band = 0; band < bands; band++) {
    const begin = (clip * bands + band) * all;
    part.set(data.subarray(begin, begin + frames), band * frames);
  }
  return { data: part, shape: [bands, frames] };
}

const names = {
  language: 'language',
  task: 'task',
  max_new_tokens: 'maxNewTokens',
  num_beams: 'numBeams',
  no_repeat_ngram_size: 'noRepeatNgramSize',
  prompt_ids: 'prompt',
  prompt_condition_type: 'promptConditionType',
  condition_on_prev_tokens: 'conditionOnPrevTokens',
  temperature: 'temperature',
  logprob_threshold: 'logprobThreshold',
  compression_ratio_threshold: 'compressionRatioThreshold',
  no_speech_threshold: 'noSpeechThreshold',
};

/** Arguments of Python's generate() as options of transcribe. */
export function transcribeOptions({ kwargs, sampler }, isLong = false) {
  const options = { timestamps: isLong || kwargs.return_timestamps === true };
  for (const [python, name] of Object.entries(names)) if (python in kwargs) options[name] = kwargs[python];
  if (kwargs.return_token_timestamps && options.timestamps) options.timestamps = 'words';
  if (kwargs.language === undefined && kwargs.task === undefined) options.task = null;
  // The reference took the most probable token in place of a random one.
  if (sampler === 'argmax') options.topK = 1;
  return options;
}
