/**
 * `transformer-wasm/inline`: the whole package in one file, with the engine for one thread. It needs no bundler and no
 * copies, and works from any server. Not to be mixed with `transformer-wasm` on one page: each has classes of its own.
 * @module transformer-wasm/inline
 */

export * from './index.js';
