// The WebAssembly modules of the engine, and where they are built.

export const variants = ['simd', 'relaxed', 'simd-threads', 'relaxed-threads'];
/** The variants, and the modules for sound and pictures and for training. */
export const modules = [...variants, 'signal', 'train'];

/** The folders in which the engine and the package are built, for release or for debugging. */
export const placesOf = (debug) =>
  debug
    ? { engine: 'wasm-debug', modules: 'modules-debug', dist: 'dist-debug' }
    : { engine: 'wasm', modules: 'modules', dist: 'dist' };

export const filesOf = (names) => names.flatMap((name) => [`transformer-${name}.wasm`, `transformer-${name}.mjs`]);
