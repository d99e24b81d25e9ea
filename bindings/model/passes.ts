/** Passes of a whole model, which a translation alone does not need: loaded with the first one. */

export { passOver } from './attentions.js';
export { forward, runForward } from './forward.js';
