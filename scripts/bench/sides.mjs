// The engines that are compared. `open` takes the packages and { threads, simd, worker, dtype } and returns `prepare`: for each
// kind of problem that the side supports, a function that makes a solver { run, read, dispose }. `read` turns a result of `run`
// into plain numbers. A side that cannot run at all opens as `undefined`.

import { openOurs, openPlain } from './ours.mjs';
import { openOnnxruntime } from './rivals/onnxruntime.mjs';
import { openTfjs } from './rivals/tfjs.mjs';

export const sides = {
  ours: { title: 'ours f32', dtype: 'f32', open: openOurs },
  oursInt8: { title: 'ours int8', dtype: 'int8', open: openOurs },
  oursInt4: { title: 'ours int4', dtype: 'int4', open: openOurs },
  onnxruntime: { title: 'ORT f32', dtype: 'f32', open: openOnnxruntime },
  onnxruntimeInt8: { title: 'ORT int8', dtype: 'int8', open: openOnnxruntime },
  tfjs: { title: 'tfjs f32', dtype: 'f32', open: openTfjs },
  plain: { title: 'ours, plainly', dtype: 'f32', open: openPlain },
};

/** Pairs of which the first time is divided by the second: how many times faster the second side is. */
export const ratios = [
  ['onnxruntime', 'ours'],
  ['tfjs', 'ours'],
  ['onnxruntime', 'oursInt8'],
  ['onnxruntimeInt8', 'oursInt8'],
  ['oursInt8', 'oursInt4'],
  ['plain', 'ours'],
];

/** Opens those of the named sides that run here: name -> side. */
export async function openSides(names, packages, options) {
  const open = new Map();
  for (const name of names) {
    const { dtype } = sides[name];
    const side = await sides[name].open(packages, { ...options, dtype });
    if (side) open.set(name, { ...side, dtype });
  }
  return open;
}
