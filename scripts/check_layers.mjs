// Fails on an include or import that goes up or sideways, through a wall, or around in a circle:
// node scripts/check_layers.mjs [root]
// The rooms and walls are those of the README's architecture section.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCircles } from './lib/import_circles.mjs';

// From bottom to top. A room may use itself and the rooms on the floors below, but not its neighbours on the same floor. In
// TypeScript, a room is one folder of bindings/ without its subfolders.
const includeFloors = [
  ['base'],
  ['kernels'],
  ['matrices'],
  ['weights'],
  ['layers', 'positions', 'signal'],
  ['attention'],
  ['transformer', 'recurrent'],
  ['generation'],
  ['bindings'],
];
const importFloors = [
  ['values'],
  ['modules'],
  ['engine'],
  ['worker', 'files'],
  ['tokenizers', 'weights', 'generation/settings'],
  ['plans'],
  ['families'],
  ['checkpoint'],
  ['layers', 'signal'],
  ['insight'],
  ['generation'],
  ['tasks/speech'],
  ['tasks'],
  ['model'],
  ['cli'],
  ['index.ts', 'pipeline.ts'],
  ['inline.ts', 'vite.ts'],
];
/** The only room that imports each npm package. */
const packageRooms = {
  '@huggingface/jinja': 'tasks',
  '@huggingface/tokenizers': 'tokenizers',
  'wasm-feature-detect': 'modules',
};
const floorIn = (floors, room) => floors.findIndex((rooms) => rooms.includes(room));

const walls = [
  {
    // Also kernels/simd.h and the dot products: only the kernels are compiled once per instruction set.
    header:
      /^(xsimd\/|kernels\/(simd|panel_row|nibble_dot|int8_dot)\.h$|.*(simd128|mmintrin|immintrin|arm_neon)\.h$)/,
    allowed: (file) => file.startsWith('src/kernels/'),
    rule: 'xsimd, vector intrinsics, kernels/simd.h, kernels/panel_row.h, kernels/nibble_dot.h and kernels/int8_dot.h only in src/kernels',
  },
  {
    header: /^(thread|pthread\.h)$/,
    allowed: (file) => /^src\/base\/thread_pool\.(h|cpp)$/.test(file),
    rule: '<thread> only in src/base/thread_pool',
  },
  {
    header: /^emscripten/,
    allowed: (file) => file.startsWith('bindings/'),
    rule: 'Emscripten only in bindings',
  },
];

/** The rule that a step from one room to another breaks, if any. */
function checkStep(floors, [from, to], step) {
  const [begin, end] = [floorIn(floors, from), floorIn(floors, to)];
  if (from === to || end < begin) return undefined;
  return end === begin
    ? `${from} and ${to} are neighbours: neither ${step}s the other`
    : `${from} is below ${to}: no upward ${step}`;
}

/** The room of a C++ file: src/<room>/..., or bindings. */
const roomOf = (file) => (file.startsWith('src/') ? file.split('/')[1] : file.split('/')[0]);

function checkInclude(file, header, line) {
  const wall = walls.find((candidate) => candidate.header.test(header) && !candidate.allowed(file));
  if (wall) return wall.rule;
  const [from, to] = [roomOf(file), header.split('/')[0]];
  if (floorIn(includeFloors, from) === -1) return `${from} is not a room listed in scripts/check_layers.mjs`;
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

function checkModule(file, specifier) {
  const from = moduleRoomOf(file);
  if (floorIn(importFloors, from) === -1) return `${from} is not a room listed in scripts/check_layers.mjs`;
  const room = packageRooms[specifier];
  if (room !== undefined && room !== from) return `${specifier} only in ${room}`;
  const target = sourceOf(file, specifier);
  // The compiled engine, which exists beside these files only in dist.
  if (target === undefined || target.startsWith('bindings/wasm/')) return undefined;
  if (!target.startsWith('bindings/')) return 'the package imports nothing outside bindings';
  const to = moduleRoomOf(target);
  if (floorIn(importFloors, to) === -1) return `${to} is not a room listed in scripts/check_layers.mjs`;
  return checkStep(importFloors, [from, to], 'import');
}

/** The page uses the package as any other user does. */
function checkPage(file, specifier) {
  const isInside = !specifier.startsWith('.') || posix.join(dirname(file), specifier).startsWith('web/');
  return isInside && !specifier.startsWith('transformer-wasm/')
    ? undefined
    : "web imports only the package's public entry, 'transformer-wasm'";
}

/** The file behind a relative import; imports in TypeScript name the compiled JavaScript file. */
const sourceOf = (file, specifier) =>
  specifier.startsWith('.') ? posix.join(dirname(file), specifier).replace(/\.js$/, '.ts') : undefined;

// Matches single lines: an import over several lines names its file in the last one. Type imports count like any other.
const importedFile = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/;

const kinds = [
  {
    folders: ['src', 'bindings'],
    name: /\.(h|cpp)$/,
    reference: /^\s*#\s*include\s*[<"]([^>"]+)[>"]/,
    check: checkInclude,
  },
  { folders: ['bindings'], name: /\.ts$/, reference: importedFile, check: checkModule, sourceOf },
  { folders: ['web'], name: /\.tsx?$/, reference: importedFile, check: checkPage, sourceOf },
];

/** Every include or import in the files of one kind: { file, line: its number, text, target }. */
function referencesIn(root, { folders, name, reference }) {
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => name.test(path));
  return files.sort().flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, index) => ({
        file,
        line: index + 1,
        text: text.trim(),
        target: text.match(reference)?.[1],
      }))
      .filter(({ target }) => target !== undefined),
  );
}

/** Every violation under `root` as "file:line: rule". */
export function findViolations(root) {
  const violations = [];
  for (const kind of kinds) {
    const references = referencesIn(root, kind);
    const violate = ({ file, line, text }, rule) => violations.push(`${file}:${line}: ${text}\n    ${rule}`);
    for (const reference of references) {
      const rule = kind.check(reference.file, reference.target, reference.text);
      if (rule) violate(reference, rule);
    }
    if (!kind.sourceOf) continue;
    const graph = new Map();
    for (const { file, target } of references)
      graph.set(file, [...(graph.get(file) ?? []), kind.sourceOf(file, target)]);
    for (const circle of findCircles(graph)) {
      const [from, to] = circle.slice(-2);
      const closing = references.find(
        ({ file, target }) => file === from && kind.sourceOf(file, target) === to,
      );
      violate(closing, `files import each other in a circle: ${circle.join(' -> ')}`);
    }
  }
  return violations;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const violations = findViolations(root);
  for (const violation of violations) console.error(violation);
  console.log(
    violations.length === 0
      ? 'Layers: every include and import goes down.'
      : `Layers: ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
