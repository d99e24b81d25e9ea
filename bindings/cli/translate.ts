/** `transformer-wasm translate`. */

import { hashOf } from '../engine/fingerprint.js';
import type { Translation } from '../texts/results.js';
import { command } from './command.js';
import { areFiles, fileFlags } from './document_files.js';
import {
  filtering,
  generationOptionsOf,
  isSet,
  languages,
  searching,
  shippedModelFlags,
  UsageError,
} from './flags.js';
import { textOrInput } from './read_input.js';
import { warnOfUnknownWords, withModel } from './run_model.js';
import { translateFiles } from './translate_files.js';
import { wordingFlags, wordingOptionsOf } from './wording.js';

/** Those for texts, not for files. */
const textFlags = {
  'no-split': isSet(
    'the model reads each text as a whole, at most as long as its maximum, not sentence by sentence',
  ),
  hash: isSet(
    'also print a hash of the tokens and their scores, which is the same for any number of threads',
  ),
  ...filtering,
};

export const translate = command({
  args: '[TEXT... | FILE... | -]',
  summary: 'translates a text, files, or each line of standard input',
  about: `Translates TEXT. Words that the model does not know are reported on standard error.

Translates FILE if an argument is the name of one, or of a folder with some: plain text (.txt), Markdown (.md, .mdx), HTML
(.html), subtitles (.srt, .vtt) and files of texts (.json, .arb, .yaml, .po, .xlf, .strings, .properties, strings.xml). Code,
targets of links, front matter, keys and times stay as they are. Writes to standard output, or with --to-dir into a folder, where
only what has changed is made again, corrections by hand stay, and an interrupted run resumes. With --json, an object for
each file has the ranges of its parts in both texts, and what was not translated. Exit code 1: a file, or a sentence of one,
was not translated; standard error says which.`,
  flags: { ...searching, ...languages, ...shippedModelFlags, ...fileFlags, ...wordingFlags, ...textFlags },
  examples: [
    'translate "I am hungry."',
    'translate --beams 4 --json "I am hungry."',
    'translate docs/*.md film.srt --to-dir french',
    'cat sentences.txt | transformer-wasm translate --model path/to/model - > translations.txt',
  ],
  async run(positionals, values) {
    const options = {
      ...generationOptionsOf(values),
      ...wordingOptionsOf(values),
      ...(values['no-split'] && { split: false }),
      ...(values.wrapped && { wrapped: true }),
    };
    if (areFiles(positionals, values)) {
      for (const name of Object.keys(textFlags))
        if (name in values) throw new UsageError(`--${name} is for texts, not for files`);
      return translateFiles(positionals, values, options);
    }
    const input = textOrInput(positionals, 'the text to translate');
    await withModel(values, (model) =>
      input.answer<Translation>(values, {
        field: 'text',
        run: async (texts) => {
          const translations = await model.translate(texts as string[], options);
          warnOfUnknownWords([...new Set(translations.flatMap(({ unknownWords }) => unknownWords))]);
          return translations;
        },
        text: ({ text, ...result }) => `${text.trimEnd()}${values.hash ? `\n${bitsOf(result)}` : ''}`,
        json: ({ sourceOffsets: _, sentences, ...translation }, source) => ({
          source,
          ...translation,
          sentences: sentences.map(({ source, target, score, confidence }) => ({
            source,
            target,
            score,
            confidence,
          })),
          ...(values.hash && { hash: bitsOf(translation) }),
        }),
      }),
    );
  },
});

/** A hash of the tokens and the bits of their score. */
const bitsOf = ({ tokens, score }: Pick<Translation, 'tokens' | 'score'>) =>
  hashOf([new TextEncoder().encode(JSON.stringify(tokens)), new Uint8Array(Float32Array.of(score).buffer)]);
