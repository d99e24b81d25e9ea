/** `transformer-wasm attend`. */

import { writeFile } from 'node:fs/promises';
import type { Translation } from '../texts/results.js';
import type { Tensor } from '../values/tensor.js';
import { countOf, generationOptionsOf, UsageError, type Values } from './arguments.js';
import { type AttentionKind, type AttentionMap, asSvg, asTable } from './attention_map.js';
import { warnOfUnknownWords, withModel } from './run_model.js';
import { print, printJson } from './terminal.js';

const kinds: readonly AttentionKind[] = ['cross', 'encoder', 'decoder'];

export async function attend(positionals: readonly string[], values: Values): Promise<void> {
  const [text, ...more] = positionals;
  if (!text) throw new UsageError('missing argument: the text to translate');
  if (more.length > 0)
    throw new UsageError(`attend takes one text, got ${positionals.length}: put quotation marks around it`);
  const kind = kinds.find((known) => known === (values.kind ?? 'cross'));
  if (!kind) throw new UsageError(`--kind must be one of ${kinds.join(', ')}, got '${values.kind}'`);
  const layer = values.layer === undefined ? undefined : countOf('layer', values.layer, 1);
  const head = values.head === undefined ? undefined : countOf('head', values.head, 1);

  const translation = await withModel(values, (model) =>
    model.translate(text, { ...generationOptionsOf(values), outputAttentions: true }),
  );
  warnOfUnknownWords(translation.unknownWords);
  const map = attentionMap(translation, kind, layer, head);
  if (values.svg !== undefined) await writeFile(values.svg, await asSvg(map));
  if (values.json) printJson({ source: text, text: translation.text, ...map });
  else if (values.svg === undefined) print(`${translation.text}\n\n${asTable(map)}`);
  else print(`${translation.text}\n`);
}

/** The weights of one layer: of one head, or the mean of all heads. */
function attentionMap(
  translation: Translation,
  kind: AttentionKind,
  layer?: number,
  head?: number,
): AttentionMap {
  const { axes, encoderAttentions, decoderAttentions, crossAttentions } = translation;
  const layers =
    { cross: crossAttentions, encoder: encoderAttentions, decoder: decoderAttentions }[kind] ?? [];
  const number = layer ?? layers.length;
  const tensor = layers[number - 1];
  if (!tensor || !axes)
    throw new UsageError(`--layer is ${layer}, but the model has only ${layers.length} layers`);
  const [, heads = 0] = tensor.shape;
  if (head !== undefined && head > heads)
    throw new UsageError(`--head is ${head}, but a layer has only ${heads} heads`);
  return {
    kind,
    layer: number,
    head: head ?? 'mean',
    rows: kind === 'encoder' ? axes.source : axes.written,
    columns: kind === 'decoder' ? axes.decoder : axes.source,
    weights: meanOfHeads(tensor, head),
  };
}

/** [1, heads, rows, columns] -> rows of columns */
function meanOfHeads({ data, shape }: Tensor, head?: number): number[][] {
  const [, heads = 0, rows = 0, columns = 0] = shape;
  const chosen = head === undefined ? Array.from({ length: heads }, (_, i) => i) : [head - 1];
  const weight = (row: number, column: number) =>
    chosen.reduce((sum, i) => sum + (data[(i * rows + row) * columns + column] ?? 0), 0) / chosen.length;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => weight(row, column)),
  );
}
