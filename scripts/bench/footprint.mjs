// The footprint: time to the first token and memory, side by side, in fresh processes and pages.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf, whisperFilesOf } from './ours.mjs';
import { filesOf as onnxFilesOf, whisperFilesOf as whisperOnnxFilesOf } from './rivals/onnxruntime.mjs';
import { decodingRows } from './rows/decoding.mjs';
import { whisperRows } from './rows/whisper.mjs';
import { sides } from './sides.mjs';

const here = dirname(fileURLToPath(import.meta.url));
// Inside the checkout, which is what the server serves.
const folder = '../../build/bench-models';
const rounds = 3;

const filesOn = (ours, onnx) => ({
  ours,
  oursInt8: ours,
  oursInt4: ours,
  onnxruntime: (problem) => onnx(problem, 'f32'),
  onnxruntimeInt8: (problem) => onnx(problem, 'int8'),
});

export const footprintModels = [
  {
    title: 'the base model with a vocabulary of 32000',
    row: decodingRows[0],
    filesOf: filesOn(filesOf, onnxFilesOf),
  },
  {
    title: 'whisper-tiny, with a window of 30 s',
    row: whisperRows[0],
    filesOf: filesOn(whisperFilesOf, whisperOnnxFilesOf),
  },
];

/** Calls `report` with { place, side, total, load, fileBytes, wasmBytes, processBytes, ... } of the median round. */
export async function footprints({ title: model, row, filesOf }, { places, options, report }) {
  // The sound is as long as a decoding problem's source is short: it is made again where it is used.
  const { weights, features, ...problem } = { ...row.problem(), newTokens: 1 };
  try {
    for (const side of options.sides.filter((name) => filesOf[name])) {
      const paths = {};
      await mkdir(join(here, folder, side), { recursive: true });
      for (const [name, bytes] of filesOf[side]({ ...problem, weights, features })) {
        paths[name] = `${folder}/${side}/${name}`;
        await writeFile(join(here, paths[name]), bytes);
      }
      for (const [place, measureThere] of places) {
        const results = [];
        const given = { ...problem, ...(problem.srcIds && { srcIds: [...problem.srcIds] }) };
        for (let round = 0; round < rounds; round++) {
          await measureThere({ ...options, task: 'firstToken', side, paths, problem: given }, (result) => {
            results.push(result);
          });
        }
        results.sort((a, b) => a.total - b.total);
        if (results.length > 0)
          report({
            model,
            place,
            side,
            title: sides[side].title,
            ...results[Math.floor(results.length / 2)],
          });
      }
      await rm(join(here, folder, side), { recursive: true });
    }
  } finally {
    await rm(join(here, folder), { recursive: true, force: true });
  }
}
