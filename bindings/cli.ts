#!/usr/bin/env node

/**
 * The command line: `npx transformer-wasm`. Exit codes: 0 success, 1 failure, 2 usage error; of a filter 1 where some
 * lines failed, 2 where all did. */

import { attend } from './cli/attend.js';
import { bench } from './cli/bench.js';
import { chat } from './cli/chat.js';
import { check } from './cli/check.js';
import { classify } from './cli/classify.js';
import { runCommand } from './cli/command.js';
import { embed } from './cli/embed.js';
import { UsageError } from './cli/flags.js';
import { generate } from './cli/generate.js';
import { inspect } from './cli/inspect.js';
import { quantize } from './cli/quantize.js';
import { endWithReader, sayError } from './cli/terminal.js';
import { train } from './cli/train.js';
import { transcribe } from './cli/transcribe.js';
import { translate } from './cli/translate.js';

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
  train,
};

// The reader of our output may close it early, as `head` does; that is not an error.
endWithReader();

try {
  await runCommand(process.argv.slice(2), commands);
} catch (error) {
  sayError(error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
