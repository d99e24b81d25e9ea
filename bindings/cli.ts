#!/usr/bin/env node

/** The command line: `npx transformer-wasm`. Exit codes: 0 success, 1 failure, 2 usage error; of a filter 1 where some lines
 * failed, 2 where all did. */

import { parseCommand, UsageError } from './cli/arguments.js';
import { attend } from './cli/attend.js';
import { bench } from './cli/bench.js';
import { chat } from './cli/chat.js';
import { check } from './cli/check.js';
import { classify } from './cli/classify.js';
import { embed } from './cli/embed.js';
import { generate } from './cli/generate.js';
import { helpOf } from './cli/help.js';
import { inspect } from './cli/inspect.js';
import { quantize } from './cli/quantize.js';
import { endWithReader, print, sayError } from './cli/terminal.js';
import { transcribe } from './cli/transcribe.js';
import { translate } from './cli/translate.js';
import { version } from './engine/version.js';

const commands = {
  translate,
  generate,
  chat,
  transcribe,
  embed,
  classify,
  attend,
  inspect,
  check,
  bench,
  quantize,
};

async function main(args: readonly string[]): Promise<void> {
  const { command, values, positionals } = parseCommand(args);
  if (values.version) print(`${version}\n`);
  else if (values.help || command === 'help') print(helpOf(command));
  else await commands[command](positionals, values);
}

// The reader of our output may close it early, as `head` does; that is not an error.
endWithReader();

try {
  await main(process.argv.slice(2));
} catch (error) {
  sayError(error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
