// The process that measures in Node.js; started by places.mjs with the task and its options as JSON.

import { readFile } from 'node:fs/promises';
import wasm from '@tensorflow/tfjs-backend-wasm';
import tfjs from '@tensorflow/tfjs-core';
import ort from 'onnxruntime-web';
import * as ours from '../../dist/index.js';
import { tasks } from './tasks.mjs';

const { task, ...options } = JSON.parse(process.argv[2]);
await tasks[task]({
  ...options,
  packages: { ...ours, ort, tf: { ...tfjs, wasm } },
  read: (path) => readFile(new URL(path, import.meta.url)),
  report: (result) => new Promise((resolve) => process.send(result, resolve)),
});
process.exit(0); // onnxruntime-web leaves its threads running
