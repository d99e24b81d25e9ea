// A project made of files and npm packages in a folder of its own, with this package installed from its tarball.

import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModel } from '../../dist/index.js';
import { packPackage } from '../../tests/lib/installed_package.mjs';
import { tinyModel } from '../../tests/lib/tiny_model.mjs';
import { ExpectedError, run } from '../lib/console.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const sentence = 'The cat sat on the mat.';

/** The first lines of README, and what they leave behind. */
export const readmeLines = /```js\n(.*?)```/s.exec(await readFile(join(root, 'README.md'), 'utf8'))[1];
export const readmeResult = { text: "Le chat s'est assis sur le tapis.", line: "J'ai faim." };

/** Headers with which a page may have threads. */
export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Packs the package and makes a tiny model, which every project gets; `close` deletes all of it. */
export async function openWorkshop() {
  const home = await mkdtemp(join(tmpdir(), 'transformer-wasm-matrix-'));
  const tarball = await packPackage(home);
  const files = tinyModel({ generation: { max_length: 24, eos_token_id: 3 } });
  const model = join(home, 'model');
  await mkdir(model);
  for (const [name, bytes] of files) await writeFile(join(model, name), bytes);
  const loaded = await loadModel(files);
  const { text } = await loaded.translate(sentence);
  await loaded.dispose();
  return { home, tarball, installed: new Map(), model, text, close: () => rm(home, { recursive: true }) };
}

/** A folder with the row's files, its packages and this package. */
export async function makeProject(workshop, { files = {}, packages = [], type = 'module' }) {
  const folder = await mkdtemp(join(workshop.home, 'project-'));
  const manifest = { name: 'project', private: true, type };
  await write(folder, { 'package.json': JSON.stringify(manifest), ...files });
  await cp(workshop.model, join(folder, 'public/model'), { recursive: true });
  await install(workshop, folder, packages);
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`, CI: '1' };
  delete env.NODE_OPTIONS;
  return {
    folder,
    /** Runs a command with the programs of the project's packages. */
    sh: (command) => run('sh', ['-c', command], { cwd: folder, env }),
    /** Starts a server and waits until it prints its address. */
    start: (command, ready = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/) =>
      startServer(command, ready, { cwd: folder, env }),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Rows with the same packages share an installation: they get copies. */
async function install({ tarball, installed }, folder, packages) {
  const key = packages.join(' ');
  const earlier = installed.get(key);
  if (earlier) return cp(earlier, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await run('npm', ['install', ...quiet, tarball, ...packages], { cwd: folder });
  if (packages.length <= 1) {
    const kept = join(dirname(tarball), `installed-${installed.size}`);
    await cp(join(folder, 'node_modules'), kept, { recursive: true, verbatimSymlinks: true });
    installed.set(key, kept);
  }
}

async function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

function startServer(command, ready, options) {
  // A process group of its own: what `sh` starts ends with it.
  const child = spawn('sh', ['-c', `exec ${command}`], { ...options, detached: true });
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.on('close', resolve);
      process.kill(-child.pid);
    });
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      close();
      reject(new ExpectedError(`${command} did not start:\n${output}`));
    }, 120_000);
    const read = (chunk) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
      output += `${chunk}`.replaceAll(/\u001b\[[\d;]*m/g, '');
      const found = ready.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve({ url: found[0].endsWith('/') ? found[0] : `${found[0]}/`, output: () => output, close });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', () => {
      clearTimeout(timer);
      reject(new ExpectedError(`${command} has ended:\n${output}`));
    });
  });
}

/** A page's script: translates, and leaves the result where a browser can be asked for it. */
export const pageScript = (options = '{ threads: 2 }', from = 'transformer-wasm') => `
import { createEngine, loadModel } from ${JSON.stringify(from)};
async function translate() {
  const engine = await createEngine(${options});
  const model = await loadModel(new URL('/model/', location.href), { engine });
  const { text } = await model.translate(${JSON.stringify(sentence)});
  const { threads, worker, variant, notes } = engine.info;
  await model.dispose();
  await engine.dispose();
  return { text, threads, worker, variant, notes };
}
translate().then(
  (result) => { globalThis.result = result; },
  (error) => { globalThis.result = { error: error.code + ': ' + error.message }; },
);`;

/** A program for Node.js and its like: prints the translation. */
export const program = (options = '{ threads: 2 }', from = 'transformer-wasm') => `
import { createEngine, loadModel } from ${JSON.stringify(from)};
const engine = await createEngine(${options});
const model = await loadModel('public/model', { engine });
const { text } = await model.translate(${JSON.stringify(sentence)});
console.log(JSON.stringify({ text, threads: engine.info.threads, worker: engine.info.worker }));
await model.dispose();
await engine.dispose();`;

export const html = (script, head = '') =>
  `<!doctype html><html><head><meta charset="utf-8"><title>t</title><link rel="icon" href="data:,">${head}</head>` +
  `<body><script type="module" src="${script}"></script></body></html>`;
