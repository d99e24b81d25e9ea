// The speech cases: a tiny Whisper, recordings made of tones by a formula, and Python's results.

import { readdirSync, readFileSync } from 'node:fs';
import { readSafetensors } from './safetensors.mjs';

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

/** Pairs of tones, each swelling and fading in 10 ms, over a hum: samples in [-1, 1] at 16000 Hz. */
export function tones({ samples, hum, noise_seed: seed, events }) {
  const sum = Float64Array.from(
    { length: samples },
    (_, i) => 600 * Math.sin((2 * Math.PI * hum * i) / 16000),
  );
  for (const [start, length, f1, f2, amp] of events) {
    for (let k = 0; k < length && start + k < samples; k++) {
      const weight = Math.min(1, k / 160, (length - 1 - k) / 160);
      const wave = (f) => Math.sin((2 * Math.PI * f * k) / 16000);
      sum[start + k] += amp * weight * (wave(f1) + wave(f2));
    }
  }
  let state = seed ?? 0;
  return Float32Array.from(sum, (value) => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    const noise = seed === null ? 0 : ((state >>> 16) - 32768) >> 9;
    return Math.max(-32768, Math.min(32767, Math.floor(value + 0.5) + noise)) / 32768;
  });
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

/** A WAV file. `write` puts a sample at a place of a DataView. */
export function wav(samples, { format, bits, rate = 16000, channels = 1 }, write) {
  const size = (samples.length * bits) / 8;
  const view = new DataView(new ArrayBuffer(44 + size));
  const text = (at, value) =>
    [...value].forEach((letter, i) => {
      view.setUint8(at + i, letter.charCodeAt(0));
    });
  text(0, 'RIFF');
  view.setUint32(4, 36 + size, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, (rate * channels * bits) / 8, true);
  view.setUint16(32, (channels * bits) / 8, true);
  view.setUint16(34, bits, true);
  text(36, 'data');
  view.setUint32(40, size, true);
  for (const [i, sample] of samples.entries()) write(view, 44 + (i * bits) / 8, sample);
  return new Uint8Array(view.buffer);
}
