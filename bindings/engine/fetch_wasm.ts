/** Fetches and compiles a .wasm file, and explains failures in plain words. */

import { fail, toTransformerError } from './errors.js';
import { isNode } from './features.js';

/** The compiled file at `url`, or the compiled `bytes` if given. */
export async function readModule(
  url: URL,
  bytes: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  if (bytes) return compile(bytes, 'wasmBinary');
  if (isNode && url.protocol === 'file:') return compile(await readFromDisk(url, signal), url.href);
  return compile(await download(url, signal), url.href);
}

/** Why a module could not be imported: a browser's own error only names the file. */
export async function reasonFor(url: URL, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (isNode) return message;
  try {
    const { ok, status, statusText, headers } = await fetch(url, { credentials: 'same-origin' });
    if (!ok) return `the server answered ${status} ${statusText}`.trim();
    return `the server answered with ${headers.get('content-type') ?? 'no content type'} (${message})`;
  } catch {
    return message; // without a response, the browser's message is all that is known
  }
}

async function readFromDisk(url: URL, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    return await process.getBuiltinModule('node:fs').promises.readFile(url, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    return fail('missing_file', `Cannot read ${url.href}: ${toTransformerError(error).message}`, error);
  }
}

async function download(url: URL, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', signal: signal ?? null });
  } catch (error) {
    signal?.throwIfAborted();
    return fail('missing_file', `Cannot fetch ${url.href}: ${toTransformerError(error).message}`, error);
  }
  if (!response.ok)
    fail(
      'missing_file',
      `Cannot fetch ${url.href}: the server answered ${response.status} ${response.statusText}`,
    );
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!isWasm(bytes)) {
    const type = response.headers.get('content-type') ?? 'no content type';
    fail(
      'missing_file',
      `${url.href} is not WebAssembly: the server answered with ${type}` +
        `${type.includes('html') ? ', probably the page that it serves for every unknown address' : ''}.`,
    );
  }
  return bytes;
}

/** "\0asm" */
const isWasm = (bytes: Uint8Array) =>
  bytes[0] === 0x00 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;

async function compile(bytes: Uint8Array, name: string): Promise<WebAssembly.Module> {
  if (!isWasm(bytes)) fail('missing_file', `${name} is not WebAssembly: it does not begin with "\\0asm".`);
  try {
    return await WebAssembly.compile(new Uint8Array(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const policy = /content security policy/i.test(why)
      ? " The page's content security policy must allow script-src 'wasm-unsafe-eval'."
      : '';
    return fail('unsupported', `${name} cannot be compiled here: ${why}.${policy}`, error);
  }
}
