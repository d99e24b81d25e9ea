/** `transformer-wasm attend`. */

import { writeFile } from 'node:fs/promises';
import { type AttentionKind, type AttentionPicture, attentionPicture } from '../insight/attention_map.js';
import { attentionSvg } from '../insight/attention_svg.js';
import type { Translation } from '../texts/results.js';
import { toTensor } from '../values/tensor.js';
import { command } from './command.js';
import {
  count,
  generationOptionsOf,
  languages,
  oneOf,
  searching,
  shippedModelFlags,
  text,
  UsageError,
} from './flags.js';
import { warnOfUnknownWords, withModel } from './run_model.js';
import { type Cell, print, printCells, printJson } from './terminal.js';

export const attend = command({
  args: 'TEXT',
  summary: 'shows the attention weights of a model while it translates a text',
  about:
    'Translates TEXT and shows the attention weights: a row for each query token, a column for each key token.',
  flags: {
    kind: oneOf(
      ['cross', 'encoder', 'decoder'],
      'from the translation to the text (default), within the text, within the translation',
    ),
    layer: count('counted from 1; default: the last'),
    head: count('counted from 1; default: the mean of all heads'),
    svg: text('FILE', 'draw the matrix into an SVG file'),
    ...searching,
    ...languages,
    ...shippedModelFlags,
  },
  examples: [
    'attend "The animal didn\'t cross the street because it was too tired."',
    'attend "I am hungry." --kind encoder --layer 1 --head 2',
    'attend "I am hungry." --svg attention.svg',
  ],
  async run(positionals, values) {
    const [text, ...more] = positionals;
    if (!text) throw new UsageError('missing argument: the text to translate');
    if (more.length > 0)
      throw new UsageError(`attend takes one text, got ${positionals.length}: put quotation marks around it`);
    const { kind = 'cross', layer, head } = values;

    const translation = await withModel(values, (model) =>
      model.translate(text, { ...generationOptionsOf(values), outputAttentions: true }),
    );
    warnOfUnknownWords(translation.unknownWords);
    const layers = checkedLayers(translation, kind, { layer, head });
    const picture = attentionPicture(translation, {
      kind,
      ...(layer !== undefined && { layer: layer - 1 }),
      ...(head !== undefined && { head: head - 1 }),
    });
    const { queries: rows, keys: columns } = picture;
    const weights = rowsOf(picture);
    if (values.svg !== undefined) await writeFile(values.svg, await attentionSvg(picture));
    const asked = { kind, layer: layer ?? layers, head: head ?? 'mean' };
    if (values.json)
      return printJson({ source: text, text: translation.text, ...asked, rows, columns, weights });
    print(`${translation.text}\n`);
    if (values.svg === undefined) printTable(picture, weights);
  },
});

/** How many layers there are, if that which is asked for is one of them. */
function checkedLayers(
  translation: Translation,
  kind: AttentionKind,
  { layer, head }: { layer: number | undefined; head: number | undefined },
): number {
  const layers = translation[`${kind}Attentions`] ?? [];
  if (layer !== undefined && layer > layers.length)
    throw new UsageError(`--layer is ${layer}, but the model has only ${layers.length} layers`);
  const [, heads = 0] = layers[0]?.shape ?? [];
  if (layers.length > 0 && head !== undefined && head > heads)
    throw new UsageError(`--head is ${head}, but a layer has only ${heads} heads`);
  return layers.length;
}

function rowsOf({ weights, keys, queries }: AttentionPicture): number[][] {
  const { data } = toTensor(weights, 'weights');
  return queries.map((_, row) => [...data.slice(row * keys.length, (row + 1) * keys.length)]);
}

/** Aligned columns of percentages, shaded where a terminal has colours. A dot is a value that rounds to zero. */
function printTable(
  { title, queries, keys, queryAxis, keyAxis }: AttentionPicture,
  weights: readonly (readonly number[])[],
): void {
  const names = Math.max(...queries.map(width));
  const widths = keys.map((key) => Math.max(width(key), 3));
  const header = [' '.repeat(names), ...keys.map((key, i) => padStart(key, widths[i] ?? 0))].join('  ');
  print(`\n${title}: from each ${queryAxis} (rows) to ${keyAxis} (columns), in percent\n\n`);
  printCells([
    [{ text: header }],
    ...weights.map((row, i): Cell[] => [
      { text: `${padStart(queries[i] ?? '', names)}  ` },
      ...row.flatMap((weight, j): Cell[] => [
        { text: padStart(`${Math.round(weight * 100) || '·'}`, widths[j] ?? 0), shade: Math.sqrt(weight) },
        ...(j < row.length - 1 ? [{ text: '  ' }] : []),
      ]),
    ]),
  ]);
  print('\n');
}

const width = (text: string) => [...text].length;
const padStart = (text: string, to: number) => ' '.repeat(Math.max(0, to - width(text))) + text;
