// The footprint: time to the first token and memory, side by side, in fresh processes and pages.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf as ourFiles } from './ours.mjs';
import { filesOf as onnxFiles } from './rivals/onnxruntime.mjs';
import { decodingRows } from './rows/decoding.mjs';
import { sides } from './sides.mjs';

const here = dirname(fileURLToPath(import.meta.url));
// Inside the checkout, which is what the server serves.
const folder = '../../build/bench-models';
const rounds = 3;

const filesOf = {
  ours: ourFiles,
  oursInt8: ourFiles,
  onnxruntime: (problem) => onnxFiles(problem, 'f32'),
  onnxruntimeInt8: (problem) => onnxFiles(problem, 'int8'),
};

/** Calls `report` with { place, side, total, load, fileBytes, wasmBytes, processBytes, ... } of the median round. */
export async function footprints({ places, options, report }) {
  const [{ problem: make }] = decodingRows;
  const { weights, ...problem } = { ...make(), newTokens: 1 };
  try {
    for (const side of options.sides.filter((name) => filesOf[name])) {
      const paths = {};
      await mkdir(join(here, folder, side), { recursive: true });
      for (const [name, bytes] of filesOf[side]({ ...problem, weights })) {
        paths[name] = `${folder}/${side}/${name}`;
        await writeFile(join(here, paths[name]), bytes);
      }
      for (const [place, measureThere] of places) {
        const results = [];
        const given = { ...problem, srcIds: [...problem.srcIds] };
        for (let round = 0; round < rounds; round++) {
          await measureThere({ ...options, task: 'firstToken', side, paths, problem: given }, (result) => {
            results.push(result);
          });
        }
        results.sort((a, b) => a.total - b.total);
        if (results.length > 0)
          report({ place, side, title: sides[side].title, ...results[Math.floor(results.length / 2)] });
      }
      await rm(join(here, folder, side), { recursive: true });
    }
  } finally {
    await rm(join(here, folder), { recursive: true, force: true });
  }
}
