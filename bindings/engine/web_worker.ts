/** Starts workers in a browser by an address, which may be on another origin than the page. */

/** One for each address, for as long as the page lives. */
const trampolines = new Map<string, string>();

/** Whether a file is on another server than the page, from which no worker can be started directly. */
export const isForeign = (address: string): boolean =>
  /^https?:/.test(address) && new URL(address).origin !== globalThis.origin;

/** A module worker. One of another origin is imported by a script of the page's own, a blob. */
export function startWorkerAt(address: string, name = ''): Worker {
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
