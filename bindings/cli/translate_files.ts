/** `transformer-wasm translate FILE...`: documents in, documents out. A file that fails costs no other one. */

import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type DocumentKind, wordsIn } from '../documents/document.js';
import { translateDocument } from '../documents/translate_document.js';
import { version } from '../engine/version.js';
import type { Model } from '../model/model.js';
import type { TranslateOptions } from '../texts/options.js';
import { TransformerError } from '../values/errors.js';
import {
  checkOutput,
  type DocumentFile,
  documentFiles,
  type fileFlags,
  isComplete,
  readDocument,
} from './document_files.js';
import { type shippedModelFlags, UsageError, type ValuesOf } from './flags.js';
import { Journal, writeNewFile } from './journal.js';
import { withModel } from './run_model.js';
import { clearStatus, printAll, printJson, say, sayError } from './terminal.js';
import { type KeptText, TextTranslator, type Untranslated } from './text_translator.js';
import { WordProgress } from './word_progress.js';

type Values = ValuesOf<typeof fileFlags & typeof shippedModelFlags>;

/** @throws UsageError */
export async function translateFiles(
  paths: readonly string[],
  values: Values,
  options: TranslateOptions,
): Promise<void> {
  const files = documentFiles(paths, values);
  if (files.length === 0) throw new UsageError('missing argument: files to translate');
  if (values['to-dir'] !== undefined) await mkdir(values['to-dir'], { recursive: true });
  const open: DocumentFile[] = [];
  for (const file of files) if (values.force || !(await isComplete(file))) open.push(file);
  const there = files.length - open.length;
  if (there > 0) say(`${there} of ${files.length} translations are there already; --force makes them again`);
  if (open.length === 0) return;
  const failed = await withModel(values, async (model) => {
    let failed = 0;
    for (const [place, file] of open.entries()) {
      const progress = new WordProgress(file.path, place + 1, open.length);
      if (!(await translateFile(model, file, { values, options, progress }))) failed++;
    }
    return failed;
  });
  if (failed === 0) return;
  if (open.length > 1) say(`${failed} of ${open.length} files were not, or not wholly, translated`);
  process.exitCode = 1;
}

interface Settings {
  readonly values: Values;
  readonly options: TranslateOptions;
  readonly progress: WordProgress;
}

/** Whether the whole file was translated. */
async function translateFile(model: Model, file: DocumentFile, settings: Settings): Promise<boolean> {
  try {
    await checkOutput(file);
    const untranslated = await makeTranslation(model, file, await readDocument(file), settings);
    for (const reason of ['copied', 'cut'] as const) sayWhich(file.path, untranslated, reason);
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
  file: DocumentFile,
  source: string,
  { values, options, progress }: Settings,
): Promise<Untranslated[]> {
  const { kind, output } = file as DocumentFile & { kind: DocumentKind };
  progress.begin(wordsIn(source));
  const key = [
    version,
    values.model ?? null,
    values.revision ?? null,
    values.dtype ?? null,
    options,
    kind,
    source,
  ];
  const journal = output === null ? null : await Journal.open<KeptText>(besides(output, 'journal'), key);
  const translator = new TextTranslator(model, options, journal, (words, isNew) =>
    progress.add(words, isNew),
  );
  const run = (texts: readonly string[], alignment: boolean) => translator.translate(texts, alignment);
  const { text, parts } = await translateDocument(source, kind, run, { wrapped: options.wrapped });
  progress.end();
  if (output !== null) {
    await writeNewFile(besides(output, 'part'), text);
    await rename(besides(output, 'part'), output);
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

/** A hidden file beside an output that is not complete yet. */
const besides = (output: string, what: string) => join(dirname(output), `.${basename(output)}.${what}`);

const mostShown = 20;

function sayWhich(path: string, untranslated: readonly Untranslated[], reason: Untranslated['reason']): void {
  const own = untranslated.filter((one) => one.reason === reason).map(({ text }) => `"${text.slice(0, 60)}"`);
  if (own.length === 0) return;
  const what = reason === 'copied' ? 'not translated, but left as in the source' : 'perhaps without an end';
  const are = own.length === 1 ? 'a sentence is' : `${own.length} sentences are`;
  say(`${path}: ${are} ${what}: ${listed(own)}`);
}

/** The first ones, and how many others there are. */
function listed(names: readonly string[]): string {
  const others = names.length - mostShown;
  return `${names.slice(0, mostShown).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
