/** The models that come with the package, found from wherever their modules end up. */

import { isNode } from './folder_node.js';

type Files = ReadonlyMap<string, URL>;

/**
 * The files of a shipped model by name.
 *
 * @param beside their addresses beside the module that asks; literals there, since bundlers look for them
 */
export function shippedModel(name: string, beside: () => Record<string, URL>): Files {
  let files: Record<string, URL>;
  try {
    files = beside();
  } catch {
    files = {}; // a server bundled as CommonJS: there are no addresses beside it
  }
  const first = Object.values(files)[0];
  if (isNode() && (!first || isGone(first))) files = installed(name) ?? files;
  return new Map(Object.entries(files));
}

/** Whether a bundle for a server has left the files where the package is installed, or serves them to pages only. */
function isGone(file: URL): boolean {
  const { existsSync } = globalThis.process.getBuiltinModule('node:fs');
  return file.protocol === '' || (file.protocol === 'file:' && !existsSync(file));
}

function installed(name: string): Record<string, URL> | undefined {
  const { createRequire } = globalThis.process.getBuiltinModule('node:module');
  const { readdirSync } = globalThis.process.getBuiltinModule('node:fs');
  const { dirname } = globalThis.process.getBuiltinModule('node:path');
  const { pathToFileURL } = globalThis.process.getBuiltinModule('node:url');
  try {
    const folder = dirname(
      createRequire(`${globalThis.process.cwd()}/`).resolve(`transformer-wasm/models/${name}/config.json`),
    );
    const place = pathToFileURL(`${folder}/`);
    return Object.fromEntries(readdirSync(folder).map((file) => [file, new URL(file, place)]));
  } catch {
    return undefined;
  }
}
