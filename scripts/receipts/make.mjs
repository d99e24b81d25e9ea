// Receipts: what a model answered, with the hashes of its files and of the computed bits. Made and compared by the code of
// the page /proof/ (web/src/proof/answers.ts).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ExpectedError } from '../lib/console.mjs';
import { pageModule } from '../lib/page_module.mjs';
import { quantizedModel } from '../quantized_model.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where receipts are kept: the page /proof/ reads those of our own models. */
export const folderOfReceipts = join(root, 'web/proof/receipts');

export const nameOf = (model) => `${model.replaceAll('/', '--')}.json`;

/** @returns the receipt of a model, or null */
export function receiptOf(model) {
  const file = join(folderOfReceipts, nameOf(model));
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** The module web/src/proof/answers.ts. */
export const answersModule = () => pageModule('proof/answers.ts');

async function sha256Of(file) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

/** SHA-256 of the files of a folder, by their names. */
export const hashesOf = async (folder, files) =>
  Object.fromEntries(
    await Promise.all(files.map(async (name) => [name, await sha256Of(join(folder, name))])),
  );

/**
 * The folder of a row's model: one of the page's, or the hub's files in build/hub, where they are kept. A file that the
 * hub does not have is an error: the row names what is read.
 *
 * @returns {Promise<{ folder: string, files: string[], revision: string | null }>}
 */
export async function folderOf(
  { model, dtype, files },
  host = process.env.HF_ENDPOINT || 'https://huggingface.co',
) {
  if (!files) {
    const own = join(root, 'web/public/models', model);
    const folder = dtype === 'int8' ? await quantizedModel(own) : own;
    return {
      folder,
      files: readdirSync(folder)
        .filter((file) => file !== 'README.md')
        .sort(),
      revision: null,
    };
  }
  const folder = join(root, 'build/hub', ...model.split('/'));
  let revision = null;
  for (const file of files)
    revision = (await download(`${host}/${model}/resolve/main/${file}`, join(folder, file))) ?? revision;
  return { folder, files, revision };
}

/** Downloads a file unless it is there. @returns the commit of the hub's repository, which stands beside the file */
async function download(url, file) {
  const note = `${file}.commit`;
  if (existsSync(file) && existsSync(note)) return readFileSync(note, 'utf8') || null;
  await mkdir(dirname(file), { recursive: true });
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new ExpectedError(`${url} cannot be reached: ${error.cause?.message ?? error.message}`);
  }
  if (!response.ok) throw new ExpectedError(`${url} answers ${response.status}`);
  const commit = response.headers.get('x-repo-commit') ?? '';
  await pipeline(Readable.fromWeb(response.body), createWriteStream(`${file}.part`));
  await rename(`${file}.part`, file);
  await writeFile(note, commit);
  return commit || null;
}

/** Empty where there is no repository, or one of another owner. */
function commitHere() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim();
  } catch {
    return '';
  }
}

/**
 * What the engine answers now, as a receipt.
 *
 * @param row of rows.mjs @param by who runs it
 */
export async function makeReceipt(row, { by = '', host } = {}) {
  const { answerOf, engineOptions } = await answersModule();
  const { createEngine, loadModel } = await import(pathToFileURL(join(root, 'dist/index.js')));
  const { folder, files, revision } = await folderOf(row, host);
  const engine = await createEngine(engineOptions);
  try {
    const model = await loadModel(folder, { engine });
    const answers = [];
    for (const example of row.examples) answers.push({ ...example, ...(await answerOf(model, example)) });
    return {
      model: row.model,
      revision,
      files: await hashesOf(folder, files),
      dtype: row.dtype ?? 'float32',
      answers,
      engine: { version: engine.info.version, wasm: engine.info.wasmHash },
      commit: commitHere(),
      by,
      host: `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
      date: new Date().toISOString().slice(0, 10),
    };
  } finally {
    await engine.dispose();
  }
}

/** The ways in which a receipt differs from what is computed now, each as a sentence. */
export async function differencesOf(receipt, found) {
  const { differences } = await answersModule();
  const files = Object.keys({ ...receipt.files, ...found.files })
    .filter((name) => receipt.files[name] !== found.files[name])
    .map((name) => `${name} is another file: SHA-256 ${found.files[name]} instead of ${receipt.files[name]}`);
  const answers = receipt.answers.flatMap((answer, at) =>
    differences(answer, found.answers[at] ?? {}).map((text) => `${JSON.stringify(answer.input)}: ${text}`),
  );
  const isShort = found.answers.length !== receipt.answers.length;
  return [
    ...files,
    ...answers,
    ...(isShort ? [`${found.answers.length} answers instead of ${receipt.answers.length}`] : []),
  ];
}
