/** Whether this is Node.js, or a host that is as good as it. */

/** The same test as in the engine's module: a page in Electron has a `process` too. */
export const isNode =
  typeof globalThis.process === 'object' &&
  typeof globalThis.process.versions?.node === 'string' &&
  !('type' in globalThis.process && globalThis.process.type === 'renderer');
