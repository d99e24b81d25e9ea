/** `transformer-wasm translate FILE...`: documents in, documents out. A file that fails costs no other one. */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DocumentKind, wordsIn } from '../documents/document.js';
import { translateDocument } from '../documents/translate_document.js';
import { version } from '../engine/version.js';
import type { Model } from '../model/model.js';
import { type TranslateOptions, toAttributes } from '../texts/options.js';
import { TransformerError } from '../values/errors.js';
import {
  checkOutput,
  type DocumentFile,
  documentFiles,
  type fileFlags,
  readDocument,
} from './document_files.js';
import { type shippedModelFlags, UsageError, type ValuesOf } from './flags.js';
import { withModel } from './run_model.js';
import { clearStatus, printAll, printJson, say, sayError } from './terminal.js';
import { type KeptText, TextTranslator, type Untranslated } from './text_translator.js';
import {
  blocksOf,
  hashOf,
  journalBeside,
  knownOf,
  type Translated,
  Translations,
  writeWhole,
} from './translations.js';
import { WordProgress } from './word_progress.js';

type Values = ValuesOf<typeof fileFlags & typeof shippedModelFlags>;

/** @throws UsageError */
export async function translateFiles(
  paths: readonly string[],
  values: Values,
  options: TranslateOptions,
): Promise<void> {
  const files = await documentFiles(paths.length === 0 && !process.stdin.isTTY ? ['-'] : paths, values);
  if (files.length === 0) throw new UsageError('missing argument: files to translate');
  const folder = values['to-dir'];
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const settings = { values, options, key: keyOf(values, options) };
  const open: Work[] = [];
  let failed = 0;
  for (const file of files) {
    const work = await workOf(file, settings);
    if (work.isDone && !values.force) failed += Number((work.before?.untranslated.length ?? 0) > 0);
    else open.push(work);
  }
  const there = files.length - open.length;
  if (there > 0) say(`${there} of ${files.length} translations are there already; --force makes them again`);
  if (open.length > 0)
    failed += await withModel(values, async (model) => {
      let failed = 0;
      for (const [place, work] of open.entries()) {
        const progress = new WordProgress(work.file.path, place + 1, open.length);
        if (!(await translateFile(model, work, { ...settings, progress }))) failed++;
      }
      return failed;
    });
  if (failed === 0) return;
  if (files.length > 1) say(`${failed} of ${files.length} files were not, or not wholly, translated`);
  process.exitCode = 1;
}

/** What a translation depends on besides its source. */
const keyOf = (values: Values, options: TranslateOptions) =>
  hashOf(
    JSON.stringify(
      [
        version,
        [values.model ?? null, values.revision ?? null, values.dtype ?? null],
        [values.attributes ?? null, values.lang ?? null, values.format ?? null],
        options,
      ],
      (_, value) => (value instanceof RegExp ? String(value) : value),
    ),
  );

/** A file to translate, and what is known of it. */
interface Work {
  readonly file: DocumentFile;
  readonly translations: Translations | null;
  readonly before: Translated | undefined;
  readonly isDone: boolean;
}

async function workOf(file: DocumentFile, { values, key }: Omit<Settings, 'progress'>): Promise<Work> {
  const { output, path, name } = file;
  if (output === null) return { file, translations: null, before: undefined, isDone: false };
  const translations = await Translations.in(values['to-dir'] ?? dirname(output));
  const source = await readFile(path, 'utf8').catch(() => null);
  const isDone =
    source !== null && translations.areDone(name, { key, source, output, isInPlace: values['in-place'] });
  return { file, translations, before: translations.get(name), isDone };
}

interface Settings {
  readonly key: string;
  readonly values: Values;
  readonly options: TranslateOptions;
  readonly progress: WordProgress;
}

/** Whether the whole file was translated. */
async function translateFile(model: Model, work: Work, settings: Settings): Promise<boolean> {
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
  { values, options, key, progress }: Settings,
): Promise<Untranslated[]> {
  const { kind, output, name } = file as DocumentFile & { kind: DocumentKind };
  progress.begin(wordsIn(source));
  if (output !== null) await mkdir(dirname(output), { recursive: true });
  const journal = output === null ? null : await journalBeside<KeptText>(output, [key, kind, source]);
  const translator = new TextTranslator(model, options, journal, (words, isNew) =>
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
  for (const part of made.untranslated)
    translator.untranslated.push({ text: source.slice(...part.source), reason: 'structure' });
  if (output !== null) {
    await writeWhole(output, text);
    const blocks = blocksOf(source, text, parts);
    const { untranslated } = translator;
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
  const { untranslated } = translator;
  const unknownWords = [...translator.unknownWords];
  const record = {
    file: file.path,
    kind,
    output,
    ...(output === null && { text }),
    parts,
    untranslated,
    unknownWords,
  };
  if (values.json) printJson(record);
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
