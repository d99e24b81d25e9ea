// The versions of what is linked into the engine, as the folder of its build leads to them: those of the toolchain that made it.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The first match in the first of the files that is there. */
function found(files, pattern) {
  const file = files.find((path) => existsSync(path));
  return file && pattern.exec(readFileSync(file, 'utf8'))?.[1];
}

/** Where xsimd's header is, seen from the folder of its package for CMake or of its sources. */
function headersOfXsimd(folder) {
  const above = [folder];
  while (dirname(above[0]) !== above[0]) above.unshift(dirname(above[0]));
  return above.toReversed().map((each) => join(each, 'include/xsimd/config/xsimd_config.hpp'));
}

function xsimdVersion(folder) {
  const part = (name) => found(headersOfXsimd(folder), new RegExp(`XSIMD_VERSION_${name} (\\d+)`));
  const parts = ['MAJOR', 'MINOR', 'PATCH'].map(part);
  return parts.every(Boolean) ? parts.join('.') : undefined;
}

/**
 * @param build the folder of CMake's build, `build/wasm`
 * @returns versions by the names of `engineParts`; empty where the engine was built elsewhere
 */
export function linkedVersions(build) {
  const settings = join(build, 'CMakeCache.txt');
  if (!existsSync(settings)) return {};
  const text = readFileSync(settings, 'utf8');
  const value = (name) => new RegExp(`^${name}:\\w+=(.*)$`, 'm').exec(text)?.[1] ?? '';
  // emscripten/cmake/Modules/Platform/Emscripten.cmake
  const emscripten = join(dirname(value('CMAKE_TOOLCHAIN_FILE')), '../../..');
  const system = (path) => [join(emscripten, 'system/lib', path)];
  const xsimd = value('xsimd_DIR');
  const versions = {
    xsimd: xsimdVersion(xsimd && !xsimd.endsWith('NOTFOUND') ? xsimd : value('xsimd_SOURCE_DIR')),
    emscripten: found([join(emscripten, 'emscripten-version.txt')], /(\d+\.\d+\.\d+)/),
    musl: found(system('libc/musl/VERSION'), /(\d+\.\d+\.\d+)/),
    llvm: found(system('libcxx/readme.txt'), /release (\d+\.\d+\.\d+)/),
    dlmalloc: found(system('dlmalloc.c'), /Version (\d+\.\d+\.\d+)/),
  };
  return Object.fromEntries(Object.entries(versions).filter(([, version]) => version));
}
