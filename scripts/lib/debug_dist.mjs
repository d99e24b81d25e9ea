// node --import scripts/lib/debug_dist.mjs ... redirects imports from dist to dist-debug, also in threads and child processes,
// so that tests and scripts run on the debug build unchanged.

import { register } from 'node:module';

const hooks = `
  const [from, to] = ${JSON.stringify([
    new URL('../../dist/', import.meta.url).href,
    new URL('../../dist-debug/', import.meta.url).href,
  ])};
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    return found.url.startsWith(from) ? { ...found, url: to + found.url.slice(from.length) } : found;
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
