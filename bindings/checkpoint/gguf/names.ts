/** The tensors of a GGUF file under the names that the model's family knows. */

import type { Fields } from '../../files/fields.js';
import type { NamedTensor } from '../../weights/gguf_file.js';
import type { GgufTensor } from '../../weights/gguf_header.js';
import { type Architecture, shapesOf } from './architecture.js';
import type { GgufKeys } from './config.js';
import { llamaNames } from './decoders.js';
import { denseLayers } from './sentence.js';

/** Divides the frequencies of rotary positions; config.json has its numbers. */
export const frequencyFactors = 'rope_freqs.weight';

/** A tensor that the architecture does not know keeps its name: it is reported as one that is not used. */
export function namedTensors(
  tensors: readonly GgufTensor[],
  { architecture, fields }: GgufKeys,
): NamedTensor[] {
  const { names: given } = architecture;
  const own = typeof given === 'function' ? given(shapesOf(tensors)) : given;
  const names = new Map(Object.entries({ ...llamaNames, ...own }));
  return tensors
    .filter(({ name }) => name !== frequencyFactors && !denseLayers.includes(name))
    .map((tensor) => {
      const [, stem = '', ending = ''] = /^(.*)(\.weight|\.bias)$/.exec(tensor.name) ?? [];
      const [layer = ''] = /\.\d+\./.exec(stem) ?? [];
      const pattern = stem.replace(/\.\d+\./, '.#.');
      const known = names.get(pattern);
      return {
        tensor,
        name: known === undefined ? tensor.name : known.replace('.#.', layer) + ending,
        headRows: headRowsOf(pattern, tensor, { architecture, fields }),
        added: /norm$/.test(pattern) ? architecture.addedToNorms : undefined,
      };
    });
}

function headRowsOf(
  pattern: string,
  { shape }: GgufTensor,
  { architecture, fields }: { architecture: Architecture; fields: Fields },
): number | undefined {
  if (!architecture.isPaired || !/^blk\.#\.attn_[qk]$/.test(pattern)) return undefined;
  const all = fields.count('attention.head_count');
  const heads = pattern.endsWith('q') ? all : fields.count('attention.head_count_kv', all);
  const rows = (shape[0] ?? 0) / heads;
  // Other numbers of rows are refused as wrong shapes.
  return Number.isInteger(rows / 2) ? rows : undefined;
}
