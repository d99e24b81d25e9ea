/** The parts that scripts/build/build_inline.mjs supplies to `transformer-wasm/inline`. */

declare module 'inline:*.wasm' {
  /** A data: URL of the file, compressed by gzip. */
  const address: string;
  export default address;
}

declare module 'inline:*.mjs' {
  const factory: import('./glue.js').Factory;
  export default factory;
}

declare module 'inline:worker.js' {
  const text: string;
  export default text;
}
