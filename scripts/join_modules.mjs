// Joins the compiled modules into the files that npm publishes: the entries, which are small, one file of everything that
// `index.js` needs at once, and one for each part that loads when it is first used. A page without a bundler then asks for
// three files instead of 153. A bundler would otherwise make a chunk of its own for each set of parts that share modules,
// 52 of them, which share neither names nor a compression window: 6 kB of the compressed download.

import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';

/** What a module imports that belongs to the package. */
const isOwn = (id) => id.startsWith('.') || isAbsolute(id);

/** Maps that lead to the TypeScript sources, from wherever the joined file will be. */
const compiled = (modules, sources) => ({
  name: 'compiled',
  async load(id) {
    const map = JSON.parse(await readFile(`${id}.map`, 'utf8').catch(() => 'null'));
    if (map) map.sources = [join(sources, id.slice(modules.length).replace(/\.js$/, '.ts'))];
    const code = await readFile(id, 'utf8');
    return { code: code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'), map };
  },
});

/** By name of a file, the entry with which everything in it is loaded. What an earlier one has is not in a later one. */
const groups = { base: 'index.js', cli: 'cli.js' };

/** Finds what each of these entries loads at once, as soon as all modules are parsed. */
function loadedWith(modules) {
  const found = Object.values(groups).map((entry) => new Set([join(modules, entry)]));
  const plugin = {
    name: 'loaded-with',
    buildEnd() {
      for (const ids of found)
        for (const id of ids) for (const each of this.getModuleInfo(id)?.importedIds ?? []) ids.add(each);
    },
  };
  return {
    plugin,
    groups: Object.keys(groups).map((name, i) => ({
      name,
      priority: found.length - i,
      test: (id) => found[i].has(id) && id !== join(modules, groups[name]),
    })),
  };
}

/**
 * @param modules the folder of the compiled modules
 * @param entries names of those that others import
 * @param sources the folder of their TypeScript sources
 * @param out the folder to write to; parts are in `chunks/`, one level deep as what they load by its address expects
 */
export async function joinModules({ modules, entries, sources, out }) {
  const loaded = loadedWith(modules);
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [basename(name, '.js'), join(modules, name)])),
    external: (id) => !isOwn(id),
    platform: 'neutral',
    plugins: [compiled(modules, sources), loaded.plugin],
  });
  await bundle.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups: loaded.groups },
  });
  await bundle.close();
}
