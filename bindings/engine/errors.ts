/** Errors: one class, a closed set of codes, and a sentence for the person who reads it. */

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
 * - `invalid_argument`: a value that the call cannot take; the message says what was expected and what was given.
 * - `unsupported`: valid, but not possible here (in this browser, for this model family).
 * - `bad_checkpoint`: weights or a config that are damaged, incomplete or do not belong together.
 * - `missing_file`: a file that is not where it should be.
 * - `out_of_memory`: more memory was needed than there is; nothing else is affected.
 * - `aborted`: ended by the caller. (Where an AbortSignal ended it, the promise rejects with the signal's reason.)
 * - `disposed`: the engine, layer or model was disposed of.
 * - `internal`: a fault of this package.
 */
export type TransformerErrorCode = (typeof codes)[number];

/** What every function of this package throws or rejects with, except for an abort's own reason. */
export class TransformerError extends Error {
  readonly code: TransformerErrorCode;

  constructor(code: TransformerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransformerError';
    this.code = code;
  }
}

/** Throws a {@link TransformerError}. */
export function fail(code: TransformerErrorCode, message: string, cause?: unknown): never {
  throw new TransformerError(code, message, cause === undefined ? undefined : { cause });
}

/** An error as a worker sends it: an Error itself would lose its code on the way. */
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

/** Anything that C++ (an Error with a code), WebAssembly or JavaScript threw, as this one class. */
export function toTransformerError(thrown: unknown): TransformerError {
  if (thrown instanceof TransformerError) return thrown;
  if (!(thrown instanceof Error)) return new TransformerError('internal', describeThrown(thrown));
  const code = 'code' in thrown ? codes.find((known) => known === thrown.code) : undefined;
  if (code) return new TransformerError(code, thrown.message, { cause: thrown });
  if (isOutOfMemory(thrown)) {
    return new TransformerError('out_of_memory', `There is not enough memory: ${thrown.message}`, {
      cause: thrown,
    });
  }
  return new TransformerError('internal', `${thrown.name}: ${thrown.message}`, { cause: thrown });
}

/**
 * True for what leaves the engine's memory in an unknown state: a trap, an overflow of the stack, a C++ exception that
 * nobody caught.
 */
export function isFatal(thrown: unknown): boolean {
  return (
    thrown instanceof WebAssembly.RuntimeError ||
    thrown instanceof WebAssembly.Exception ||
    (thrown instanceof RangeError && /call stack/i.test(thrown.message))
  );
}

/** JavaScript's own failure to make an ArrayBuffer or to grow a memory. */
function isOutOfMemory(error: Error): boolean {
  return (
    error instanceof RangeError &&
    /allocation|array buffer|memory|invalid (typed )?array length/i.test(error.message)
  );
}

function describeThrown(thrown: unknown): string {
  if (thrown instanceof WebAssembly.Exception) return 'An exception left the engine without a message';
  return `Something that is no Error was thrown: ${String(thrown)}`;
}
