// Prints one line per step, readable in a terminal and in a log file: "Doing the thing ... 1.2 s".
// The output of a step's commands is shown only if the step fails (or with --verbose).

import { spawn } from 'node:child_process';

/** A failure whose message is meant for the user and is shown without a stack trace. */
export class ExpectedError extends Error {}

let lineIsOpen = false;

function closeLine() {
  if (lineIsOpen) process.stdout.write('\n');
  lineIsOpen = false;
}

export function say(text) {
  closeLine();
  console.log(text);
}

/** Runs `work`, printing `title` when it starts and the time it took when it ends. */
export async function step(title, work) {
  closeLine();
  process.stdout.write(`${title} ...`);
  lineIsOpen = true;
  const start = performance.now();
  try {
    const result = await work();
    const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
    process.stdout.write(lineIsOpen ? ` ${took}\n` : `${title}: ${took}\n`);
    lineIsOpen = false;
    return result;
  } catch (error) {
    process.stdout.write(lineIsOpen ? ' failed\n' : `${title}: failed\n`);
    lineIsOpen = false;
    throw error;
  }
}

/**
 * Runs a command and resolves with its standard output (`withErrors`: and standard error); if it fails, rejects with
 * everything it printed.
 */
export function run(command, args, { cwd, env, verbose = false, withErrors = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = [];
    const stdout = [];
    const keep = (chunk) => {
      output.push(chunk);
      if (verbose) {
        closeLine();
        process.stdout.write(chunk);
      }
    };
    child.stdout.on('data', (chunk) => {
      stdout.push(chunk);
      keep(chunk);
    });
    child.stderr.on('data', keep);
    child.on('error', (error) => reject(new ExpectedError(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(withErrors ? output : stdout).toString());
      const shown = verbose ? '' : `${Buffer.concat(output)}`;
      const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
      reject(new ExpectedError(`${shown}\n${[command, ...args].join(' ')}\n${how}`));
    });
  });
}

/** Runs the `main` of a script: expected errors print their message, others their stack trace; the exit code is 1. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    closeLine();
    console.error(error instanceof ExpectedError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
