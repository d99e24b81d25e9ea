/** The public entry: nothing else of this folder is imported from outside of it. */

export { type RenderOptions, render } from './render.js';
