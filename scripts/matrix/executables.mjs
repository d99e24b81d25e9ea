// One file that is a program with its runtime: each has the package inside, and reads the model beside it.

import { program } from './project.mjs';

const resultOf = (output) => JSON.parse(output.trim().split('\n').at(-1));

/** Where the package no longer is when the program runs. */
const moved = 'mkdir -p away && cp -r public app away/ && cd away && ./app';

const inline = "import 'transformer-wasm/inline' (one thread)";
const source = { 'main.mjs': program('{}', 'transformer-wasm/inline') };

export const executables = {
  'bun-compile': {
    title: 'Bun, one executable (bun build --compile)',
    how: inline,
    packages: ['bun'],
    files: source,
    run: async ({ sh }) => {
      await sh('bun build --compile main.mjs --outfile app');
      return resultOf(await sh(moved));
    },
    expected: { threads: 1 },
  },
  'node-sea': {
    title: 'Node.js, one executable (SEA)',
    how: `${inline}, bundled as CommonJS`,
    packages: ['node@22', 'esbuild', 'postject'],
    files: {
      'main.mjs': `const main = async () => {${source['main.mjs'].replace(/import \{.*?\} from .*?;/, '')}};\nmain();`,
      'entry.mjs': `import { createEngine, loadModel } from 'transformer-wasm/inline';\n`,
      'sea.json': JSON.stringify({
        main: 'main.cjs',
        output: 'sea.blob',
        disableExperimentalSEAWarning: true,
      }),
    },
    run: async ({ sh }) => {
      await sh('cat main.mjs >> entry.mjs');
      await sh(
        'esbuild entry.mjs --bundle --platform=node --format=cjs --outfile=main.cjs --log-level=error',
      );
      await sh('node --experimental-sea-config sea.json');
      await sh('cp "$(node -p process.execPath)" app');
      const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
      await sh(`postject app NODE_SEA_BLOB sea.blob --sentinel-fuse ${fuse}`);
      return resultOf(await sh(moved));
    },
    expected: { threads: 1 },
  },
};
