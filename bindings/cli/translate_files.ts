/** `transformer-wasm translate FILE...`: documents in, documents out. A file that fails costs no other one. */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { version } from '../engine/version.js';
import type { TranslateOptions } from '../texts/options.js';
import { type DocumentFile, documentFiles } from './document_files.js';
import { UsageError } from './flags.js';
import { Memory } from './memory.js';
import { withModel } from './run_model.js';
import { say } from './terminal.js';
import { type Settings, translateFile, type Values, type Work } from './translate_file.js';
import { hashOf, Translations } from './translations.js';
import { WordProgress } from './word_progress.js';

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
  const languages = { source: options.sourceLanguage, target: values.lang };
  const memory = values.memory === undefined ? null : await Memory.open(values.memory, languages);
  const settings = { values, options, memory, key: keyOf(values, options) };
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

async function workOf(file: DocumentFile, { values, key }: Pick<Settings, 'values' | 'key'>): Promise<Work> {
  const { output, path, name } = file;
  if (output === null) return { file, translations: null, before: undefined, isDone: false };
  const translations = await Translations.in(values['to-dir'] ?? dirname(output));
  const source = await readFile(path, 'utf8').catch(() => null);
  const isDone =
    source !== null && translations.areDone(name, { key, source, output, isInPlace: values['in-place'] });
  return { file, translations, before: translations.get(name), isDone };
}
