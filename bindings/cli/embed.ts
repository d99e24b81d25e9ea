/** `transformer-wasm embed`. */

import type { EmbedOptions } from '../tasks/embed.js';
import { poolings } from '../tasks/pooling.js';
import { UsageError, type Values } from './arguments.js';
import { textOrInput } from './read_input.js';
import { requireModel, withModel } from './run_model.js';

export async function embed(positionals: readonly string[], values: Values): Promise<void> {
  requireModel('embed', values);
  const options = embedOptionsOf(values);
  const input = textOrInput(positionals, 'the text to embed');
  await withModel(values, (model) =>
    input.answer<number[]>(values, {
      field: 'text',
      run: async (texts) => (await model.embed(texts as string[], options)).tolist() as number[][],
      text: (vector) => vector.join(' '),
      json: (embedding, text) => ({ text, embedding }),
    }),
  );
}

/** @throws UsageError */
function embedOptionsOf({ pooling, normalize, prompt }: Values): Omit<EmbedOptions, 'precision'> {
  const way = poolings.find((known) => known === pooling);
  if (pooling !== undefined && !way)
    throw new UsageError(`--pooling must be one of ${poolings.join(', ')}, got '${pooling}'`);
  return {
    ...(way && { pooling: way }),
    ...(normalize && { normalize }),
    ...(prompt !== undefined && { prompt }),
  };
}
