/** `transformer-wasm transcribe`. */

import type { Model } from '../model/model.js';
import { inOrder } from '../tasks/batch_encoder.js';
import type { TranscribeOptions, Transcription } from '../tasks/transcribe.js';
import { command } from './command.js';
import { asText, filter, type Work } from './filter.js';
import { anyModelFlags, filtering, isSet, oneOf, text, UsageError } from './flags.js';
import { withModel } from './run_model.js';
import { print, say } from './terminal.js';

/** A transcription, and the file that it is of. */
interface Transcribed {
  readonly file: string;
  readonly transcription: Transcription;
}

export const transcribe = command({
  args: '[FILE... | -] --model DIR',
  summary: 'writes down what is said in recordings',
  about: `Writes down what is said in recordings (WAV files of any rate and length), a line for each.

Reads the paths of files from standard input with -. With --jsonl, a line is an object with the field file.`,
  flags: {
    ...anyModelFlags,
    from: text('LANGUAGE', 'language of the recordings: en, fr, ...; default: detected'),
    english: isSet('translate into English'),
    words: isSet('with --json: times of words too'),
    format: oneOf(['text', 'srt', 'vtt'], 'text (default), or subtitles; for one file'),
    ...filtering,
  },
  examples: [
    'transcribe talk.wav --model path/to/whisper --format srt > talk.srt',
    'ls recordings/*.wav | transformer-wasm transcribe --model path/to/whisper --json - > recordings.jsonl',
  ],
  async run(files, values) {
    const { format = 'text' } = values;
    const settings: TranscribeOptions = {
      ...(values.from !== undefined && { language: values.from }),
      ...(values.english && { task: 'translate' }),
      timestamps: values.words ? 'words' : true,
    };
    const readsInput = files[0] === '-' || (files.length === 0 && !process.stdin.isTTY);
    if (files.length === 0 && !readsInput)
      throw new UsageError('missing argument: WAV files, or - for their paths on standard input');
    await withModel(values, async (model) => {
      const work: Work<Transcribed> = {
        field: 'file',
        run: (inputs) => inOrder(inputs, (file) => transcribeFile(model, asText(file, 'file'), settings)),
        text: ({ transcription }) =>
          format === 'text' ? transcription.text.trim() : subtitles(transcription, format),
        json: ({ file, transcription: { text, language, segments, words, missingSeconds } }) => ({
          file,
          text,
          language,
          segments,
          ...(words && { words }),
          ...(missingSeconds && { missingSeconds }),
        }),
      };
      if (readsInput) return filter(work, values);
      for (const file of files) {
        if (format === 'text' && !values.json) {
          await stream(model, file, settings);
          continue;
        }
        const [result] = await work.run([file]);
        if (result) print(`${values.json ? JSON.stringify(work.json(result, file)) : work.text(result)}\n`);
      }
    });
  },
});

const subtitles = (transcription: Transcription, format: 'srt' | 'vtt') =>
  (format === 'srt' ? transcription.toSrt() : transcription.toVtt()).trimEnd();

async function transcribeFile(model: Model, file: string, settings: TranscribeOptions): Promise<Transcribed> {
  const transcription = await model.transcribe(file, settings);
  warnOfMissing(file, transcription);
  return { file, transcription };
}

function warnOfMissing(file: string, { missingSeconds }: Transcription): void {
  if (missingSeconds === undefined) return;
  const seconds = missingSeconds.toFixed(missingSeconds < 10 ? 2 : 0);
  say(`${file} is cut short: by its header, ${seconds} s of sound are missing at its end.`);
}

/** Writes the text while it is heard. */
async function stream(model: Model, file: string, settings: TranscribeOptions): Promise<void> {
  let isFirst = true;
  const segments = model.streamTranscription(file, settings);
  for (;;) {
    const { done, value } = await segments.next();
    if (done) {
      print('\n');
      return warnOfMissing(file, value);
    }
    print(isFirst ? value.text.trimStart() : value.text);
    isFirst = false;
  }
}
