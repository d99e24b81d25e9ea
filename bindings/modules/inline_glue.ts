/** Replaces `glue.ts` in `transformer-wasm/inline`: the modules without threads, bundled with it. */

import relaxed from 'inline:transformer-relaxed.mjs';
import signal from 'inline:transformer-signal.mjs';
import simd from 'inline:transformer-simd.mjs';
import { type Factory, importFactory as importFrom } from './glue.js';

export * from './glue.js';

export async function importFactory(address: string): Promise<Factory> {
  if (address === 'inline:simd') return simd;
  if (address === 'inline:relaxed') return relaxed;
  if (address === 'inline:signal') return signal;
  return importFrom(address);
}
