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
    const guides = new Set();
    for (const [i, reflection] of event.searchResults.entries()) {
      if (!reflection.isDocument()) continue;
      guides.add(reflection.name);
      event.searchFields[i].keywords = keywords[reflection.name] ?? '';
    }
    const unknown = Object.keys(keywords).filter((title) => !guides.has(title));
    if (unknown.length > 0)
      throw new Error(`scripts/docs/keywords.json names guides that there are not: ${unknown}.`);
  });
}

/** Where an option that several types have is read first. */
const preferred = ['GenerationOptions', 'LoadModelOptions', 'EngineOptions'];

/** Options and inherited members whose name another type has: one of them stands for all. */
function repeated(reflections) {
  const byName = new Map();
  for (const one of reflections) {
    if (!one.parent?.isDeclaration() || one.parent.isProject() || !isShared(one)) continue;
    byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  }
  return [...byName.values()].flatMap((all) => {
    const kept = all.toSorted((a, b) => rank(a) - rank(b))[0];
    return all.filter((one) => one !== kept);
  });
}

const isInherited = (one) => Boolean(one.inheritedFrom ?? one.flags?.isInherited);
const isShared = (one) => isInherited(one) || /(Options|Settings)$/.test(one.parent.name);

/** Of a preferred type, then one that declares it. */
function rank(one) {
  const at = preferred.indexOf(one.parent.name);
  return at >= 0 ? at : preferred.length + (isInherited(one) ? 1 : 0);
}
