/** Starts an engine with a caller's options: chooses a variant, and opens it in this thread or in a worker. */

import { type Host, LocalHost } from '../engine/host.js';
import { bundlerHelp, type EngineFiles, filesIn, ownFiles } from '../modules/addresses.js';
import type { Factory } from '../modules/glue.js';
import { isNode } from '../modules/is_node.js';
import type { Wanted } from '../modules/variant.js';
import { fail, TransformerError } from '../values/errors.js';
import { checkNames, toChoice, toInteger, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { WorkerFailed } from './line.js';
import { NearHost } from './near_host.js';
import { WorkerHost } from './worker_host.js';

export interface EngineOptions {
  /** Number of threads, 1 to 64; default 'auto'. Results are bitwise identical for any number. */
  threads?: 'auto' | number;
  /** The instruction set; default 'auto': relaxed SIMD if it is available and passes a self-test. */
  simd?: 'auto' | 'relaxed' | 'simd128';
  /**
   * Whether to run in a worker; default 'auto': in browsers, so that the page is never blocked, but not in Node.js.
   * After a few calls of building blocks (`softmax`, `matmul`, attention), small ones run in the calling thread, on a
   * second instance of the engine: those of less than about half a millisecond, and for at most some milliseconds
   * without a turn of the event loop. The results have the same bits.
   */
  worker?: 'auto' | boolean;
  /**
   * Location of the engine's files, if not next to this package's own: the URL of their folder, or of one .wasm file,
   * whose name then determines the defaults of `simd` and `threads`.
   */
  wasmUrl?: string | URL;
  /** Content of the .wasm file; by default assumed to be the plain variant, transformer-simd.wasm. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /**
   * The .wasm file, compiled (a WebAssembly.Module), for hosts that import it as a module and forbid compilation at run
   * time; by default assumed to be the plain variant.
   */
  wasmModule?: object;
  /**
   * The default export of the .mjs file that belongs to `wasmModule`, `wasmBinary` or `wasmUrl`, for hosts that cannot
   * import it by its address. The engine then runs in the calling thread, alone.
   */
  wasmFactory?: (settings: never) => Promise<unknown>;
  /**
   * Address of a copy of the package's dist/wasm/worker.js, if it is not in the folder `wasmUrl`. It may be on another
   * origin than the page.
   */
  workerUrl?: string | URL;
  /** Aborts loading, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

const maxThreads = 64;

/** A page whose engine runs in a worker never needs it. */
const inThisThread = () => import('../engine/core.js');

interface OpenHost {
  readonly host: Host;
  /** The reasons for the choice, in plain words. */
  readonly notes: readonly string[];
}

/**
 * @throws TransformerError `missing_file`, `unsupported`, `out_of_memory`, `invalid_argument`; an abort rejects with
 *   the signal's reason.
 */
export async function openHost(options: EngineOptions): Promise<OpenHost> {
  const read = readOptions(options);
  try {
    const opened = await open(read);
    opened.host.wasmFolder = read.folder;
    return opened;
  } catch (error) {
    const isMissing = error instanceof TransformerError && error.code === 'missing_file';
    if ('ServiceWorkerGlobalScope' in globalThis && (isMissing || error instanceof TypeError))
      fail(
        'unsupported',
        "A service worker may not import while it runs: import 'transformer-wasm/inline', which is one file.",
        error,
      );
    // The package's own files are missing where it was bundled, not where its user said that they are.
    if (!isNode && read.ownFiles && isMissing)
      throw new TransformerError('missing_file', `${error.message}. ${bundlerHelp}`, { cause: error });
    throw error;
  }
}

async function open(options: ReturnType<typeof readOptions>): Promise<OpenHost> {
  const { wanted, worker, workerUrl, signal, place, wasmFactory } = options;
  signal?.throwIfAborted();
  const here = async (why: readonly string[]): Promise<OpenHost> => {
    const { openCore } = await inThisThread();
    const core = await openCore(wanted, { ...place, wasmFactory, signal });
    if (signal?.aborted) core.close();
    signal?.throwIfAborted();
    return { host: new LocalHost(core), notes: [...core.choice.notes, ...why] };
  };
  if (!(worker === 'auto' ? !isNode : worker)) return here([]);
  try {
    const worker = await WorkerHost.open({ kind: 'open', wanted, ...place }, { workerUrl, signal });
    return { host: new NearHost(worker, place.files), notes: worker.choice.notes };
  } catch (error) {
    if (worker !== 'auto' || !(error instanceof WorkerFailed)) throw error;
    return here([`Runs in the page's main thread, which is blocked during computations. ${error.message}`]);
  }
}

/** The names of EngineOptions. */
export const engineOptions = [
  ...['threads', 'simd', 'worker', 'signal'],
  ...['wasmUrl', 'wasmBinary', 'wasmModule', 'wasmFactory', 'workerUrl'],
];

function readOptions(options: unknown) {
  const given = toObject(options, 'options');
  checkNames(given, engineOptions, 'options');
  const { threads, simd, worker = 'auto', signal, wasmFactory } = given;
  if (worker !== 'auto' && typeof worker !== 'boolean')
    fail('invalid_argument', `worker must be 'auto', true or false, got ${describe(worker)}`);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    fail('invalid_argument', `signal must be an AbortSignal, got ${describe(signal)}`);
  if (wasmFactory !== undefined && !isFactory(wasmFactory))
    fail('invalid_argument', `wasmFactory must be a function, got ${describe(wasmFactory)}`);
  if (wasmFactory && worker === true)
    fail(
      'invalid_argument',
      'wasmFactory is a function, which a worker cannot be given: leave out worker: true',
    );
  const wasmBinary = readBinary(given.wasmBinary);
  const wasmModule = readCompiled(given.wasmModule);
  const url = readUrl(given.wasmUrl, 'wasmUrl');
  const implied = impliedBy(url, wasmBinary ?? wasmModule);
  const files = wasmFactory && (wasmBinary || wasmModule) ? undefined : locate(url);
  const oneThread = whyOneThread(files, wasmFactory);
  const wanted: Wanted = {
    threads: readThreads(threads ?? implied.threads),
    simd: toChoice(simd ?? implied.simd, 'simd', ['auto', 'relaxed', 'simd128']),
    compiled: wasmModule !== undefined,
    ...(oneThread && { oneThread }),
  };
  const place = {
    ...(files && { files }),
    ...(wasmBinary && { wasmBinary }),
    ...(wasmModule && { wasmModule }),
  };
  return {
    wanted,
    worker: wasmFactory ? false : worker,
    workerUrl: readUrl(given.workerUrl, 'workerUrl') ?? workerBeside(url),
    signal,
    place,
    wasmFactory,
    ownFiles: url === undefined,
    folder: url === undefined || isFile(url) ? undefined : asFolder(url),
  };
}

const isFile = (url: string) => url.startsWith('data:') || /\.wasm([?#]|$)/.test(url);

/** A folder's address, with the slash without which it would be that of a file. */
function asFolder(url: string): string {
  const folder = new URL(url);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder.href;
}

/** The engine's files: the package's own, those in the caller's folder, or the caller's file for all variants. */
function locate(url: string | undefined): EngineFiles {
  if (url === undefined) return ownFiles();
  if (!isFile(url)) return filesIn(asFolder(url));
  const own = Object.entries(ownFiles()).map(([variant, { module }]) => [variant, { module, wasm: url }]);
  return Object.fromEntries(own);
}

/** A page's copy of the engine's files includes the worker. In Node.js the package always has its own. */
const workerBeside = (url: string | undefined): string | undefined =>
  url === undefined || isFile(url) || isNode ? undefined : new URL('worker.js', asFolder(url)).href;

function whyOneThread(files: EngineFiles | undefined, factory: Factory | undefined): string | undefined {
  if (factory) return 'One thread: wasmFactory is a function, which other threads cannot be given.';
  if (files && !files['simd-threads'])
    return "One thread: 'transformer-wasm/inline' contains no others; import 'transformer-wasm' for more.";
  return undefined;
}

/** A single file is a single variant: the one in its name, or else the plain one. */
function impliedBy(url: string | undefined, content: object | undefined): Wanted {
  if (!content && !(url && isFile(url))) return { threads: 'auto', simd: 'auto' };
  const name = content ? '' : (url ?? '');
  return {
    threads: /-threads\.wasm/.test(name) ? 'auto' : 1,
    simd: /transformer-relaxed/.test(name) ? 'relaxed' : 'simd128',
  };
}

function readThreads(value: unknown): Wanted['threads'] {
  if (value === 'auto') return value;
  if (typeof value !== 'number')
    fail('invalid_argument', `threads must be 'auto' or a number, got ${describe(value)}`);
  return toInteger(value, 'threads', { min: 1, max: maxThreads });
}

/** An absolute URL: a worker would resolve a relative one against its own. */
function readUrl(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof URL) return value.href;
  if (typeof value !== 'string')
    fail('invalid_argument', `${name} must be a string or URL, got ${describe(value)}`);
  if (/^[a-z][a-z0-9+.-]+:/i.test(value) && URL.canParse(value)) {
    // A blob: URL, say, has no files beside it.
    if (name === 'wasmUrl' && !isFile(value) && !URL.canParse('file', value))
      fail(
        'invalid_argument',
        `wasmUrl must be the URL of a folder or of a .wasm file, got ${describe(value)}`,
      );
    return value;
  }
  if (isNode) return globalThis.process.getBuiltinModule('node:url').pathToFileURL(value).href;
  return new URL(value, globalThis.document?.baseURI ?? globalThis.location.href).href;
}

const isFactory = (value: unknown): value is Factory => typeof value === 'function';

function readCompiled(value: unknown): WebAssembly.Module | undefined {
  if (value === undefined || (typeof WebAssembly === 'object' && value instanceof WebAssembly.Module))
    return value;
  return fail('invalid_argument', `wasmModule must be a WebAssembly.Module, got ${describe(value)}`);
}

function readBinary(value: unknown): Uint8Array | undefined {
  if (value === undefined || value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return fail('invalid_argument', `wasmBinary must be an ArrayBuffer or Uint8Array, got ${describe(value)}`);
}
