/**
 * The border of the public API. A call's arguments are read once, before anything else happens. What the call then
 * throws has a code; what the caller's own functions throw, and the reasons of aborted signals, pass as they are.
 */

import { type AnyFunction, ArgumentReader, type Guests } from './argument_reader.js';
import { fail, toTransformerError } from './errors.js';
import { toObject } from './options.js';

/** One call of a public function. */
class Crossing {
  readonly #thrown: unknown[] = [];
  readonly #signals: AbortSignal[] = [];

  read(args: readonly unknown[], names: readonly string[]): unknown[] {
    return args.map((value, i) => this.#read(value, names[i] ?? `argument ${i + 1}`));
  }

  /** The error that the caller sees. */
  toCaller(error: unknown): unknown {
    const isTheirs =
      this.#thrown.some((thrown) => Object.is(thrown, error)) ||
      this.#signals.some(({ aborted, reason }) => aborted && Object.is(reason, error));
    return isTheirs ? error : toTransformerError(error);
  }

  #read(value: unknown, name: string): unknown {
    // Most calls have nothing to copy, and there are thousands of them for a text.
    if (isPrimitive(value) && (name !== 'options' || value === undefined)) return value;
    const reader = new ArgumentReader(name, this.#guests());
    try {
      const copy = reader.read(value);
      if (name === 'options' && copy !== undefined) toObject(copy, name);
      return copy;
    } catch (error) {
      // Such as that of a proxy that was revoked.
      if (error instanceof TypeError || error instanceof RangeError)
        return fail('invalid_argument', `${reader.where} cannot be read: ${error.message}`, error);
      return this.rethrow(error);
    }
  }

  #guests(): Guests {
    return {
      ofFunction: (value, where) => this.#watched(value, where),
      ofIterable: (value) => this.#iterated(value),
      ofAsyncIterable: (value) => this.#iteratedLater(value),
      ofPromise: (value) => this.#awaited(value),
      ofSignal: (value) => this.#signals.push(value),
    };
  }

  /** A function of the caller's, whose errors are known again and whose results are read. */
  #watched(theirs: AnyFunction, where: string): AnyFunction {
    const call = (self: unknown, args: unknown[]) => {
      try {
        return Reflect.apply(theirs, self, args);
      } catch (error) {
        return this.rethrow(error);
      }
    };
    const read = (result: unknown) => this.#read(result, `what ${where} returns`);
    return function (...args) {
      return read(call(this, args));
    };
  }

  #iterated(theirs: Iterable<unknown>): Iterable<unknown> {
    const rethrow = (error: unknown) => this.rethrow(error);
    return {
      *[Symbol.iterator]() {
        try {
          yield* theirs;
        } catch (error) {
          rethrow(error);
        }
      },
    };
  }

  #iteratedLater(theirs: AsyncIterable<unknown>): AsyncIterable<unknown> {
    const rethrow = (error: unknown) => this.rethrow(error);
    return {
      async *[Symbol.asyncIterator]() {
        try {
          yield* theirs;
        } catch (error) {
          rethrow(error);
        }
      },
    };
  }

  #awaited(promise: Promise<unknown>): Promise<unknown> {
    const watched = promise.catch((error: unknown) => this.rethrow(error));
    watched.catch(() => undefined); // reported to those who await it
    return watched;
  }

  /** Throws an error that is the caller's. */
  rethrow(error: unknown): never {
    this.#thrown.push(error);
    throw error;
  }
}

/** Whether a value can be passed on as it is. */
const isPrimitive = (value: unknown) =>
  value === null || !['object', 'function', 'symbol'].includes(typeof value);

/**
 * Runs a public function with its arguments as they were read. @param names of the arguments, with spaces between them
 */
export const cross = <Args extends readonly unknown[], Result>(
  names: string,
  args: Args,
  run: (...args: Args) => Result,
): Result => crossNamed(names.split(' '), args, run);

function crossNamed<Args extends readonly unknown[], Result>(
  names: readonly string[],
  args: Args,
  run: (...args: Args) => Result,
): Result {
  const crossing = new Crossing();
  const rethrow = (error: unknown): never => {
    throw crossing.toCaller(error);
  };
  try {
    const result = run(...(crossing.read(args, names) as unknown as Args));
    return result instanceof Promise ? (result.catch(rethrow) as Result) : result;
  } catch (error) {
    return rethrow(error);
  }
}

/** Likewise for one that yields its results. */
async function* crossPieces(names: readonly string[], args: unknown[], run: AnyFunction): AsyncGenerator {
  const crossing = new Crossing();
  try {
    const pieces = (run as (...args: unknown[]) => AsyncGenerator)(...crossing.read(args, names));
    return yield* leftBy(pieces, (error) => crossing.rethrow(error));
  } catch (error) {
    throw crossing.toCaller(error);
  }
}

/** The pieces; what the caller throws into them ends them, and is the caller's. */
async function* leftBy(pieces: AsyncGenerator, onThrown: (error: unknown) => never): AsyncGenerator {
  try {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) return value;
      try {
        yield value;
      } catch (error) {
        onThrown(error);
      }
    }
  } finally {
    await pieces.return(undefined);
  }
}

/** The names of a class's public methods with those of their arguments. */
type Signatures<Owner> = { readonly [Name in keyof Owner]?: string };

/**
 * Puts a border around methods of a class, and names it. Frameworks such as Vue, which wrap what they are given in a
 * deep Proxy, leave objects that have a name of their own as they are; behind a Proxy no method would find its private
 * fields.
 */
export function border<Owner extends object>(
  { name, prototype }: { readonly name: string; readonly prototype: Owner },
  signatures: Signatures<Owner>,
): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { configurable: true, value: name });
  for (const [name, names] of Object.entries<string | undefined>(signatures)) {
    const method = Reflect.get(prototype, name) as AnyFunction;
    const kind = Object.prototype.toString.call(method);
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value: bordered(method, (names ?? '').split(' '), kind),
    });
  }
}

function bordered(method: AnyFunction, names: readonly string[], kind: string): AnyFunction {
  const on =
    (self: unknown) =>
    (...args: unknown[]) =>
      Reflect.apply(method, self, args);
  if (kind === '[object AsyncGeneratorFunction]')
    return function (...args) {
      return crossPieces(names, args, on(this));
    };
  if (kind === '[object AsyncFunction]')
    return async function (...args) {
      return crossNamed(names, args, on(this));
    };
  return function (...args) {
    return crossNamed(names, args, on(this));
  };
}
