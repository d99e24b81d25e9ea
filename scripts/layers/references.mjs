// The rules of includes and imports, by the kind of file.

import { dirname, posix } from 'node:path';
import {
  checkStep,
  checkWorkspaces,
  floorIn,
  importFloors,
  includeFloors,
  packageRooms,
  pageFloors,
  walls,
} from './rooms.mjs';

/** The room of a C++ file: src/<room>/..., or bindings. */
const roomOf = (file) => (file.startsWith('src/') ? file.split('/')[1] : file.split('/')[0]);

function checkInclude(file, header, line) {
  const wall = walls.find((candidate) => candidate.header.test(header) && !candidate.allowed(file));
  if (wall) return wall.rule;
  const [from, to] = [roomOf(file), header.split('/')[0]];
  if (floorIn(includeFloors, from) === -1) return `${from} is not a room listed in scripts/layers/rooms.mjs`;
  if (header.includes('..')) return 'an include names its file from src/ on';
  if (!header.includes('/') || floorIn(includeFloors, to) === -1) {
    // bindings/ is not searched by name: its files include each other as neighbours in one folder.
    return line.includes('"') && from !== 'bindings' ? 'an include names its file from src/ on' : undefined;
  }
  return checkStep(includeFloors, [from, to], 'include');
}

/** The room of a TypeScript file in bindings/: its folder. cli.ts, where the command line starts, belongs to cli. */
function moduleRoomOf(file) {
  const path = posix.relative('bindings', file);
  if (path === 'cli.ts') return 'cli';
  return path.includes('/') ? posix.dirname(path) : path;
}

function checkModule(file, specifier, line) {
  const from = moduleRoomOf(file);
  if (floorIn(importFloors, from) === -1) return `${from} is not a room listed in scripts/layers/rooms.mjs`;
  const room = packageRooms[specifier];
  if (room !== undefined && room !== from) return `${specifier} only in ${room}`;
  const target = sourceOf(file, specifier);
  // Not in comments and messages, which name packages too.
  const isImport = /^(import|export|\})|\bimport\(/.test(line);
  if (isImport && target === undefined && room === undefined && !/^(node|inline):/.test(specifier))
    return `${specifier} is not a package listed in scripts/layers/rooms.mjs`;
  // The compiled engine, which exists beside these files only in dist.
  if (target === undefined || target.startsWith('bindings/wasm/')) return undefined;
  if (!target.startsWith('bindings/')) return 'the package imports nothing outside bindings';
  const broken = checkWorkspaces(file, target);
  if (broken) return broken;
  const to = moduleRoomOf(target);
  if (floorIn(importFloors, to) === -1) return `${to} is not a room listed in scripts/layers/rooms.mjs`;
  return checkStep(importFloors, [from, to], 'import');
}

/** The room of a file in web/src: its folder. */
function pageRoomOf(file) {
  const path = posix.relative('web/src', file);
  return path.includes('/') ? posix.dirname(path) : path;
}

/** The page uses the package as any other user does, and stands on nothing else. */
function checkPage(file, specifier) {
  const target = sourceOf(file, specifier);
  if (target === undefined)
    return /^(transformer-wasm(\/train)?$|virtual:)/.test(specifier)
      ? undefined
      : "web imports only the package's public entry, 'transformer-wasm', and no other package";
  if (!target.startsWith('web/')) return "web imports only the package's public entry, 'transformer-wasm'";
  const [from, to] = [pageRoomOf(file), pageRoomOf(target)];
  for (const room of [from, to])
    if (floorIn(pageFloors, room) === -1) return `${room} is not a room listed in scripts/layers/rooms.mjs`;
  return checkStep(pageFloors, [from, to], 'import');
}

/** web's build stands on scripts: scripts read the page's files, but import none of them. */
function checkScript(file, specifier) {
  const target = sourceOf(file, specifier);
  if (target === undefined) return undefined;
  if (file.startsWith('scripts/') && target.startsWith('web/'))
    return 'scripts is below web: no upward import';
  return checkWorkspaces(file, target);
}

/** The file behind a relative import; imports in TypeScript name the compiled JavaScript file. */
const sourceOf = (file, specifier) =>
  specifier.startsWith('.') ? posix.join(dirname(file), specifier).replace(/\.js$/, '.ts') : undefined;

// Matches single lines: an import over several lines names its file in the last one. Type imports count like any other.
const importedFile = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/;

/** Where files of a kind are, how they refer to others, and which rule a reference breaks. */
export const kinds = [
  {
    folders: ['src', 'bindings'],
    name: /\.(h|cpp)$/,
    reference: /^\s*#\s*include\s*[<"]([^>"]+)[>"]/,
    check: checkInclude,
  },
  {
    folders: ['bindings'],
    name: /\.ts$/,
    reference: importedFile,
    check: checkModule,
    sourceOf,
    hasSmallFiles: true,
  },
  { folders: ['web/src'], name: /\.tsx?$/, reference: importedFile, check: checkPage, sourceOf },
  {
    folders: ['scripts', 'tests', 'web'],
    name: /^(?!.*node_modules)(scripts|tests|web)\/.*\.mjs$/,
    reference: /^(?:import\b|export\b|\}).*\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/,
    check: checkScript,
    sourceOf,
  },
];
