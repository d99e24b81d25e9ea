/** Translates one document: reads, writes and reports it. */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DocumentKind, wordsIn } from '../documents/document.js';
import { translateDocument } from '../documents/translate_document.js';
import type { Model } from '../model/model.js';
import { type TranslateOptions, toAttributes } from '../texts/options.js';
import { TransformerError } from '../values/errors.js';
import { checkOutput, type DocumentFile, type fileFlags, readDocument } from './document_files.js';
import type { shippedModelFlags, ValuesOf } from './flags.js';
import { journalBeside, writeWhole } from './journal.js';
import type { Memory } from './memory.js';
import { clearStatus, printAll, printJson, say, sayError } from './terminal.js';
import { type KeptText, TextTranslator, type Untranslated } from './text_translator.js';
import { blocksOf, hashOf, knownOf, type Translated, type Translations } from './translations.js';
import type { WordProgress } from './word_progress.js';

export type Values = ValuesOf<typeof fileFlags & typeof shippedModelFlags>;

/** A file to translate, and what is known of it. */
export interface Work {
  readonly file: DocumentFile;
  readonly translations: Translations | null;
  readonly before: Translated | undefined;
  readonly isDone: boolean;
}

export interface Settings {
  readonly key: string;
  readonly values: Values;
  readonly options: TranslateOptions;
  readonly memory: Memory | null;
  readonly progress: WordProgress;
}

/** Whether the whole file was translated. */
export async function translateFile(model: Model, work: Work, settings: Settings): Promise<boolean> {
  const { file } = work;
  try {
    if (!settings.values['in-place']) await checkOutput(file);
    const untranslated = await makeTranslation(model, work, await readDocument(file), settings);
    for (const reason of ['copied', 'cut', 'structure'] as const) sayWhich(file.path, untranslated, reason);
    return untranslated.length === 0;
  } catch (error) {
    // The next file would fail likewise.
    if (error instanceof TransformerError && ['disposed', 'internal'].includes(error.code)) throw error;
    clearStatus();
    sayError(error, file.path);
    return false;
  }
}

async function makeTranslation(
  model: Model,
  { file, translations, before }: Work,
  source: string,
  { values, options, memory, key, progress }: Settings,
): Promise<Untranslated[]> {
  const { kind, output, name } = file as DocumentFile & { kind: DocumentKind };
  progress.begin(wordsIn(source));
  if (output !== null) await mkdir(dirname(output), { recursive: true });
  const journal = output === null ? null : await journalBeside<KeptText>(output, [key, kind, source]);
  const translator = new TextTranslator(model, options, { journal, memory }, (words, isNew) =>
    progress.add(words, isNew),
  );
  const settings = {
    wrapped: options.wrapped,
    sourceLanguage: options.sourceLanguage,
    attributes: toAttributes(values.attributes ?? false, 'attributes'),
    lang: values.lang,
  };
  const known =
    before && output !== null && !values.force
      ? await knownOf(before, { ...file, kind, output }, key)
      : undefined;
  const run = (texts: readonly string[], alignment: boolean) => translator.translate(texts, alignment);
  const made = await translateDocument(source, kind, run, { ...settings, known });
  const { text, parts } = made;
  progress.end();
  const { untranslated } = translator;
  for (const part of made.untranslated)
    untranslated.push({ text: source.slice(...part.source), reason: 'structure' });
  if (output !== null) {
    await writeWhole(output, text);
    const blocks = blocksOf(source, text, parts);
    await translations?.add({
      file: name,
      key,
      source: hashOf(source),
      target: hashOf(text),
      blocks,
      untranslated,
    });
    await journal?.remove();
  }
  await memory?.save();
  const unknownWords = [...translator.unknownWords];
  if (values.json)
    printJson({
      file: file.path,
      kind,
      output,
      ...(output === null && { text }),
      parts,
      untranslated,
      unknownWords,
    });
  else if (output === null) await printAll(text);
  if (unknownWords.length > 0)
    say(`${file.path}: words that the model does not know: ${listed(unknownWords)}`);
  return untranslated;
}

const mostShown = 20;

function sayWhich(path: string, untranslated: readonly Untranslated[], reason: Untranslated['reason']): void {
  const own = untranslated.filter((one) => one.reason === reason).map(({ text }) => `"${text.slice(0, 60)}"`);
  if (own.length === 0) return;
  const what = reason === 'cut' ? 'perhaps without an end' : 'not translated, but left as in the source';
  const one = reason === 'structure' ? 'part' : 'sentence';
  const are = own.length === 1 ? `a ${one} is` : `${own.length} ${one}s are`;
  say(`${path}: ${are} ${what}: ${listed(own)}`);
}

/** The first ones, and how many others there are. */
function listed(names: readonly string[]): string {
  const others = names.length - mostShown;
  return `${names.slice(0, mostShown).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
