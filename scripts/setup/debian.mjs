// Debian packages: what is missing, and installing it where this account may.

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ExpectedError, run, step } from '../lib/console.mjs';

/** The first of `names` that is a program on PATH, as a full path. */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

const program = (...names) => ({ describes: names[0], isThere: () => findProgram(...names) !== undefined });
const file = (...paths) => ({ describes: paths[0], isThere: () => paths.some((path) => existsSync(path)) });

// Debian's clang has it in a package of its own; elsewhere it comes with clang.
const hasCompilerRuntime = () => !isDebianLike() || existsSync('/usr/lib/llvm-19/lib/clang/19/lib');

// Another version breaks lines in other places, but where Debian's packages are not to be had it is better than none.
const hasClangFormat = () =>
  program('clang-format-19', ...(isDebianLike() ? [] : ['clang-format'])).isThere();

// Each Debian package with what shows that it, or its like on another system, is there. Files are looked at and not the
// package database: it is faster, and a cmake from elsewhere is as good.
const build = {
  cmake: program('cmake'),
  'ninja-build': program('ninja'),
};

// Debian 13's Emscripten, which the wasm toolchain is made of, wants exactly LLVM 19.
const llvm = {
  'clang-19': program('clang-19'),
  'lld-19': program('wasm-ld-19'),
  'llvm-19': program('llvm-ar-19'),
};

const packageGroups = {
  native: {
    ...build,
    'g++': program('g++', 'c++'),
    'libgtest-dev': file(
      '/usr/include/gtest/gtest.h',
      '/usr/local/include/gtest/gtest.h',
      '/opt/homebrew/include/gtest/gtest.h',
    ),
    'libgmock-dev': file(
      '/usr/include/gmock/gmock.h',
      '/usr/local/include/gmock/gmock.h',
      '/opt/homebrew/include/gmock/gmock.h',
    ),
    'nlohmann-json3-dev': file(
      '/usr/include/nlohmann/json.hpp',
      '/usr/local/include/nlohmann/json.hpp',
      '/opt/homebrew/include/nlohmann/json.hpp',
    ),
  },
  // AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer, as clang has them.
  sanitizers: {
    'clang-19': program('clang++-19', 'clang++'),
    'libclang-rt-19-dev': { describes: "clang's compiler-rt", isThere: hasCompilerRuntime },
  },
  wasm: { ...build, python3: program('python3') },
  wasmToolchain: {
    ...build,
    ...llvm,
    python3: program('python3'),
    'debian-archive-keyring': file('/usr/share/keyrings/debian-archive-keyring.gpg'),
    'ca-certificates': file('/etc/ssl/certs/ca-certificates.crt'),
  },
  format: { 'clang-format-19': { describes: 'clang-format-19', isThere: hasClangFormat } },
  // What others know of French, for the tests of the training sentences' grammar.
  grammar: {
    hunspell: program('hunspell'),
    'hunspell-fr': file('/usr/share/hunspell/fr_FR.dic', '/opt/homebrew/share/hunspell/fr_FR.dic'),
    verbiste: program('french-conjugator'),
  },
  browser: { chromium: program('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') },
};

export function missingPackages(groups) {
  const missing = groups.flatMap((group) =>
    Object.entries(packageGroups[group])
      .filter(([, sign]) => !sign.isThere())
      .map(([name]) => name),
  );
  return [...new Set(missing)];
}

export function osRelease() {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
    return Object.fromEntries(
      lines.filter((line) => line.includes('=')).map((line) => line.replaceAll('"', '').split('=')),
    );
  } catch {
    return {};
  }
}

export const isDebianLike = () =>
  /\b(debian|ubuntu)\b/.test(`${osRelease().ID} ${osRelease().ID_LIKE}`) &&
  findProgram('apt-get') !== undefined;

/** Options for a network that drops a connection, and for another apt that holds the lock. */
export const aptPatience = ['-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300'];

/** The words that make a command run as root: none for root, `sudo -n` where that works without a password. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (findProgram('sudo')) {
    try {
      await run('sudo', ['-n', 'true']);
      return ['sudo', '-n'];
    } catch {
      // sudo would ask for a password; nobody may be there to type it.
    }
  }
  return undefined;
}

/** Makes sure that the packages of these groups are there, installing them where this account may. */
export async function ensurePackages(groups) {
  const missing = missingPackages(groups);
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const signs = missing.map(
    (name) => `${name} (${groups.map((group) => packageGroups[group][name]).find(Boolean).describes})`,
  );
  if (!isDebianLike()) {
    throw new ExpectedError(
      `These are missing, by their Debian names and what was looked for:\n  ${signs.join('\n  ')}\n` +
        'Install their like with the package manager of this system, and run this again.',
    );
  }
  const asRoot = await rootPrefix();
  if (asRoot === undefined) {
    throw new ExpectedError(
      `Debian packages are missing, and this account may not install them. As root, run:\n  ${install}`,
    );
  }
  const [command, ...prefix] = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    ...aptPatience,
  ];
  await step('Reading the list of Debian packages', () => run(command, [...prefix, 'update']));
  await step(`Installing ${missing.join(' ')}`, () =>
    run(command, [...prefix, 'install', '-y', '--no-install-recommends', ...missing]),
  );
  const still = missingPackages(groups);
  if (still.length > 0) throw new ExpectedError(`Installed, but still not found: ${still.join(' ')}`);
}
