// Fails on an include or import that goes up or sideways, through a wall, or around in a circle, on a package that is not
// listed, and on a function that is too long or has too many parameters: node scripts/check_layers.mjs [root]
// The rooms, walls and rules are those of .github/CONTRIBUTING.md.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFunctions } from './lib/functions.mjs';
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
  ['checkpoint/gguf'],
  ['checkpoint'],
  ['layers', 'signal'],
  ['insight'],
  ['generation'],
  ['texts'],
  ['markup'],
  ['documents', 'live'],
  ['tasks/speech', 'tasks/jinja'],
  ['tasks'],
  ['model'],
  ['translator'],
  ['cli'],
  ['index.ts', 'pipeline.ts', 'en_fr.ts', 'digits.ts'],
  ['inline.ts', 'vite.ts', 'translator.ts', 'documents.ts'],
];
// The rooms of the page; NAME stands for every view, and views do not know each other.
const pageFloors = [
  ['drawing', 'selection'],
  ['reading'],
  ['page'],
  ['stage', 'tour'],
  ['views/NAME'],
  ['views'],
  ['main.ts', 'gallery', 'speed'],
];
/** The only room that imports each npm package. */
const packageRooms = {
  '@huggingface/tokenizers': 'tokenizers',
  'wasm-feature-detect': 'modules',
  parse5: 'markup',
  'eld/small': 'translator',
  mdast: 'documents',
  'mdast-util-from-markdown': 'documents',
  'mdast-util-gfm': 'documents',
  'micromark-extension-gfm': 'documents',
};
const floorIn = (floors, room) =>
  floors.findIndex((rooms) => rooms.includes(room) || rooms.includes(`${posix.dirname(room)}/NAME`));

/**
 * C++ units, a header and its source, that know each other: a search, a decoder and its designs, whose interface and whose
 * choice among them stand in one unit, and attention with its disentangled terms.
 */
const knownCircles = [
  ['src/attention/disentangled', 'src/attention/multi_head'],
  ['src/generation/beam_search', 'src/generation/sampler', 'src/generation/search'],
  ['src/recurrent/bahdanau_decoder', 'src/recurrent/decoder', 'src/recurrent/luong_decoder'],
];

/** The most parameters of a function, and its most lines, by folder. */
const mostParameters = 5;
const mostLines = [
  { folder: 'src/', lines: 60 },
  { folder: 'web/', lines: 50 },
];

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

function checkModule(file, specifier, line) {
  const from = moduleRoomOf(file);
  if (floorIn(importFloors, from) === -1) return `${from} is not a room listed in scripts/check_layers.mjs`;
  const room = packageRooms[specifier];
  if (room !== undefined && room !== from) return `${specifier} only in ${room}`;
  const target = sourceOf(file, specifier);
  // Not in comments and messages, which name packages too.
  const isImport = /^(import|export|\})|\bimport\(/.test(line);
  if (isImport && target === undefined && room === undefined && !/^(node|inline):/.test(specifier))
    return `${specifier} is not a package listed in scripts/check_layers.mjs`;
  // The compiled engine, which exists beside these files only in dist.
  if (target === undefined || target.startsWith('bindings/wasm/')) return undefined;
  if (!target.startsWith('bindings/')) return 'the package imports nothing outside bindings';
  const to = moduleRoomOf(target);
  if (floorIn(importFloors, to) === -1) return `${to} is not a room listed in scripts/check_layers.mjs`;
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
    return /^(transformer-wasm$|virtual:)/.test(specifier)
      ? undefined
      : "web imports only the package's public entry, 'transformer-wasm', and no other package";
  if (!target.startsWith('web/')) return "web imports only the package's public entry, 'transformer-wasm'";
  const [from, to] = [pageRoomOf(file), pageRoomOf(target)];
  for (const room of [from, to])
    if (floorIn(pageFloors, room) === -1) return `${room} is not a room listed in scripts/check_layers.mjs`;
  return checkStep(pageFloors, [from, to], 'import');
}

/** web's build stands on scripts: scripts read the page's files, but import none of them. */
function checkScript(file, specifier) {
  const isOfScripts = file.startsWith('scripts/');
  if (isOfScripts && sourceOf(file, specifier)?.startsWith('web/'))
    return 'scripts is below web: no upward import';
  return undefined;
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
  { folders: ['web/src'], name: /\.tsx?$/, reference: importedFile, check: checkPage, sourceOf },
  {
    folders: ['scripts', 'web'],
    name: /^(?!.*node_modules)(scripts|web)\/.*\.mjs$/,
    reference: /^(?:import\b|export\b|\}).*\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/,
    check: checkScript,
    sourceOf,
  },
];

const filesIn = (root, folders, name) =>
  folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => name.test(path))
    .sort();

/** Every include or import in the files of one kind: { file, line: its number, text, target }. */
function referencesIn(root, { folders, name, reference }) {
  return filesIn(root, folders, name).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, index) => ({
        file,
        line: index + 1,
        text: text.trim(),
        target: text.match(reference)?.slice(1).find(Boolean),
      }))
      .filter(({ target }) => target !== undefined),
  );
}

/** The circles of files, as files:line of what closes each. */
function findFileCircles(references, { sourceOf }) {
  const graph = new Map();
  for (const { file, target } of references)
    graph.set(file, [...(graph.get(file) ?? []), sourceOf(file, target)]);
  return findCircles(graph).map((circle) => {
    const [from, to] = circle.slice(-2);
    const closing = references.find(({ file, target }) => file === from && sourceOf(file, target) === to);
    return violation(closing, `files import each other in a circle: ${circle.join(' -> ')}`);
  });
}

/** The circles of C++ units, which are no circles of files: a.cpp includes b.h, and b.cpp includes a.h. */
function findUnitCircles(references) {
  const unitOf = (file) => file.replace(/\.(h|cpp)$/, '');
  const graph = new Map();
  for (const { file, target } of references) {
    const [from, to] = [unitOf(file), `src/${unitOf(target)}`];
    if (from !== to) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  const isKnown = (circle) => knownCircles.some((known) => circle.every((unit) => known.includes(unit)));
  return findCircles(graph)
    .filter((circle) => !isKnown(circle))
    .map((circle) => {
      const [from, to] = circle.slice(-2);
      const closing = references.find(
        ({ file, target }) => unitOf(file) === from && `src/${unitOf(target)}` === to,
      );
      return violation(closing, `units include each other in a circle: ${circle.join(' -> ')}`);
    });
}

/** Functions that are too long, or have too many parameters. */
function findUnwieldy(root) {
  const files = [
    ...filesIn(root, ['src', 'bindings', 'web/src', 'scripts'], /^(?!.*node_modules).*\.(h|cpp|ts|mjs)$/),
  ].filter((file) => !file.endsWith('.d.ts'));
  return files.flatMap((file) => {
    const { lines: most = Number.POSITIVE_INFINITY } =
      mostLines.find(({ folder }) => file.startsWith(folder)) ?? {};
    return findFunctions(file, readFileSync(join(root, file), 'utf8')).flatMap(
      ({ name, line, lines, parameters }) => [
        ...(parameters > mostParameters
          ? [violation({ file, line, text: name }, `${parameters} parameters, of at most ${mostParameters}`)]
          : []),
        ...(lines > most
          ? [violation({ file, line, text: name }, `${lines} lines, of at most ${most}`)]
          : []),
      ],
    );
  });
}

const violation = ({ file, line, text }, rule) => `${file}:${line}: ${text}\n    ${rule}`;

/** Every violation under `root` as "file:line: rule". */
export function findViolations(root) {
  const violations = kinds.flatMap((kind) => {
    const references = referencesIn(root, kind);
    const steps = references.flatMap((reference) => {
      const rule = kind.check(reference.file, reference.target, reference.text);
      return rule ? [violation(reference, rule)] : [];
    });
    const circles = kind.sourceOf ? findFileCircles(references, kind) : findUnitCircles(references);
    return [...steps, ...circles];
  });
  return [...violations, ...findUnwieldy(root)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const violations = findViolations(root);
  for (const violation of violations) console.error(violation);
  console.log(
    violations.length === 0
      ? 'Layers: every include and import goes down, every function is short.'
      : `Layers: ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
