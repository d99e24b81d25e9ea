// THIRD_PARTY.txt names everything by others that the package contains, as bundlers and the C++ build see it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { linkedVersions } from '../../scripts/build/linked_versions.mjs';
import { engineParts, packagesIn, thirdPartyText } from '../../scripts/build/third_party.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

/** The first three lines of every section: name and version, license, address. */
const headings = (text) =>
  [...text.matchAll(/^={80}\n(\S.*)\n(.+)\n(\S.*)\n\n/gm)].map((match) => match.slice(1));

/** The npm packages that `entries` import, directly or not. */
async function imported(entries) {
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(root, entry)),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['../wasm/*', './wasm/*'],
    outdir: 'unused',
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return packagesIn(Object.keys(metafile.inputs));
}

test('sbom.cdx.json lists what THIRD_PARTY.txt does, the versions and digests as installed', () => {
  const { bomFormat, metadata, components } = JSON.parse(read('dist/sbom.cdx.json'));
  const { name, version, license } = JSON.parse(read('package.json'));
  assert.equal(bomFormat, 'CycloneDX');
  assert.deepEqual([metadata.component.name, metadata.component.version], [name, version]);
  const listed = components.map((one) => [
    [one.description ?? one.name, one.version].filter(Boolean).join(' '),
    one.licenses[0].expression ?? one.licenses[0].license.id,
  ]);
  const sections = headings(read('dist/THIRD_PARTY.txt')).map(([title, stated]) => [title, stated]);
  assert.deepEqual(listed, sections.slice(0, listed.length));
  // The engine's parts, and the packages that are bundled.
  assert.ok(listed.length > engineParts.length + 5, `${listed.length} for ${license}`);
  const locked = JSON.parse(read('package-lock.json')).packages;
  for (const one of components.filter(({ purl }) => purl)) {
    const digest = Buffer.from(one.hashes[0].content, 'hex').toString('base64');
    assert.equal(`sha512-${digest}`, locked[`node_modules/${one.name}`].integrity, one.name);
  }
});

test('what is linked into the engine is listed with the version that the toolchain names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  const write = async (path, text) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const system = 'emscripten/system/lib';
  await write('emscripten/emscripten-version.txt', '"4.0.11-git"\n');
  await write(`${system}/libc/musl/VERSION`, '1.2.6\n');
  await write(`${system}/libcxx/readme.txt`, 'These files are from the project based on release 20.1.2.\n');
  await write(`${system}/dlmalloc.c`, '* Version 2.8.7 Wed\n');
  const header = (minor) =>
    `#define XSIMD_VERSION_MAJOR 14\n#define XSIMD_VERSION_MINOR ${minor}\n#define XSIMD_VERSION_PATCH 1\n`;
  const toolchain = `CMAKE_TOOLCHAIN_FILE:FILEPATH=${folder}/emscripten/cmake/Modules/Platform/Emscripten.cmake\n`;
  try {
    // From a package of the system, or fetched.
    await write('usr/include/xsimd/config/xsimd_config.hpp', header(2));
    await write('fetched/xsimd-src/include/xsimd/config/xsimd_config.hpp', header(3));
    const others = { emscripten: '4.0.11', musl: '1.2.6', llvm: '20.1.2', dlmalloc: '2.8.7' };
    for (const [where, xsimd] of [
      [`xsimd_DIR:PATH=${folder}/usr/share/cmake/xsimd`, '14.2.1'],
      [`xsimd_DIR:PATH=xsimd_DIR-NOTFOUND\nxsimd_SOURCE_DIR:STATIC=${folder}/fetched/xsimd-src`, '14.3.1'],
    ]) {
      await write('build/CMakeCache.txt', toolchain + where);
      assert.deepEqual(linkedVersions(join(folder, 'build')), { xsimd, ...others });
    }
    assert.deepEqual(linkedVersions(join(folder, 'nothing')), {});
  } finally {
    await rm(folder, { recursive: true });
  }
  // Of the engine that was built here.
  const built = linkedVersions(join(root, 'build/wasm'));
  if (existsSync(join(root, 'build/wasm/CMakeCache.txt')))
    assert.deepEqual(Object.keys(built).sort(), engineParts.map(({ name }) => name).sort());
  for (const { name, version } of JSON.parse(read('dist/sbom.cdx.json')).components.slice(
    0,
    engineParts.length,
  ))
    assert.equal(version, built[name], name);
});

test('what is installed with the package is pinned to one version', () => {
  for (const [name, wanted] of Object.entries(JSON.parse(read('package.json')).dependencies))
    assert.match(wanted, /^\d+\.\d+\.\d+$/, name);
  assert.match(read('scripts/cmake/xsimd.cmake'), /URL_HASH SHA256=[0-9a-f]{64}/);
});

describe('THIRD_PARTY.txt', () => {
  const text = read('dist/THIRD_PARTY.txt');
  const sections = headings(text);

  test('has a section for each npm package that the package bundles or depends on', async () => {
    const names = sections.map(([title]) => title.replace(/ \d+\..*$/, ''));
    const { dependencies } = JSON.parse(read('package.json'));
    const packages = await imported(['dist/index.js', 'dist/pipeline.js', 'dist/cli.js']);
    assert.ok(packages.length >= 1, `${packages}`);
    for (const name of [...packages, ...Object.keys(dependencies)]) {
      assert.ok(names.includes(name), name);
      const [title, license] = sections[names.indexOf(name)];
      const stated = JSON.parse(read(`node_modules/${name}/package.json`));
      assert.deepEqual([title, license], [`${name} ${stated.version}`, stated.license]);
    }
  });

  test('has a section for each library that the wasm is linked with', () => {
    const cmake = ['wasm', 'xsimd'].map((name) => read(`scripts/cmake/${name}.cmake`)).join('\n');
    const found = [...cmake.matchAll(/find_package\((\w+)/g)].map(([, name]) => name);
    const [, allocator] = /-sMALLOC=(\w+)/.exec(cmake);
    const titles = sections.map(([title]) => title).join('\n');
    const expected = [...found, allocator, 'emscripten', 'musl', 'libc++'];
    assert.ok(expected.includes('xsimd'));
    for (const name of expected) assert.ok(titles.includes(name), name);
  });

  test('contains the licences themselves', () => {
    for (const sentence of [
      'Copyright (c) Johan Mabille',
      'Redistributions in binary form must reproduce the above copyright notice',
      'Copyright (c) 2010-2014 Emscripten authors',
      'musl as a whole is licensed under the following standard MIT license',
      'LLVM Exceptions to the Apache 2.0 License',
      'Doug Lea and released to the public domain',
      'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION',
    ])
      assert.ok(text.includes(sentence), sentence);
  });

  test('stands at the end of the bundle in one file, as a comment that tools keep', () => {
    const code = read('dist/inline.js');
    const comment = code.slice(code.lastIndexOf('/*!'));
    assert.equal(comment, `/*!\n${text.replaceAll('*/', '* /')}*/\n`);
  });

  test("includes the page's font where it is asked for", () => {
    assert.match(thirdPartyText(['@fontsource-variable/inter']), /OFL-1\.1\n[\s\S]*SIL OPEN FONT LICENSE/);
  });

  test('cannot be made for a package without a licence', () => {
    const bare = readdirSync(join(root, 'node_modules')).find(
      (name) =>
        existsSync(join(root, 'node_modules', name, 'package.json')) &&
        !readdirSync(join(root, 'node_modules', name)).some((file) => /^(licen[cs]e|copying)/i.test(file)),
    );
    assert.throws(() => thirdPartyText([bare]), /is part of what is published/);
  });
});
