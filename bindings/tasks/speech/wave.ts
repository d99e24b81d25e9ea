/** A recording for a model that reads sound as it is. */

import type { Loaded } from '../../checkpoint/loaded.js';
import { Fields } from '../../files/fields.js';
import { readJson } from '../../files/read_json.js';
import { signalModule } from '../../signal/module.js';
import { openSound } from '../../signal/open_sound.js';
import { Recording } from '../../signal/recording.js';
import { fail } from '../../values/errors.js';
import type { AudioInput } from './features.js';

interface Wave {
  readonly recording: Recording;
  /** Samples in a second. */
  readonly rate: number;
  close(): Promise<void>;
}

/** @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason. */
export async function openWave(model: Loaded, audio: AudioInput, signal?: AbortSignal): Promise<Wave> {
  if (typeof audio === 'object' && audio !== null && 'inputFeatures' in audio)
    fail('unsupported', 'this model reads sound as it is: it does not take inputFeatures');
  const [module, json] = await Promise.all([
    signalModule(model.host),
    readJson(model.folder, 'preprocessor_config.json', signal),
  ]);
  const fields = new Fields(json ?? {}, 'preprocessor_config.json');
  fields.only('do_normalize', false);
  const rate = fields.count('sampling_rate', 16000);
  const sound = await openSound(audio, signal);
  try {
    const recording = new Recording(module, sound, rate);
    return {
      recording,
      rate,
      async close() {
        recording.close();
        await sound.close();
      },
    };
  } catch (error) {
    await sound.close();
    throw error;
  }
}
