/**
 * Threads where a server sends no headers for cross-origin isolation: a service worker, if the visitor asks for it, adds the
 * headers to everything that this site answers. See public/isolation.js.
 */

export const isolate = {
  /** Whether it would help: not isolated, in a place where service workers exist, not in somebody else's page. */
  get isPossible(): boolean {
    const isServed = location.protocol.startsWith('http') && isSecureContext && 'serviceWorker' in navigator;
    return !crossOriginIsolated && isServed && top === self;
  },

  /** Installs the service worker and reloads the page through it. @param script its address, as the page sees it */
  async start(script = './isolation.js'): Promise<void> {
    await navigator.serviceWorker.register(script);
    await navigator.serviceWorker.ready;
    location.reload();
  },
};
