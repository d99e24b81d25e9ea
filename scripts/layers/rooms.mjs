// The rooms of .github/CONTRIBUTING.md and the walls between them, as tables.

import { posix } from 'node:path';

// From bottom to top. A room may use itself and the rooms on the floors below, but not its neighbours on the same floor. In
// TypeScript, a room is one folder of bindings/ without its subfolders.
export const includeFloors = [
  ['base'],
  ['kernels'],
  ['matrices'],
  ['weights'],
  ['layers', 'positions', 'signal'],
  ['attention'],
  ['transformer', 'recurrent'],
  ['generation', 'training'],
  ['bindings'],
];
export const importFloors = [
  ['values', 'jinja'],
  ['modules'],
  ['engine'],
  ['worker', 'files'],
  ['tokenizers', 'weights', 'generation/settings', 'grammar'],
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
  ['tasks/speech'],
  ['tasks'],
  ['tools', 'model'],
  ['translator', 'training'],
  ['cli'],
  ['index.ts', 'pipeline.ts', 'en_fr.ts', 'digits.ts'],
  ['inline.ts', 'vite.ts', 'translator.ts', 'documents.ts', 'tools.ts', 'train.ts'],
];
// The rooms of the page; NAME stands for every view, and views do not know each other.
export const pageFloors = [
  ['words'],
  ['drawing', 'selection'],
  ['reading'],
  ['page'],
  ['stage', 'tour', 'workbench'],
  ['views/NAME'],
  ['views'],
  ['main.ts', 'gallery', 'speed', 'proof'],
];
/** The only room that imports each npm package. */
export const packageRooms = {
  'wasm-feature-detect': 'modules',
  parse5: 'markup',
  entities: 'markup',
  'eld/small': 'translator',
  mediabunny: 'signal',
  '@lezer/common': 'documents',
  '@lezer/markdown': 'documents',
  '@formatjs/icu-messageformat-parser': 'documents',
  'jsonc-parser': 'documents',
  yaml: 'documents',
};

/**
 * Products beside the house, each with its package.json, README and tests. Others import only their entries; one on which others
 * stand imports nothing from outside of it.
 */
export const workspaces = [
  { folder: 'bindings/jinja', entries: ['index.ts'], isAlone: true },
  { folder: 'scripts/bench', entries: ['main.mjs'] },
  { folder: 'scripts/matrix', entries: ['index.mjs'] },
  { folder: 'scripts/train', entries: ['adder/task.mjs', 'adder/evaluate.mjs'] },
];

/** The rule that an import between two files breaks, because of a workspace that one of them is in. */
export function checkWorkspaces(file, target) {
  const homeOf = (path) => workspaces.find(({ folder }) => path.startsWith(`${folder}/`));
  const [from, to] = [homeOf(file), homeOf(target)];
  if (to && to !== from && !to.entries.some((entry) => target === `${to.folder}/${entry}`))
    return `${to.folder} is a workspace: others import ${to.entries.join(', ') || 'nothing'} of it, and no more`;
  if (from?.isAlone && to !== from)
    return `${from.folder} is a workspace that imports nothing from outside of it`;
  return undefined;
}

/** Headers that only some files may include. */
export const walls = [
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

/** The floor of a room, counted from the ground; -1 for one that is not listed. */
export const floorIn = (floors, room) =>
  floors.findIndex((rooms) => rooms.includes(room) || rooms.includes(`${posix.dirname(room)}/NAME`));

/** The rule that a step from one room to another breaks, if any. */
export function checkStep(floors, [from, to], step) {
  const [begin, end] = [floorIn(floors, from), floorIn(floors, to)];
  if (from === to || end < begin) return undefined;
  return end === begin
    ? `${from} and ${to} are neighbours: neither ${step}s the other`
    : `${from} is below ${to}: no upward ${step}`;
}
