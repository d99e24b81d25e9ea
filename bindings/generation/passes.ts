/** Passes of a whole model, which a translation alone does not need: loaded with the first one. */

export { crossWeights } from '../insight/cross_weights.js';
export { forward, runForward } from '../insight/forward.js';
export { passOver } from './attentions.js';
