// What the search of the documentation finds: guides before members, by the words that people use for their subject, and an
// option that many types inherit once. A plugin of TypeDoc, whose own page and index it keeps.

import { readFileSync } from 'node:fs';

const keywords = JSON.parse(readFileSync(new URL('keywords.json', import.meta.url), 'utf8'));

/** How much a guide's keywords weigh, beside the 10 of a name. */
const weight = 30;

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.on('prepareIndex', (event) => {
    for (const reflection of repeated(event.searchResults))
      event.removeResult(event.searchResults.indexOf(reflection));
    event.searchFieldWeights.keywords = weight;
    for (const [i, reflection] of event.searchResults.entries()) {
      if (!reflection.isDocument()) continue;
      const words = keywords[reflection.name];
      if (!words)
        throw new Error(`scripts/docs/keywords.json has no words for the guide "${reflection.name}".`);
      event.searchFields[i].keywords = words;
    }
  });
}

/** Inherited members whose name another type has: the one that declares it, or the first, stands for all of them. */
function repeated(reflections) {
  const byName = new Map();
  for (const one of reflections) {
    if (!one.parent?.isDeclaration() || one.parent.isProject()) continue;
    byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  }
  return [...byName.values()].flatMap((all) => {
    const kept = all.find((one) => !isInherited(one)) ?? all[0];
    return all.filter((one) => one !== kept && isInherited(one));
  });
}

const isInherited = (reflection) => Boolean(reflection.inheritedFrom ?? reflection.flags?.isInherited);
