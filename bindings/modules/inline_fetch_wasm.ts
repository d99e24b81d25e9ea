/** Replaces `fetch_wasm.ts` in `transformer-wasm/inline`: unpacks the wasm files that are part of it. */

import { readModule as readFrom } from './fetch_wasm.js';

export * from './fetch_wasm.js';

const packed = 'data:application/gzip;base64,';

export async function readModule(
  source: Uint8Array | string,
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  if (typeof source !== 'string' || !source.startsWith(packed)) return readFrom(source, signal);
  // Not by `fetch`, which a Content Security Policy may keep from data: URLs.
  const bytes = Uint8Array.from(atob(source.slice(packed.length)), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return readFrom(new Uint8Array(await new Response(unpacked).arrayBuffer()), signal);
}
