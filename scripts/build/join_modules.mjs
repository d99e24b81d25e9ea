// Joins the compiled modules into the files that npm publishes: the entries, which are small, two files of everything that
// `index.js` needs at once, and one for each part that loads when it is first used. A page without a bundler then asks for
// three files instead of 153. A bundler would otherwise make a chunk of its own for each set of parts that share modules,
// 52 of them, which share neither names nor a compression window: 6 kB of the compressed download.

import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, join, posix } from 'node:path';
import { rolldown } from 'rolldown';
import { ExpectedError } from '../lib/console.mjs';

/** The imports of a module that belong to the package. */
const isOwn = (id) => id.startsWith('.') || isAbsolute(id);

/** Maps that lead to the TypeScript sources, from wherever the joined file will be. */
const compiled = (modules, sources) => ({
  name: 'compiled',
  async load(id) {
    const map = JSON.parse(await readFile(`${id}.map`, 'utf8').catch(() => 'null'));
    if (map) map.sources = [join(sources, id.slice(modules.length).replace(/\.js$/, '.ts'))];
    const code = await readFile(id, 'utf8');
    return { code: code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'), map: map ?? { mappings: '' } };
  },
});

/**
 * What becomes one file, which is what `index.js` loads at once; without what `documents.js` loads too, since an extension brings
 * that into every page. Nothing else is joined: what the command line loads is in part what pages load later, and they must not
 * load it with the rest of the command line.
 */
function groupsOf(modules) {
  const loaded = Object.fromEntries(['index', 'documents'].map((entry) => [entry, new Set()]));
  const plugin = {
    name: 'groups',
    buildEnd() {
      for (const [entry, ids] of Object.entries(loaded)) {
        const own = join(modules, `${entry}.js`);
        ids.add(own);
        for (const id of ids) for (const each of this.getModuleInfo(id)?.importedIds ?? []) ids.add(each);
        ids.delete(own);
      }
    },
  };
  const groups = [
    { name: 'common', priority: 2, test: (id) => loaded.index.has(id) && loaded.documents.has(id) },
    { name: 'base', priority: 1, test: (id) => loaded.index.has(id) },
  ];
  return { plugin, groups };
}

/**
 * @param modules the folder of the compiled modules
 * @param entries names of those that others import
 * @param sources the folder of their TypeScript sources
 * @param out the folder to write to; parts are in `chunks/`, one level deep as what they load by its address expects
 * @throws ExpectedError if what code loads by its address is not where the joined file looks for it
 */
export async function joinModules({ modules, entries, sources, out }) {
  const { plugin, groups } = groupsOf(modules);
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [basename(name, '.js'), join(modules, name)])),
    external: (id) => !isOwn(id),
    platform: 'neutral',
    plugins: [compiled(modules, sources), plugin],
  });
  const { output } = await bundle.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups },
    // The documentation is in the declarations, and all comments in the sources, to which the maps lead: 94 kB of the tarball.
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  await bundle.close();
  output.forEach(checkAddresses);
}

/** A module that moved, since two entries share it, would look for its files beside the wrong folder. */
function checkAddresses({ fileName, code = '' }) {
  for (const [, address] of code.matchAll(/new URL\(["']([^"']+)["'], import\.meta\.url\)/g)) {
    const place = posix.join(posix.dirname(fileName), address);
    if (!/^(wasm|models)\//.test(place)) throw new ExpectedError(`${fileName} looks for ${place}`);
  }
}
