// How much the process of a page grows in Chromium while engines come and go.

import { runUnwatched } from './unwatched_page.mjs';

const work = async (residentBytes, turns) => {
  const library = await import('/dist/index.js');
  const { engineKinds, growthSince, turnEngines } = await import('/tests/lib/engine_turns.mjs');
  const grown = [];
  // A page that may not block has one thread.
  for (const kind of engineKinds.filter(({ worker, threads }) => worker || threads === 1)) {
    await turnEngines(library, Math.ceil(turns / 5), kind);
    const before = await residentBytes();
    await turnEngines(library, turns, kind);
    grown.push({ kind, grown: await growthSince(before, residentBytes) });
  }
  return grown;
};

/** @returns the bytes by which the process has grown, for every kind of engine */
export const growthInChromium = (turns) => runUnwatched(work, turns);
