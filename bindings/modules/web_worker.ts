/** Starts workers in a browser by an address, which may be on another origin than the page. */

/** A browser's worker, as far as it is used: a user's compiler may know only the types of Node.js. */
export interface WebWorker {
  addEventListener(name: 'message', listener: (event: { readonly data: never }) => void): void;
  addEventListener(name: 'messageerror', listener: () => void): void;
  addEventListener(
    name: 'error',
    listener: (event: { readonly message: string; preventDefault(): void }) => void,
  ): void;
  postMessage(message: unknown, moved: ArrayBuffer[]): void;
  terminate(): void;
}

/** One for each address, for as long as the page lives. */
const trampolines = new Map<string, string>();

/** Whether a file is on another server than the page, from which no worker can be started directly. */
export const isForeign = (address: string): boolean =>
  /^https?:/.test(address) && new URL(address).origin !== globalThis.origin;

/** A module worker. One of another origin is imported by a script of the page's own, a blob. */
export function startWorkerAt(address: string, name = ''): WebWorker {
  return new Worker(isForeign(address) ? trampolineTo(address) : address, { type: 'module', name });
}

function trampolineTo(address: string): string {
  const known = trampolines.get(address);
  if (known !== undefined) return known;
  const script = new Blob([`import ${JSON.stringify(address)};`], { type: 'text/javascript' });
  const made = URL.createObjectURL(script);
  trampolines.set(address, made);
  return made;
}
