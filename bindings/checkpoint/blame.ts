/** Rewrites the engine's errors in terms of a checkpoint's files. */

import type { Plan } from '../plans/family.js';
import { storedName } from '../plans/torch_names.js';
import { TransformerError } from '../values/errors.js';
import { temporaryName } from '../weights/slice_writer.js';
import { fileOf, type WeightFiles } from '../weights/weight_file.js';

/** The arguments of a model that the engine refuses are those of config.json. */
export function blameConfig(error: unknown): never {
  if (!(error instanceof TransformerError) || error.code !== 'invalid_argument') throw error;
  throw new TransformerError('bad_checkpoint', `config.json: ${error.message}`, { cause: error });
}

/** The tensors' names in the files, rather than the engine's. */
export function inNamesOfFiles(error: unknown, files: WeightFiles, { slices, ...plan }: Plan): unknown {
  if (!(error instanceof TransformerError) || error.code !== 'bad_checkpoint') return error;
  let file = files.name;
  const message = error.message.replace(/the tensor '([^']+)'/, (_, name: string) => {
    const slice = slices.find((candidate) => [candidate.name, temporaryName(candidate.from)].includes(name));
    if (!slice) return `the tensor '${(plan.storedName ?? storedName)(name)}'`;
    const { from, firstRow, rows } = slice;
    file = fileOf(files, from);
    return `the tensor '${from}'${rows === null ? '' : ` (rows ${firstRow} to ${firstRow + rows - 1})`}`;
  });
  const isNamed = ['config.json', ...files.files.map(({ name }) => name)].some((name) =>
    message.startsWith(name),
  );
  const named = isNamed ? message : `${file}: ${message}`;
  return new TransformerError('bad_checkpoint', named, { cause: error });
}
