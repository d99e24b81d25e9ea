// Fails on an include that goes up or sideways, or through a wall: node scripts/check_layers.mjs [root]
// The rooms and walls are those of the README's architecture section.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

// Bottom to top. A room includes itself and rooms of the floors below, never a neighbour on its own floor.
const floors = [
  ['base'],
  ['kernels', 'weights'],
  ['layers'],
  ['attention'],
  ['transformer', 'recurrent'],
  ['generation'],
  ['bindings'],
];
const floorOf = (room) => floors.findIndex((rooms) => rooms.includes(room));

const walls = [
  {
    // kernels/simd.h and kernels/int8_dot.h too: the build compiles only the kernels once for each kind of vector unit.
    header: /^(xsimd\/|kernels\/(simd|int8_dot)\.h$|.*(simd128|mmintrin|immintrin|arm_neon)\.h$)/,
    allowed: (file) => file.startsWith('src/kernels/'),
    rule: 'xsimd, vector intrinsics, kernels/simd.h and kernels/int8_dot.h only in src/kernels',
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

/** The room of a file: src/<room>/..., or bindings. */
const roomOf = (file) => (file.startsWith('src/') ? file.split('/')[1] : file.split('/')[0]);

function checkInclude(file, header, isQuoted) {
  const wall = walls.find((candidate) => candidate.header.test(header) && !candidate.allowed(file));
  if (wall) return wall.rule;
  const [from, to] = [roomOf(file), header.split('/')[0]];
  if (floorOf(from) === -1) return `${from} is no room of the house`;
  if (header.includes('..')) return 'an include names its file from src/ on';
  if (!header.includes('/') || floorOf(to) === -1) {
    // bindings/ is not searched by name: its files include each other as neighbours in one folder.
    return isQuoted && from !== 'bindings' ? 'an include names its file from src/ on' : undefined;
  }
  if (from === to || floorOf(to) < floorOf(from)) return undefined;
  return floorOf(to) === floorOf(from)
    ? `${from} and ${to} are neighbours: neither includes the other`
    : `${from} is below ${to}: no upward include`;
}

/** The page sees the package as anybody does. */
function checkImport(file, specifier) {
  const isInside = !specifier.startsWith('.') || posix.join(dirname(file), specifier).startsWith('web/');
  return isInside && !specifier.startsWith('transformer-wasm/')
    ? undefined
    : "web imports only the package's public entry, 'transformer-wasm'";
}

const kinds = [
  {
    folders: ['src', 'bindings'],
    name: /\.(h|cpp)$/,
    reference: /^\s*#\s*include\s*[<"]([^>"]+)[>"]/,
    check: checkInclude,
  },
  {
    folders: ['web'],
    name: /\.tsx?$/,
    reference: /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/,
    check: checkImport,
  },
];

/** Every violation under `root` as "file:line: rule". */
export function findViolations(root) {
  const violations = [];
  for (const { folders, name, reference, check } of kinds) {
    for (const folder of folders.filter((candidate) => existsSync(join(root, candidate)))) {
      const files = readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`);
      for (const file of files.filter((path) => name.test(path)).sort()) {
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .forEach((line, index) => {
            const target = line.match(reference)?.[1];
            const rule = target && check(file, target, line.includes('"'));
            if (rule) violations.push(`${file}:${index + 1}: ${line.trim()}\n    ${rule}`);
          });
      }
    }
  }
  return violations;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const violations = findViolations(root);
  for (const violation of violations) console.error(violation);
  console.log(
    violations.length === 0 ? 'Layers: every include goes down.' : `Layers: ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
