// node --import scripts/lib/debug_dist.mjs ... redirects imports from dist to dist-debug, and from build/modules to
// build/modules-debug, also in threads and child processes, so that tests and scripts run on the debug build unchanged.

import { register } from 'node:module';

const hooks = `
  const places = ${JSON.stringify(
    ['dist', 'build/modules'].map((place) =>
      ['/', '-debug/'].map((end) => new URL(`../../${place}${end}`, import.meta.url).href),
    ),
  )};
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    for (const [from, to] of places)
      if (found.url.startsWith(from)) return { ...found, url: to + found.url.slice(from.length) };
    return found;
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
