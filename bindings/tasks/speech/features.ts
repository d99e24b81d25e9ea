/** The features of a recording, window by window, from sound or as the caller computed them. */

import type { Host } from '../../engine/host.js';
import { nextTask } from '../../engine/next_task.js';
import type { Folder } from '../../files/folder.js';
import { readJson } from '../../files/read_json.js';
import { MelFeatures, readMelConfig } from '../../signal/mel_features.js';
import { signalModule } from '../../signal/module.js';
import { openSound, type SoundSource } from '../../signal/open_sound.js';
import { Recording } from '../../signal/recording.js';
import { fail } from '../../values/errors.js';
import { type TensorData, type TensorLike, toTensor } from '../../values/tensor.js';
import type { ReadTranscribeOptions } from './options.js';
import type { SpeechSettings } from './settings.js';

/** A recording, or its log-mel features [bands, frames] as Python's feature extractor computes them. */
export type AudioInput = SoundSource | { readonly inputFeatures: TensorLike };

export interface Features {
  /** Frames that are sound, at 100 a second. */
  readonly frames: number;
  /** Seconds that the file says it has, but ends before. */
  readonly missingSeconds: number;
  /** [bands, count] from a frame on; what lies behind the end is 0. */
  window(first: number, count: number): Promise<TensorData>;
  close(): Promise<void>;
}

/** Milliseconds of work between two looks at the signal and at other tasks of the page. */
const budget = 10;

/** @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason. */
export async function openFeatures(
  model: { readonly host: Host; readonly folder: Folder },
  audio: AudioInput,
  { settings, options }: { settings: SpeechSettings; options: ReadTranscribeOptions },
): Promise<Features> {
  const { bands, frames: windowFrames } = settings.window;
  if (isFeatures(audio)) return givenFeatures(audio.inputFeatures, bands);
  const { signal } = options;
  const [module, json] = await Promise.all([
    signalModule(model.host),
    readJson(model.folder, 'preprocessor_config.json', signal),
  ]);
  const config = readMelConfig(json, bands);
  if (config.bands !== bands)
    fail(
      'bad_checkpoint',
      `preprocessor_config.json: feature_size is ${config.bands}; the model takes ${bands}`,
    );
  const sound = await openSound(audio, signal);
  const parts: { close(): unknown }[] = [sound];
  const close = async () => {
    for (const part of parts) await part.close();
  };
  try {
    signal?.throwIfAborted();
    const recording = new Recording(module, sound, config.sampleRate);
    parts.push(recording);
    // Silence fills up the first window of a short recording before its features are computed, as in training.
    const length = Math.max(recording.length, windowFrames * config.hop);
    const mel = new MelFeatures(module, recording, { ...config, length });
    parts.push(mel);
    await measure(mel, recording.length / config.sampleRate, options);
    const frames = Math.floor(recording.length / config.hop);
    const { missingSeconds } = recording;
    return { frames, missingSeconds, window: (first, count) => mel.window(first, count), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function measure(
  mel: MelFeatures,
  seconds: number,
  { signal, onProgress }: ReadTranscribeOptions,
): Promise<void> {
  let until = performance.now() + budget;
  for await (const share of mel.measure()) {
    if (performance.now() < until) continue;
    onProgress?.({ phase: 'features', done: Math.min(1, share) * seconds, total: seconds });
    await nextTask();
    signal?.throwIfAborted();
    until = performance.now() + budget;
  }
}

const isFeatures = (audio: AudioInput): audio is { readonly inputFeatures: TensorLike } =>
  typeof audio === 'object' && audio !== null && 'inputFeatures' in audio;

function givenFeatures(given: TensorLike, bands: number): Features {
  const { data, shape } = toTensor(given, 'inputFeatures');
  const [rows, frames = 0] = shape.length === 3 && shape[0] === 1 ? shape.slice(1) : shape;
  if (rows !== bands || frames === 0 || data.length !== bands * frames)
    fail(
      'invalid_argument',
      `inputFeatures must have the shape [${bands}, frames], got [${shape.join(', ')}]`,
    );
  const window = async (first: number, count: number) => {
    const part = new Float32Array(bands * count);
    for (let band = 0; band < bands; band++)
      part.set(
        data.subarray(band * frames + first, band * frames + Math.min(frames, first + count)),
        band * count,
      );
    return { data: part, shape: [bands, count] };
  };
  return { frames, missingSeconds: 0, window, close: async () => undefined };
}
