// The download before a browser can compute, gzipped as a server sends it: JavaScript, and the WebAssembly of one
// variant with its JavaScript module.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../lib/bundle.mjs';
import { sizesOf } from '../lib/sizes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(dirname(dirname(here)), 'dist');
const installed = (path) => readFileSync(join(here, 'node_modules', path));

/** [{ name, script, engine }], in bytes; `engine` is the WebAssembly with its module. */
export async function downloads() {
  const gzip = (files) => files.reduce((sum, data) => sum + sizesOf(data).gzip, 0);
  const script = gzip(
    await Promise.all(['index.js', 'wasm/worker.js'].map((name) => bundle(join(dist, name)))),
  );
  const ours = ['simd', 'relaxed', 'simd-threads', 'relaxed-threads'].map((variant) => ({
    name: `transformer-wasm, ${variant}`,
    script,
    engine: gzip(
      ['wasm', 'mjs'].map((type) => readFileSync(join(dist, `wasm/transformer-${variant}.${type}`))),
    ),
  }));
  const ort = 'onnxruntime-web/dist';
  const tfjs = '@tensorflow/tfjs-backend-wasm/dist';
  const tfjsScript = gzip([
    installed('@tensorflow/tfjs-core/dist/tf-core.min.js'),
    installed(`${tfjs}/tf-backend-wasm.min.js`),
  ]);
  return [
    ...ours,
    {
      name: 'onnxruntime-web',
      script: gzip([installed(`${ort}/ort.wasm.min.mjs`)]),
      engine: gzip(['wasm', 'mjs'].map((type) => installed(`${ort}/ort-wasm-simd-threaded.${type}`))),
    },
    ...['simd', 'threaded-simd'].map((variant) => ({
      name: `tfjs-backend-wasm, ${variant}`,
      script: tfjsScript,
      engine: gzip([installed(`${tfjs}/tfjs-backend-wasm-${variant}.wasm`)]),
    })),
  ];
}
