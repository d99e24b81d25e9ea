/** Fetches and compiles a .wasm file, and explains failures in plain words. */

import { fail, toTransformerError } from '../values/errors.js';
import { isNode } from './is_node.js';

/** Compiles a .wasm file: its bytes, or the file at an address. */
export async function readModule(
  source: Uint8Array | string,
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  if (typeof source !== 'string') return compile(source, 'wasmBinary');
  if (isNode && source.startsWith('file:'))
    return compile(await readFromDisk(source, signal), shortened(source));
  const response = await download(source, signal);
  if (!isStreamable(response)) return compile(await bytesOf(source, response), shortened(source));
  try {
    return await WebAssembly.compileStreaming(response);
  } catch {
    signal?.throwIfAborted();
    // The bytes show what is wrong with them.
    return compile(await bytesOf(source, await download(source, signal)), shortened(source));
  }
}

/** Whether the response can be compiled while it arrives, without which browsers do not cache the machine code. */
const isStreamable = ({ headers }: Response) =>
  typeof WebAssembly.compileStreaming === 'function' && headers.get('content-type') === 'application/wasm';

async function readFromDisk(url: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    const path = globalThis.process.getBuiltinModule('node:url').fileURLToPath(url);
    return await globalThis.process.getBuiltinModule('node:fs').promises.readFile(path, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    return fail('missing_file', `Cannot read ${shortened(url)}: ${toTransformerError(error).message}`, error);
  }
}

async function download(url: string, signal: AbortSignal | undefined): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', signal: signal ?? null });
  } catch (error) {
    signal?.throwIfAborted();
    return fail(
      'missing_file',
      `Cannot fetch ${shortened(url)}: ${toTransformerError(error).message}`,
      error,
    );
  }
  if (!response.ok)
    fail(
      'missing_file',
      `Cannot fetch ${shortened(url)}: the server answered ${response.status} ${response.statusText}`,
    );
  return response;
}

async function bytesOf(url: string, response: Response): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!isWasm(bytes)) {
    const type = response.headers.get('content-type') ?? 'no content type';
    fail(
      'missing_file',
      `${shortened(url)} is not WebAssembly: the server answered with ${type}` +
        `${type.includes('html') ? ', probably the page that it serves for every unknown address' : ''}.`,
    );
  }
  return bytes;
}

/** A data: URL is the whole file. */
const shortened = (url: string) => (url.length > 300 ? `${url.slice(0, 60)}…` : url);

/** "\0asm" */
const isWasm = (bytes: Uint8Array) =>
  bytes[0] === 0x00 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;

async function compile(bytes: Uint8Array, name: string): Promise<WebAssembly.Module> {
  if (!isWasm(bytes)) fail('missing_file', `${name} is not WebAssembly: it does not begin with "\\0asm".`);
  try {
    return await WebAssembly.compile(new Uint8Array(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail('unsupported', `${name} cannot be compiled here: ${why}`, error);
  }
}
