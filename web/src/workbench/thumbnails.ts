/** Small pictures on the cards: of the visitor's sentence, from what is known of it without any further pass. */

import { node } from '../drawing/svg.js';
import type { Anatomy } from '../reading/anatomy.js';
import { chosenHead, chosenWord, type Reading, strongest } from '../reading/reading.js';

export interface Known {
  readonly reading: Reading;
  readonly anatomy: Anatomy;
  /** The name of the model's family. */
  readonly family: string;
}

const size = { width: 336, height: 110 };
/** More rows or columns than these would be too small to see. */
const mostCells = 24;

/** Its fill is what is transparent: an opacity of its own would make a layer of each of a thousand. */
const rectangle = (x: number, y: number, width: number, height: number, opacity: number) =>
  node('rect', { x, y, width, height, rx: 2, class: 'ink', 'fill-opacity': opacity.toFixed(3) });

const label = (x: number, y: number, text: string) => node('text', { x, y }, text);

/** A table of shares as squares, in the middle. */
function table(rows: number, columns: number, share: (row: number, column: number) => number): SVGElement[] {
  const side = Math.min(size.height / rows, size.width / columns);
  const left = (size.width - columns * side) / 2;
  return Array.from({ length: rows * columns }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    return rectangle(left + column * side, row * side, side - 1, side - 1, Math.sqrt(share(row, column)));
  });
}

/** Bars that stand on the lower edge. */
function bars(heights: readonly number[], opacity: (i: number) => number): SVGElement[] {
  const width = size.width / Math.max(1, heights.length);
  return heights.map((height, i) => {
    const high = Math.max(2, height * size.height);
    return rectangle(i * width, size.height - high, width - 3, high, opacity(i));
  });
}

/** Where the last layer looks, all heads together. */
function looks({ reading }: Known): SVGElement[] {
  const map = reading.maps.cross ?? reading.maps.decoder ?? reading.maps.encoder;
  if (!map) return [];
  const weights = map.of(map.layers - 1, 'mean');
  const [rows, columns] = [map.queries, map.keys].map(({ length }) => Math.min(mostCells, length)) as [
    number,
    number,
  ];
  return table(rows, columns, (row, column) => weights[row * map.keys.length + column] ?? 0);
}

/** Sines and cosines of the sentence's places. */
function positions({ reading }: Known): SVGElement[] {
  const places = Math.min(mostCells, Math.max(8, reading.source.length));
  return table(places, places * 3, (place, column) => {
    const angle = place / 10000 ** ((column - (column % 2)) / (places * 3));
    return ((column % 2 ? Math.cos(angle) : Math.sin(angle)) + 1) / 2;
  });
}

/** A box for each part of each layer, as high as it has parameters. */
function whole({ anatomy: { encoderLayers, decoderLayers, parameters } }: Known): SVGElement[] {
  const { attention, feedForward } = parameters ?? { attention: 1, feedForward: 2 };
  const stack = (layers: number, attentions: number, left: number) => {
    const all = layers * (attentions * attention + feedForward);
    let bottom = size.height;
    return Array.from({ length: layers }, () => [...Array(attentions).fill(attention), feedForward])
      .flat()
      .map((part: number) => {
        const high = (part / all) * size.height;
        bottom -= high;
        return rectangle(left, bottom, 110, high - 3, part === feedForward ? 0.25 : 0.8);
      });
  };
  return [...stack(encoderLayers, 1, 40), ...stack(decoderLayers, 2, 186)];
}

/** What each half may see of the sentence: all but the gap, or what stands before. */
function halves({ reading }: Known): SVGElement[] {
  const count = Math.min(14, reading.source.length);
  const side = size.height / count;
  const cells = (left: number, maySee: (query: number, key: number) => boolean) =>
    Array.from({ length: count * count }, (_, i) => {
      const [query, key] = [Math.floor(i / count), i % count];
      return rectangle(left + key * side, query * side, side - 1, side - 1, maySee(query, key) ? 0.75 : 0.1);
    });
  return [...cells(40, (query, key) => query !== key), ...cells(190, (query, key) => key <= query)];
}

/** The row of the chosen head, in tiles of four. */
function flash({ reading }: Known): SVGElement[] {
  const { kind, layer, head } = chosenHead(reading, null);
  const map = reading.maps[kind];
  if (!map) return [];
  const query = Math.min(map.queries.length - 1, chosenWord(reading, null));
  const row = [...map.row(layer, head, query)];
  const most = Math.max(...row, 1e-6);
  return bars(
    row.slice(0, 2 * mostCells).map((weight) => Math.sqrt(weight / most)),
    (i) => (Math.floor(i / 4) % 2 ? 0.85 : 0.4),
  );
}

/** What could have been written in place of the chosen word. */
function beams({ reading }: Known): SVGElement[] {
  const { candidates = [] } = reading.written[chosenWord(reading, null)] ?? {};
  return candidates.slice(0, 4).flatMap(({ label: word, probability }, i) => {
    const y = i * 28;
    return [label(0, y + 17, word), rectangle(110, y + 4, Math.max(2, 226 * probability), 16, 0.8)];
  });
}

/** n and n², up to four times this sentence, which the line marks. */
function cost({ reading }: Known): SVGElement[] {
  const length = Math.max(4, reading.source.length);
  const curve = (power: number) =>
    Array.from({ length: 33 }, (_, i) => `${(i / 32) * size.width} ${size.height * (1 - (i / 32) ** power)}`);
  return [
    node('path', { class: 'line soft', d: `M${curve(1).join('L')}` }),
    node('path', { class: 'line', d: `M${curve(2).join('L')}` }),
    node('path', { class: 'line dashed', d: `M${size.width / 4} 0V${size.height}` }),
    label(size.width / 4 + 6, 14, `n = ${length}`),
  ];
}

/** A sum as it is written by hand. */
const adder = () =>
  ['9357684026', '+ 642315978', '10000000004'].flatMap((line, row) => [
    ...[...line].map((digit, i) => label(300 - (line.length - i) * 22, 30 + row * 34, digit)),
    ...(row === 2 ? [node('path', { class: 'line', d: 'M58 74H300' })] : []),
  ]);

const digit = ['0000000', '0111110', '0000010', '0001100', '0000010', '0111110', '0000000'];

/** 49 patches. */
const pictures = () => table(7, 7, (row, column) => (digit[row]?.[column] === '1' ? 0.8 : 0.04));

/** Where a folder is dropped, and what is running now. */
const yourModel = ({ family }: Known) => [
  node('rect', { x: 60, y: 8, width: 216, height: 94, rx: 10, class: 'line dashed' }),
  node('text', { x: 168, y: 60, 'text-anchor': 'middle' }, family),
];

/** Of the addition, at every twentieth step: the loss, and the share that is right of what was kept apart. */
const learned = {
  losses: [
    3.35, 1.91, 1.84, 1.77, 1.74, 1.75, 1.74, 1.72, 1.75, 1.74, 1.7, 1.61, 1.5, 1.18, 0.64, 0.51, 0.45,
  ].concat([0.31, 0.25, 0.19, 0.07, 0.07, 0.02, 0.01, 0.01, 0, 0, 0, 0, 0]),
  right: [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 3, 9, 33, 36, 57, 72, 86, 95, 95, 99, 100, 100, 100, 100, 100,
  ].concat([100, 100, 100]),
};

/** How the loss falls and the answers come right. */
function learning(): SVGElement[] {
  const curve = (values: readonly number[], most: number) =>
    values.map((value, i) => `${(i / (values.length - 1)) * size.width} ${4 + (1 - value / most) * 102}`);
  return [
    node('path', { class: 'line dashed', d: `M${curve(learned.right, 100).join('L')}` }),
    node('path', { class: 'line', d: `M${curve(learned.losses, 3.35).join('L')}` }),
  ];
}

/** Two sentences, layer by layer, of which one state is copied: that of the word that the chosen one looks at most. */
function causes({ reading }: Known): SVGElement[] {
  const columns = Math.min(mostCells, Math.max(1, reading.source.length));
  const map = reading.maps.cross;
  const width = map?.keys.length ?? columns;
  const place = chosenWord(reading, null);
  const looked = map
    ? strongest(map.of(map.layers - 1, 'mean').slice(place * width, (place + 1) * width))
    : 0;
  return table(4, columns, (row, column) => (column === looked && row < 3 ? 1 : 0.03));
}

const drawings: Readonly<Record<string, (known: Known) => SVGElement[]>> = {
  'ten-years': looks,
  positions,
  whole,
  halves,
  flash,
  beams,
  adder,
  cost,
  pictures,
  learn: learning,
  causes,
  'your-model': yourModel,
};

/** @param card the id of the view that opens it */
export function thumbnailOf(card: string, known: Known): SVGElement | null {
  const draw = drawings[card];
  if (!draw) return null;
  return node('svg', { viewBox: `0 0 ${size.width} ${size.height}` }, ...draw(known));
}
