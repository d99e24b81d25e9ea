// The WebAssembly toolchain: an `emcc` on the PATH if it is new enough, otherwise one assembled from Debian 13's packages,
// which are unpacked into a cache folder. The system is not changed, and every checkout shares the folder.

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ExpectedError, run, step } from '../lib/console.mjs';
import { isRunning } from '../lib/lock.mjs';
import { aptPatience, ensurePackages, findProgram, isDebianLike, osRelease } from './debian.mjs';

const oldestEmscripten = [3, 1, 69];

// The number after the dash is the version of this recipe: increment it when a change below affects the folder.
const folderName = 'toolchain-emscripten-3.1.69-1';
const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'transformer-wasm');
const prefix = join(cacheFolder, folderName);

// Debian 12 has LLVM 19, but its Emscripten and xsimd are too old, and so is its libc for Debian 13's binaryen.
const suite = 'trixie';
const packages = [
  'emscripten',
  'binaryen',
  'libxsimd-dev',
  'xtl-dev',
  'node-acorn',
  'libc6',
  'libstdc++6',
  'libgcc-s1',
];

// Not needed, and 0.8 GB in size. (The plain libGL archives must stay: the linker names them by default.)
const leftOut = [
  '*/share/doc/*',
  '*/emscripten/test/*',
  '*/emscripten/docs/*',
  '*/lib/wasm32-emscripten/libGL*-emu-*',
  '*/lib/wasm32-emscripten/pic/*',
  '*/lib/wasm32-emscripten/lto-pic/*',
  '*/gconv/*',
];

const isNewEnough = (version) => {
  const numbers = version
    .match(/(\d+)\.(\d+)\.(\d+)/)
    ?.slice(1)
    .map(Number);
  if (!numbers) return false;
  const different = numbers.findIndex((number, i) => number !== oldestEmscripten[i]);
  return different === -1 || numbers[different] > oldestEmscripten[different];
};

/** The toolchain of the `emcc` on the PATH, if it is new enough. */
async function emscriptenOnPath() {
  const emcc = findProgram('emcc');
  if (!emcc || !findProgram('emcmake')) return undefined;
  const folder = dirname(realpathSync(emcc));
  const versionFile = join(folder, 'emscripten-version.txt');
  // Reading the file avoids starting Python, which would be half the time of a setup with nothing to do.
  const version = existsSync(versionFile)
    ? readFileSync(versionFile, 'utf8')
    : await run(emcc, ['--version']).catch(() => '');
  return isNewEnough(version)
    ? { emcmake: findProgram('emcmake'), prefix: undefined, xsimdRoot: undefined }
    : undefined;
}

const unpackedToolchain = () => ({
  emcmake: join(prefix, 'usr/share/emscripten/emcmake'),
  prefix,
  xsimdRoot: join(prefix, 'usr'),
});

/**
 * Finds or installs the toolchain. `prefix` is the folder into which it was unpacked, and `xsimdRoot` the place of xsimd in
 * it. Both are undefined with an Emscripten from the PATH: then CMake finds or fetches xsimd itself.
 */
export async function ensureWasmToolchain() {
  const onPath = await emscriptenOnPath();
  if (onPath) {
    await ensurePackages(['wasm']);
    return onPath;
  }
  if (!isDebianLike()) {
    throw new ExpectedError(
      `There is no emcc ${oldestEmscripten.join('.')} or newer on the PATH.\n` +
        'Install Emscripten with the package manager of this system (emscripten on Arch Linux, Homebrew and Debian 13) or with\n' +
        'emsdk (https://emscripten.org/docs/getting_started/downloads.html), make sure that `emcc --version` runs, then try again.',
    );
  }
  await ensurePackages(['wasmToolchain']);
  if (!existsSync(prefix)) await makeToolchain();
  return unpackedToolchain();
}

/** Unpacks beside the final folder and renames at the end: interrupted or concurrent runs never leave half a toolchain. */
async function makeToolchain() {
  await mkdir(cacheFolder, { recursive: true });
  await removeAbandoned();
  const partial = `${prefix}.partial-${process.pid}`;
  try {
    const debs = await step(`Downloading Emscripten and its tools (Debian ${suite})`, () =>
      downloadPackages(join(partial, 'apt')),
    );
    await step('Unpacking', async () => {
      for (const deb of debs) await unpack(deb, partial);
      await rm(join(partial, 'apt'), { recursive: true });
      await adapt(partial);
    });
    await rename(partial, prefix).catch((error) => {
      // Another run finished first; its folder is just as good.
      if (!existsSync(prefix)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function removeAbandoned() {
  for (const name of await readdir(cacheFolder)) {
    const pid = name.match(/\.partial-(\d+)$/)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Processes that the dead run started may still be writing into it; if retrying fails, a later run tries again.
    await rm(join(cacheFolder, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/** Downloads with a private apt state: the system's package lists stay unchanged, signatures are checked as usual. */
async function downloadPackages(folder) {
  const at = (name) => join(folder, name);
  for (const name of ['sources', 'lists/partial', 'cache/archives/partial', 'debs'])
    await mkdir(at(name), { recursive: true });
  await writeFile(
    at('sources/debian.sources'),
    `Types: deb\nURIs: ${await debianMirror()}\nSuites: ${suite}\nComponents: main\n` +
      'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n',
  );
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': at('sources'),
    'Dir::State::lists': at('lists'),
    'Dir::Cache': at('cache'),
    'APT::Sandbox::User': 'root',
  };
  const options = [
    ...aptPatience,
    ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
  ];
  await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'download', ...packages], { cwd: at('debs') });
  return (await readdir(at('debs'))).map((name) => at(`debs/${name}`));
}

/** The Debian mirror that this machine uses. */
async function debianMirror() {
  const { VERSION_CODENAME } = osRelease();
  const targets = await run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(RELEASE)',
    'Created-By: Packages',
  ]);
  const own = targets
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, release]) => release === VERSION_CODENAME);
  if (own) return own[0];
  throw new ExpectedError(
    'Emscripten is downloaded from a Debian mirror, but apt has none configured for this release. Run `apt-get update` ' +
      'first, or put an emcc 3.1.69 or newer (from emsdk, for instance) on the PATH.',
  );
}

const unpack = (deb, folder) =>
  run('sh', [
    '-c',
    // `dpkg-deb` cannot unpack part of a package, but tar can; it also fails on a broken package.
    `dpkg --fsys-tarfile "$1" | tar -x -C "$2" ${leftOut.map((pattern) => `--exclude='${pattern}'`).join(' ')}`,
    'unpack',
    deb,
    folder,
  ]);

/** Makes the unpacked packages work in their final folder, with this system's libc. */
async function adapt(folder) {
  const emscripten = join(folder, 'usr/share/emscripten');
  await symlink('../nodejs', join(emscripten, 'node_modules'));

  // binaryen is built for a newer libc than this system may have, so it is started with its own loader and libraries.
  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  const loader = readdirSync(join(folder, 'usr/lib', libraries)).find((name) => name.startsWith('ld-linux-'));
  const libraryFolder = join(prefix, 'usr/lib', libraries);
  const wrappers = join(folder, 'binaryen/bin');
  await mkdir(wrappers, { recursive: true });
  for (const tool of (await readdir(join(folder, 'usr/bin'))).filter((name) => name.startsWith('wasm'))) {
    const command = `exec "${libraryFolder}/${loader}" --library-path "${libraryFolder}" "${prefix}/usr/bin/${tool}" "$@"`;
    await writeFile(join(wrappers, tool), `#!/bin/sh\n${command}\n`);
    await chmod(join(wrappers, tool), 0o755);
  }

  const settings = join(emscripten, '.emscripten');
  const text = await readFile(settings, 'utf8');
  const adapted = text.replace(/^BINARYEN_ROOT *=.*$/m, `BINARYEN_ROOT = '${prefix}/binaryen'`);
  if (adapted === text) throw new ExpectedError(`${settings} has no BINARYEN_ROOT line to adapt`);
  await writeFile(settings, adapted);
}
