// Who computes. `open` gets the packages and { threads, simd, worker, dtype } and gives `prepare`: for each kind of problem
// that the side can do, what makes a solver { run, read, dispose } of it; `read` makes of a result of `run` plain numbers.
// A side that cannot run at all opens as `undefined`.

import { openOurs } from './ours.mjs';
import { openOnnxruntime } from './rivals/onnxruntime.mjs';
import { openTfjs } from './rivals/tfjs.mjs';

export const sides = {
  ours: { title: 'ours f32', dtype: 'f32', open: openOurs },
  oursInt8: { title: 'ours int8', dtype: 'int8', open: openOurs },
  onnxruntime: { title: 'ORT f32', dtype: 'f32', open: openOnnxruntime },
  onnxruntimeInt8: { title: 'ORT int8', dtype: 'int8', open: openOnnxruntime },
  tfjs: { title: 'tfjs f32', dtype: 'f32', open: openTfjs },
};

/** What is divided by what: how many times faster the second is. */
export const ratios = [
  ['onnxruntime', 'ours'],
  ['tfjs', 'ours'],
  ['onnxruntime', 'oursInt8'],
  ['onnxruntimeInt8', 'oursInt8'],
];

/** Opens the sides of these names that run here: name -> side. */
export async function openSides(names, packages, options) {
  const open = new Map();
  for (const name of names) {
    const { dtype } = sides[name];
    const side = await sides[name].open(packages, { ...options, dtype });
    if (side) open.set(name, { ...side, dtype });
  }
  return open;
}
