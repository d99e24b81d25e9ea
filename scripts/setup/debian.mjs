// Debian packages: finds what is missing and installs it if this account is allowed to.

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ExpectedError, run, step } from '../lib/console.mjs';

/** The full path of the first of `names` that is on the PATH. */
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

// A separate package in Debian; elsewhere it comes with clang.
const hasCompilerRuntime = () => !isDebianLike() || existsSync('/usr/lib/llvm-19/lib/clang/19/lib');

// Other versions break lines differently, but outside Debian one of them is better than none.
const hasClangFormat = () =>
  program('clang-format-19', ...(isDebianLike() ? [] : ['clang-format'])).isThere();

// For each Debian package, how to tell that it or its equivalent is installed. This checks for files rather than querying the
// package database: it is faster, and a cmake from elsewhere is just as good.
const build = {
  cmake: program('cmake'),
  'ninja-build': program('ninja'),
};

// The wasm toolchain is Debian 13's Emscripten, which requires exactly LLVM 19.
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
  // For clang's AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer.
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
  // Runs the command line as a filter in several processes.
  parallel: { parallel: program('parallel') },
  browser: { chromium: program('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') },
  // The driver comes with the browser that it drives; xvfb is a screen for it.
  otherBrowsers: {
    'firefox-esr': program('firefox-esr', 'firefox'),
    'webkit2gtk-driver': program('WebKitWebDriver'),
    xvfb: program('xvfb-run'),
  },
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

/** Tolerates dropped connections, and waits if another apt holds the lock. */
export const aptPatience = ['-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300'];

/** The prefix that runs a command as root: empty for root, `sudo -n` if that works without a password. */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (findProgram('sudo')) {
    try {
      await run('sudo', ['-n', 'true']);
      return ['sudo', '-n'];
    } catch {
      // sudo would ask for a password, and there may be nobody to type it.
    }
  }
  return undefined;
}

/** Installs the missing packages of these groups, if this account is allowed to. */
export async function ensurePackages(groups) {
  const missing = missingPackages(groups);
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const signs = missing.map(
    (name) => `${name} (${groups.map((group) => packageGroups[group][name]).find(Boolean).describes})`,
  );
  if (!isDebianLike()) {
    throw new ExpectedError(
      `These packages are missing (Debian's names, and what was looked for):\n  ${signs.join('\n  ')}\n` +
        "Install their equivalents with this system's package manager, then try again.",
    );
  }
  const asRoot = await rootPrefix();
  if (asRoot === undefined) {
    throw new ExpectedError(
      `Debian packages are missing, and this account is not allowed to install them. Run as root:\n  ${install}`,
    );
  }
  const [command, ...prefix] = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    ...aptPatience,
  ];
  await step('Updating the list of Debian packages', () => run(command, [...prefix, 'update']));
  await step(`Installing ${missing.join(' ')}`, () =>
    run(command, [...prefix, 'install', '-y', '--no-install-recommends', ...missing]),
  );
  const still = missingPackages(groups);
  if (still.length > 0) throw new ExpectedError(`Installed, but still not found: ${still.join(' ')}`);
}
