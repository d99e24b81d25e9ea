// THIRD_PARTY.txt: the licences of everything by others that the package or the page contains.

import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError } from '../lib/console.mjs';
import { filesBelow } from '../lib/fingerprint.mjs';
import { linkedVersions } from './linked_versions.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

const linked = linkedVersions(join(root, 'build/wasm'));

/** Third-party code that is linked into the engine: its text is in scripts/notices, whose README says where it comes from. */
export const engineParts = [
  { name: 'xsimd', license: 'BSD-3-Clause', url: 'https://github.com/xtensor-stack/xsimd' },
  { name: 'emscripten', license: 'MIT', url: 'https://emscripten.org' },
  { name: 'musl', license: 'MIT', url: 'https://musl.libc.org' },
  {
    name: 'llvm',
    title: 'libc++, libc++abi, libunwind and compiler-rt',
    license: 'Apache-2.0 WITH LLVM-exception',
    url: 'https://llvm.org',
  },
  { name: 'dlmalloc', license: 'CC0-1.0', url: 'https://gee.cs.oswego.edu' },
].map((part) => ({
  ...part,
  title: [part.title ?? part.name, linked[part.name]].filter(Boolean).join(' '),
  text: read('scripts/notices', `${part.name}.txt`),
  description: part.title,
  version: linked[part.name],
}));

/** The npm packages that files belong to, sorted: `paths` as a bundler reports its inputs. */
export function packagesIn(paths) {
  const names = paths.map((path) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/?]+)/.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean).map((name) => name.replace('\\', '/')))].sort();
}

const isApache = (text) => /^\s*Apache License\s+Version 2\.0/.test(text);

/** The Apache License is printed once, at the end; who holds the copyright stays here. */
const shortened = (text) =>
  [
    ...(text.match(/^ *Copyright .*\d{4}.*$/gm) ?? []),
    'The Apache License 2.0, printed at the end of this file.',
  ]
    .map((line) => line.trim())
    .join('\n');

function partOf(name) {
  const folder = join('node_modules', name);
  const file = readdirSync(join(root, folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const { license, version, homepage, repository } = JSON.parse(read(folder, 'package.json'));
  if (!file || !license)
    throw new ExpectedError(
      `${folder} states no license or has no file of it, but is part of what is published`,
    );
  const text = read(folder, file);
  const url = homepage ?? repository?.url ?? `https://www.npmjs.com/package/${name}`;
  return { title: `${name} ${version}`, license, url, text: isApache(text) ? shortened(text) : text };
}

/** @param packages names of npm packages; the engine's parts are always included */
export function thirdPartyText(packages) {
  const line = '='.repeat(80);
  const sections = [...engineParts, ...packages.map(partOf)].map(
    ({ title, license, url, text }) => `${line}\n${title}\n${license}\n${url}\n\n${text.trim()}\n`,
  );
  const start =
    'transformer-wasm contains the following software and fonts by others, under these licences.\n';
  return [start, ...sections, `${line}\n${read('LICENSE').trim()}\n`].join('\n');
}

/** The packages, and what is linked into the engine, in the form of CycloneDX. */
export function billOfMaterials(packages) {
  const own = JSON.parse(read('package.json'));
  const locked = JSON.parse(read('package-lock.json')).packages;
  const licensed = (license) => [/ /.test(license) ? { expression: license } : { license: { id: license } }];
  const component = (name) => {
    const { license, version } = JSON.parse(read('node_modules', name, 'package.json'));
    const [algorithm, digest = ''] = (locked[`node_modules/${name}`]?.integrity ?? '').split(/-(.*)/s);
    const hashes = [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }];
    return {
      type: 'library',
      name,
      version,
      licenses: licensed(license),
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      ...(algorithm === 'sha512' && { hashes }),
    };
  };
  const parts = engineParts.map(({ name, version, description, license, url }) => ({
    type: 'library',
    name,
    ...(version && { version }),
    ...(description && { description }),
    licenses: licensed(license),
    externalReferences: [{ type: 'website', url }],
  }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'library',
        name: own.name,
        version: own.version,
        licenses: licensed(own.license),
        purl: `pkg:npm/${own.name}@${own.version}`,
      },
    },
    components: [...parts, ...packages.map(component)],
  };
}

/** Writes the notices of `packages` into the built package: as a file, with a list of them for machines, and at the end of its bundle in one file. */
export async function addNotices(dist, packages) {
  const text = thirdPartyText(packages);
  await writeFile(join(dist, 'THIRD_PARTY.txt'), text);
  await writeFile(join(dist, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
  // musl's names files as src/*/arm: that would end the comment.
  await appendFile(join(dist, 'inline.js'), `/*!\n${text.replaceAll('*/', '* /')}*/\n`);
}

/** The packages whose files the page's style sheets name: a bundler that puts them into the sheets does not report them. */
function packagesOfStyles() {
  const sheets = filesBelow(root, ['web/src']).filter((name) => name.endsWith('.css'));
  const named = sheets.flatMap((sheet) => [...read(sheet).matchAll(/url\(["']?(?!\.|data:|#)([^"')]+)/g)]);
  return packagesIn(named.map(([, path]) => `node_modules/${path}`));
}

/** Vite's plugin: the licences of what the page contains, beside it. */
export const thirdPartyPlugin = () => {
  // The engine's worker was bundled with the package, so that Vite does not see what is in it.
  const always = [...Object.keys(JSON.parse(read('package.json')).dependencies), ...packagesOfStyles()];
  return {
    name: 'third-party',
    generateBundle() {
      const packages = new Set([...always, ...packagesIn([...this.getModuleIds()])]);
      const source = thirdPartyText([...packages].sort());
      this.emitFile({ type: 'asset', fileName: 'THIRD_PARTY.txt', source });
    },
  };
};
