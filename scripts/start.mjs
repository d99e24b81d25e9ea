// From a fresh checkout to a translated sentence: node scripts/start.mjs [--port 4173]
// Installs and builds what is missing, translates a sentence in the terminal, and serves the page until Ctrl+C.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeDocs } from './docs.mjs';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sentence = "The animal didn't cross the street because it was too wide.";

/** Runs one of our scripts and passes its output through. */
function runScript(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new ExpectedError(`node ${args.join(' ')} failed`);
}

async function main() {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4173' } } });
  say('Building the engine and the package (minutes the first time, a second if nothing changed)');
  runScript('scripts/build.mjs', 'all');
  await makeDocs();
  const { buildPage, servePage } = await import('./serve.mjs'); // only now are its npm packages installed
  await step('Building the page', buildPage);

  const translation = await run(process.execPath, ['dist/cli.js', 'translate', sentence], { cwd: root });
  say(`\n  en  ${sentence}\n  fr  ${translation.trim()}\n`);

  const { url } = await servePage({ port: Number(values.port) });
  say(`Page: ${url}   API: ${new URL('api/', url)}   (Ctrl+C to stop)`);
}

if (process.argv[1] === join(root, 'scripts/start.mjs')) await runMain(main);
