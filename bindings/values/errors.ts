/** Errors: one class, a fixed set of codes, and a message for the user. */

const codes = [
  'invalid_argument',
  'unsupported',
  'bad_checkpoint',
  'missing_file',
  'out_of_memory',
  'aborted',
  'disposed',
  'internal',
] as const;

/**
 * - `invalid_argument`: a value that the call cannot accept; the message names it, what was expected and what was
 *   given.
 * - `unsupported`: valid, but not possible here (in this browser, for this model family).
 * - `bad_checkpoint`: weights or a config that are damaged, incomplete or inconsistent.
 * - `missing_file`: a file that could not be found or read.
 * - `out_of_memory`: not enough memory; everything else stays usable.
 * - `aborted`: ended at the caller's request. (If an AbortSignal ended it, the promise rejects with the signal's
 *   reason.)
 * - `disposed`: the engine, layer or model was disposed.
 * - `internal`: a bug in this package.
 */
export type TransformerErrorCode = (typeof codes)[number];

/** Every error that this package throws or rejects with, except for an abort's own reason. */
export class TransformerError extends Error {
  readonly code: TransformerErrorCode;

  constructor(code: TransformerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransformerError';
    this.code = code;
  }
}

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Throws a {@link TransformerError}. */
export function fail(code: TransformerErrorCode, message: string, cause?: unknown): never {
  throw new TransformerError(code, message, cause === undefined ? undefined : { cause });
}

/** An error as sent from a worker: a cloned Error would lose its code. */
export interface ErrorMessage {
  readonly code: TransformerErrorCode;
  readonly message: string;
}

export function toMessage(thrown: unknown): ErrorMessage {
  const { code, message } = toTransformerError(thrown);
  return { code, message };
}

export function fromMessage({ code, message }: ErrorMessage): TransformerError {
  return new TransformerError(code, message);
}

/** Converts anything thrown by C++ (an Error with a code), WebAssembly or JavaScript to a TransformerError. */
export function toTransformerError(thrown: unknown): TransformerError {
  if (thrown instanceof TransformerError) return thrown;
  if (!(thrown instanceof Error)) return new TransformerError('internal', describeThrown(thrown));
  const code = 'code' in thrown ? codes.find((known) => known === thrown.code) : undefined;
  if (code) return new TransformerError(code, refusal(thrown) ?? thrown.message, { cause: thrown });
  if (isOutOfMemory(thrown)) {
    return new TransformerError('out_of_memory', `There is not enough memory: ${thrown.message}`, {
      cause: thrown,
    });
  }
  // The compiler knows all names of this package: what is not defined is the host's.
  if (thrown instanceof ReferenceError && thrown.message.endsWith('is not defined'))
    return new TransformerError('unsupported', `This host lacks a part of the platform: ${thrown.message}`, {
      cause: thrown,
    });
  return new TransformerError('internal', `${thrown.name}: ${thrown.message}`, { cause: thrown });
}

/** The engine's message that says how many bytes did not fit, and beside how many. */
function refusal(thrown: Error): string | undefined {
  if (!('refusedBytes' in thrown && 'heapBytes' in thrown)) return undefined;
  const [refused, used] = [thrown.refusedBytes, thrown.heapBytes].map(inMegabytes);
  return `there is no memory for another ${refused} beside the ${used} in use; the engine stays usable`;
}

function inMegabytes(bytes: unknown): string {
  return `${(Number(bytes) / 1e6).toPrecision(3)} MB`;
}

/**
 * Whether an error leaves the engine's memory in an unknown state: a trap, a stack overflow, or an uncaught C++
 * exception.
 */
export function isFatal(thrown: unknown): boolean {
  if (typeof WebAssembly !== 'object') return false;
  return (
    thrown instanceof WebAssembly.RuntimeError ||
    thrown instanceof WebAssembly.Exception ||
    (thrown instanceof RangeError && /call stack/i.test(thrown.message))
  );
}

/** Whether JavaScript failed to allocate an ArrayBuffer or to grow a memory. */
function isOutOfMemory(error: Error): boolean {
  return (
    error instanceof RangeError &&
    /allocation|array buffer|memory|invalid (typed )?array length/i.test(error.message)
  );
}

function describeThrown(thrown: unknown): string {
  if (typeof WebAssembly === 'object' && thrown instanceof WebAssembly.Exception)
    return 'The engine threw an exception without a message';
  return `A value that is not an Error was thrown: ${String(thrown)}`;
}
