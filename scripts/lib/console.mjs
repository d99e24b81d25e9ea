// Prints one line per step, readable in a terminal and in a log file: "Doing the thing ... 1.2 s".
// The output of a step's commands is shown only if the step fails (or with --verbose).

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** A failure whose message is meant for the user and is shown without a stack trace. */
export class ExpectedError extends Error {}

/** The title of the step whose line is the last one, and can be continued. */
let openLine = null;

function closeLine() {
  if (openLine !== null) process.stdout.write('\n');
  openLine = null;
}

/** Ends the line of a step: the same one, if nothing was printed since. */
function endLine(title, outcome) {
  const isOwn = openLine === title;
  if (!isOwn) closeLine();
  process.stdout.write(isOwn ? ` ${outcome}\n` : `${title}: ${outcome}\n`);
  openLine = null;
}

export function say(text) {
  closeLine();
  console.log(text);
}

/** Runs `work`, printing `title` when it starts and the time it took when it ends. */
export async function step(title, work) {
  closeLine();
  process.stdout.write(`${title} ...`);
  openLine = title;
  const start = performance.now();
  try {
    const result = await work();
    endLine(title, `${((performance.now() - start) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    endLine(title, 'failed');
    throw error;
  }
}

/**
 * Runs a command and resolves with its standard output (`withErrors`: and standard error); if it fails, rejects with
 * everything it printed. `priority`: of the process and of those that it starts, as in `os.setPriority`.
 */
export function run(command, args, { cwd, env, priority, verbose = false, withErrors = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
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
