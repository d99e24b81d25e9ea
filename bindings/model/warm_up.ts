/**
 * The first call of a model takes longer than later ones, since a JavaScript engine compiles WebAssembly when it is
 * first called, and well when it has run for a while. So a model computes a few tokens when it has been loaded and
 * nobody asks for anything yet.
 *
 * The first call of the base model takes 1.1 to 1.5 times as long as later ones with it, and 1.3 to 2.3 times without
 * (Node.js 24, one and two threads, float32 and int8).
 */

import type { Loaded } from '../checkpoint/loaded.js';
import { longestInput, syntheticPass } from '../insight/synthetic_input.js';

/** Whoever asks for something as soon as the model is there does not wait for its warm-up. */
const pauseMilliseconds = 20;

const passes = 6;
const tokens = 16;

/** Starts to warm a model up. */
export function warmUpSoon(model: Loaded): void {
  // Errors here do not matter: the caller's own calls report them.
  const timer = setTimeout(() => void warmUp(model).catch(() => undefined), pauseMilliseconds);
  // A process of Node.js does not wait for it. In a page it is a number.
  if (typeof timer === 'object') timer.unref();
}

/** Computes, until somebody else asks for something. */
async function warmUp(model: Loaded): Promise<void> {
  const { host, handle } = model;
  const { source, target, columns } = syntheticPass(model, 1, Math.min(tokens, longestInput(model)));
  for (let pass = 0; pass < passes && !host.isBusy; pass++) {
    model.checkAlive();
    await host.invoke(handle, 'forward', source, target, { isCausal: target !== undefined, columns });
  }
}
