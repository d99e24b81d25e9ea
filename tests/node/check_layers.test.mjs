// The layer check must find every kind of violation, and accept everything that is allowed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findViolations } from '../../scripts/check_layers.mjs';

const script = fileURLToPath(new URL('../../scripts/check_layers.mjs', import.meta.url));

/** A folder of the files given as { path: content }, for `work`. */
function inTree(tree, work) {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  try {
    for (const [path, content] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** What the check finds in a tree, as text. */
const check = (tree) => inTree(tree, findViolations).join('\n');

test('a violation is told, and fails', () => {
  const { status, stderr } = inTree({ 'bindings/loose.ts': "import './values/errors.js';" }, (root) =>
    spawnSync(process.execPath, [script, root], { encoding: 'utf8' }),
  );
  assert.equal(status, 1);
  assert.match(stderr, /loose\.ts is not a room listed/);
});

test('a valid tree passes', () => {
  const result = check({
    'src/base/thread_pool.cpp': '#include "base/thread_pool.h"\n#include <thread>\n',
    'src/kernels/simd.h': '#include <wasm_simd128.h>\n#include <xsimd/xsimd.hpp>\n#include "base/error.h"\n',
    'src/layers/linear.cpp':
      '#include <sys/types.h>\n#include "kernels/gemm.h"\n#include "weights/weights.h"\n',
    'bindings/bindings.cpp':
      '#include <emscripten/bind.h>\n#include "convert.h"\n#include "generation/sampler.h"\n',
    'bindings/index.ts': "export { translate } from './model/translate.js';\n",
    'bindings/cli.ts': "import { help } from './cli/help.js';\n",
    'bindings/cli/help.ts': "import type { fail } from '../values/errors.js';\n",
    'bindings/model/model.ts':
      "import type { Chat } from '../tasks/chat.js';\nconst { chat } = await import('../tasks/chat.js');\n",
    'bindings/tasks/chat.ts': "import { read } from '../generation/read.js';\n",
    'bindings/generation/translate.ts':
      "import { read } from './read.js';\nimport { plan } from '../checkpoint/plan.js';\n",
    'bindings/checkpoint/plan.ts': "import {\n  bert,\n} from '../families/bert.js';\n",
    'bindings/families/bert.ts': "import { bertWords } from '../tokenizers/kinds.js';\n",
    'bindings/modules/features.ts': "import { simd } from 'wasm-feature-detect';\n",
    'bindings/modules/module.ts': "const glue = await import('../wasm/transformer-simd.mjs');\n",
    'web/src/main.ts':
      "import { loadModel } from 'transformer-wasm';\nimport made from 'virtual:first-readings';\nimport { views } from './views/index.js';\n",
    'web/src/views/index.ts':
      "import { read } from '../reading/read.js';\nawait import('./heads/heads.js');\n",
    'web/src/views/heads/heads.ts':
      "import { Wall } from '../../stage/wall.js';\nimport { a } from './a.js';\n",
    'web/vite.config.mjs': "import { plugin } from '../scripts/plugin.mjs';\n",
    'src/base/five.cpp':
      'int five(int a, std::map<int, int> b, int c = max(1, 2), int d = {1, 2}, int e = 0) {}\n',
  });
  assert.equal(result, '');
});

const violations = {
  'an upward include': ['src/base/tensor.h', '#include "layers/linear.h"', /below layers/],
  'an include of the bindings': ['src/generation/beam.h', '#include "bindings/convert.h"', /below bindings/],
  'a sideways include': ['src/signal/fourier.cpp', '#include "layers/linear.h"', /neighbours/],
  'a relative include': ['src/layers/linear.cpp', '#include "../generation/beam.h"', /from src\/ on/],
  'an include by its bare name': ['src/layers/linear.cpp', '#include "norm.h"', /from src\/ on/],
  'an unknown room': ['src/cellar/wine.cpp', '#include "base/error.h"', /cellar is not a room listed/],
  'xsimd outside of the kernels': [
    'src/layers/norm.cpp',
    '#include <xsimd/xsimd.hpp>',
    /only in src\/kernels/,
  ],
  'intrinsics outside of the kernels': [
    'src/base/tensor.cpp',
    '#include <immintrin.h>',
    /only in src\/kernels/,
  ],
  "the kernels' vectors outside of them": [
    'src/layers/norm.cpp',
    '#include "kernels/simd.h"',
    /only in src\/kernels/,
  ],
  'a thread outside of the pool': ['src/generation/beam.cpp', '#  include <thread>', /thread_pool/],
  'Emscripten in the engine': ['src/base/error.cpp', '#include <emscripten/val.h>', /only in bindings/],
  'an upward import': [
    'bindings/engine/host.ts',
    "import { plan } from '../checkpoint/plan.js';",
    /engine is below checkpoint: no upward import/,
  ],
  'an upward import of a type': [
    'bindings/weights/shards.ts',
    "import type { Bert } from '../families/bert.js';",
    /weights is below families/,
  ],
  'an upward import over several lines': [
    'bindings/model/model.ts',
    "} from '../cli/help.js';",
    /model is below cli/,
  ],
  'an upward import of the table of contents': [
    'bindings/cli/help.ts',
    "import { loadModel } from '../index.js';",
    /cli is below index/,
  ],
  'an upward import that is lazy': [
    'bindings/generation/translate.ts',
    "const { chat } = await import('../tasks/chat.js');",
    /generation is below tasks/,
  ],
  'a sideways import': [
    'bindings/weights/shards.ts',
    "export { read } from '../tokenizers/read_tokenizer.js';",
    /neighbours: neither imports/,
  ],
  'an import of a workspace beside its entry': [
    'bindings/tasks/chat_template.ts',
    "import { render } from '../jinja/render.js';",
    /bindings\/jinja is a workspace: others import index\.ts of it, and no more/,
  ],
  'an import of a workspace that stands alone': [
    'bindings/jinja/render.ts',
    "import { fail } from '../values/errors.js';",
    /bindings\/jinja is a workspace that imports nothing from outside of it/,
  ],
  'an import of a part of the bench': [
    'tests/node/a.test.mjs',
    "import { readRecords } from '../../scripts/bench/numbers.mjs';",
    /scripts\/bench is a workspace: others import main\.mjs of it, and no more/,
  ],
  'an import of the training': [
    'scripts/lib/a.mjs',
    "import { a } from '../train/a.mjs';",
    /scripts\/train is a workspace: others import adder\/task\.mjs, adder\/evaluate\.mjs of it, and no more/,
  ],
  'an import of an unknown room': [
    'bindings/model/model.ts',
    "import { wine } from '../cellar/wine.js';",
    /cellar is not a room listed/,
  ],
  'a file of the package in an unknown room': [
    'bindings/cellar/wine.ts',
    "import { fail } from '../values/errors.js';",
    /cellar is not a room listed/,
  ],
  'a file outside of the rooms': [
    'bindings/loose.ts',
    "import './values/errors.js';",
    /loose\.ts is not a room listed/,
  ],
  'a library outside of its room': [
    'bindings/families/bert.ts',
    "import { simd } from 'wasm-feature-detect';",
    /only in modules/,
  ],
  'the package looking outside': [
    'bindings/model/model.ts',
    "import { draw } from '../../web/src/draw.js';",
    /nothing outside bindings/,
  ],
  'a package that is not listed': [
    'bindings/model/model.ts',
    "import { merge } from 'lodash';",
    /lodash is not a package listed/,
  ],
  'the page looking inside': [
    'web/src/main.ts',
    "import { x } from '../../bindings/index.js';",
    /public entry/,
  ],
  'the page loading a part': [
    'web/src/main.ts',
    "await import('transformer-wasm/wasm/a.mjs');",
    /public entry/,
  ],
  'the page with a package': ['web/src/main.ts', "import { merge } from 'lodash';", /no other package/],
  'an upward import in the page': [
    'web/src/reading/reader.ts',
    "import { Stage } from '../stage/stage.js';",
    /reading is below stage: no upward import/,
  ],
  'a view that knows another one': [
    'web/src/views/masks/masks.ts',
    "import { Heads } from '../heads/heads.js';",
    /neighbours: neither imports/,
  ],
  'a loose file of the page': [
    'web/src/loose.ts',
    "import { make } from './drawing/dom.js';",
    /loose\.ts is not a room listed/,
  ],
  'a script that imports from the page': [
    'scripts/serve.mjs',
    "import config from '../web/vite.config.mjs';",
    /scripts is below web/,
  ],
  'a C++ function with six parameters': [
    'src/base/six.cpp',
    'Six::Six(int a, int b, int c, int d, int e, std::map<int, int> f) : a_(a), b_{b} { g(); }',
    /6 parameters, of at most 5/,
  ],
  'a lambda with six parameters': [
    'src/base/six.cpp',
    'const auto six = [&](int a, int b, int c, int d, int e, int f) -> int { return 0; };',
    /6 parameters, of at most 5/,
  ],
  'a method in TypeScript with six parameters': [
    'bindings/model/six.ts',
    'class Six { async six(a: number, { b }: B, c = f(1, 2), d?: D, e: Map<E, E> = new Map(), ...f: F[]) {} }',
    /6 parameters, of at most 5/,
  ],
  'a script with six parameters': [
    'scripts/six.mjs',
    'export const six = (a, b, c, d, e, f) => a;',
    /6 parameters, of at most 5/,
  ],
  'a C++ function that is too long': [
    'src/base/long.cpp',
    `void run() {${'\n  step();'.repeat(60)}\n}`,
    /62 lines, of at most 60/,
  ],
  'a function of the page that is too long': [
    'web/src/stage/long.ts',
    `export function run() {${'\n  step();'.repeat(50)}\n}`,
    /52 lines, of at most 50/,
  ],
  'a long function of the package': [
    'bindings/values/long.ts',
    `const long = () => {\n${'  work();\n'.repeat(60)}};\n`,
    /62 lines, of at most 60/,
  ],
  'a comment of the package that is too wide': [
    'bindings/values/wide.ts',
    `  // ${'wide '.repeat(23)}w`,
    /121 columns, of at most 120/,
  ],
  'a long function of a script': [
    'scripts/long.mjs',
    `export function long() {\n${'  work();\n'.repeat(50)}}\n`,
    /52 lines, of at most 50/,
  ],
};

for (const [name, [path, line, rule]] of Object.entries(violations)) {
  test(`${name} fails, with its location and its rule`, () => {
    const found = check({ [path]: `// first line\n${line}\n` });
    assert.match(found, rule);
    assert.ok(found.includes(`${path}:2`), found);
  });
}

test('a long file of the package fails', () => {
  const most = '// a line\n'.repeat(250);
  assert.equal(check({ 'bindings/values/long.ts': most }), '');
  assert.match(
    check({ 'bindings/values/long.ts': `${most}//\n` }),
    /long\.ts:1[\s\S]*251 lines, of at most 250/,
  );
});

test('a file of the package that imports many fails, but for the face', () => {
  const imports = (count) =>
    Array.from({ length: count }, (_, i) => `import { a } from '../values/a${i}.js';\n`).join('');
  assert.equal(check({ 'bindings/model/many.ts': imports(15) + imports(15) }), '');
  assert.match(
    check({ 'bindings/model/many.ts': imports(16) }),
    /many\.ts:1[\s\S]*16 files imported, of at most 15/,
  );
  assert.equal(check({ 'bindings/model/model.ts': imports(16) }), '');
});

const circles = {
  'a circle of two files': {
    'bindings/model/a.ts': "// a\nimport { b } from './b.js';\n",
    'bindings/model/b.ts': "// b\nimport { a } from './a.js';\n",
  },
  'a circle of types': {
    'bindings/model/a.ts': "// a\nimport type { B } from './b.js';\n",
    'bindings/model/b.ts': "// b\nexport type { A } from './a.js';\n",
  },
  'a circle of three files': {
    'bindings/model/a.ts': "import { c } from './c.js';\n",
    'bindings/model/b.ts': "// b\nimport { a } from './a.js';\n",
    'bindings/model/c.ts': "import { b } from './b.js';\n",
    'bindings/model/d.ts': "import { a } from './a.js';\nimport { b } from './b.js';\n",
  },
  "a circle in the page's files": {
    'web/src/reading/a.ts': "import { b } from './b.js';\n",
    'web/src/reading/b.ts': "// b\nimport { a } from './a.js';\n",
  },
  'a circle of C++ units': {
    'src/layers/a.h': '#include "layers/b.h"\n',
    'src/layers/b.cpp': '// b\n#include "layers/a.h"\n',
  },
};

for (const [name, tree] of Object.entries(circles)) {
  test(`${name} fails once, naming all of its files`, () => {
    const found = check(tree);
    assert.equal(found.match(/circle/g)?.length, 1, found);
    const inside = Object.keys(tree).filter((path) => !path.endsWith('d.ts'));
    for (const path of inside) assert.ok(found.includes(path.replace(/\.\w+$/, '')), found);
    assert.match(found, /b\.(ts|cpp):2/);
  });
}

test('loops that calculate with the numbers of a tensor are found, copies are not', () => {
  const file = (body) => ({
    'bindings/tasks/pool.ts': `export function f(x: Float32Array, y: number[]) {\n${body}\n}\n`,
  });
  const rule = /pool\.ts:2: .*belongs in src/s;
  for (const body of [
    'let sum = 0; for (let i = 0; i < 3; i++) sum += x[i] ?? 0;',
    'for (const i of y.keys()) x[i] *= 2;',
    'return y.map((one, i) => one * (x[i] ?? 0));',
    'return Float32Array.from({ length: 3 }, (_, i) => Math.sqrt(x[i]!));',
    'let i = 0; while (i < 3) { x[i] = (x[i] ?? 0) / 2; i++; }',
  ])
    assert.match(check(file(body)), rule, body);
  for (const body of [
    'for (let i = 0; i < 3; i++) x[i + 1] = x[2 * i] ?? 0;',
    'for (let i = 0; i < 3; i++) x.set(x.subarray(i, i + 2), 2 * i);',
    'return (x[0] ?? 0) * 2;',
    'return y.some((one) => one * 2 > (y[0] ?? 0) * 3);',
  ])
    assert.doesNotMatch(check(file(body)), /belongs in src/, body);
});
