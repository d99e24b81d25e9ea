// From the bytes of a model in memory to its first token, in a fresh process or page: the time, including the start of the
// engine, and the memory. Runs in Node.js or in a page.

import { openSides } from './sides.mjs';
import { randomTensor } from './weights.mjs';

/** Records the memories that WebAssembly modules are given; our engine reports its own, even from a worker. */
function watchMemories() {
  const memories = [];
  WebAssembly.Memory = class extends WebAssembly.Memory {
    constructor(descriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  return () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

/** `paths`: name of a file -> where `read` finds it; `problem`: the decoding problem without its weights. */
export async function firstToken({ packages, read, paths, problem, side, threads, simd, worker, report }) {
  const memoryBytes = watchMemories();
  const files = new Map();
  for (const [name, path] of Object.entries(paths)) files.set(name, await read(path));
  const fileBytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const start = performance.now();
  const opened = (await openSides([side], packages, { threads, simd, worker })).get(side);
  if (!opened) return;
  const started = performance.now();
  const { bands, frames } = problem.config;
  const features = bands && randomTensor([1, bands, frames], 4);
  const { run } = await opened.load(files, { ...problem, features });
  const loaded = performance.now();
  await run();
  const end = performance.now();
  await report({
    start: started - start,
    load: loaded - started,
    first: end - loaded,
    total: end - start,
    fileBytes,
    wasmBytes: opened.engine?.info.memoryBytes ?? memoryBytes(),
    processBytes: globalThis.process && 1024 * process.resourceUsage().maxRSS,
  });
}
