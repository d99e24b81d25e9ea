/** What was measured on a machine: as a text to copy, and as an address that carries it. */

import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';

export const rowNames = {
  product: words.speed.product,
  attention: words.speed.attention,
  encoder: words.speed.encoder,
  decoding: words.speed.decoding,
} as const;

export type RowName = keyof typeof rowNames;

export const precisions = { f32: words.speed.f32, int8: words.speed.int8 } as const;

export type Precision = keyof typeof precisions;

/** What the machine can do with so many threads. */
export interface Limits {
  readonly threads: number;
  /** Multiply-adds of float32 in registers, each counted as two operations. */
  readonly flopsPerSecond: number;
  /** Reading memory, and reading the caches nearby. */
  readonly bytesPerSecond: number;
  readonly nearBytesPerSecond: number;
}

export interface Measured {
  readonly row: RowName;
  readonly precision: Precision;
  readonly threads: number;
  /** The median of all rounds. */
  readonly milliseconds: number;
  /** The time at the machine's limits divided by the measured one. In 8 bits it may exceed 1: the limit is float32's. */
  readonly ofLimit: number;
}

export interface Report {
  /** Of the engine, with its instructions: `0.2.0, relaxed-threads`. */
  readonly engine: string;
  readonly browser: string;
  readonly limits: readonly Limits[];
  readonly measured: readonly Measured[];
}

const rows = Object.keys(rowNames) as RowName[];

export const threadsText = (threads: number) =>
  threads === 1 ? words.cost.oneThread : words.cost.threads(threads);

/** `4.02`, with a point in every language. */
const roundedTime = (milliseconds: number) =>
  milliseconds >= 999.5 ? milliseconds.toFixed(0) : milliseconds.toPrecision(3);

/** The same as the reader's language writes it. */
export const timeText = (milliseconds: number) => decimals(roundedTime(milliseconds));

export const percentOf = (share: number) => Math.round(100 * share);

export const giga = (perSecond: number) => (perSecond / 1e9).toPrecision(3);

export const nameOf = ({ precision, threads }: Pick<Measured, 'precision' | 'threads'>) =>
  precisions[precision] + words.marks.comma + threadsText(threads);

export const limitText = ({ threads, flopsPerSecond, bytesPerSecond, nearBytesPerSecond }: Limits) =>
  words.speed.limitText(
    threadsText(threads),
    ...([flopsPerSecond, bytesPerSecond, nearBytesPerSecond].map((rate) => decimals(giga(rate))) as [
      string,
      string,
      string,
    ]),
  );

/** As Markdown, for an issue or a message. */
export function textOf({ engine, browser, limits, measured }: Report, address: string): string {
  const kinds = [...new Map(measured.map((one) => [nameOf(one), one])).keys()];
  const cell = (row: RowName, kind: string) => {
    const one = measured.find((other) => other.row === row && nameOf(other) === kind);
    return one ? `${timeText(one.milliseconds)} ms (${percentOf(one.ofLimit)} %)` : '–';
  };
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `transformer-wasm ${engine}; ${browser}`,
    '',
    line([words.speed.timeColumn, ...kinds]),
    line(['---', ...kinds.map(() => '---')]),
    ...rows.map((row) => line([rowNames[row], ...kinds.map((kind) => cell(row, kind))])),
    '',
    ...limits.map((one) => words.speed.limitsWith(limitText(one))),
    address,
    '',
  ].join('\n');
}

/**
 * `#e=…&b=…&limits.1=55.1,27.0,61.2&product.f32.1=4.02,0.84`: the numbers as they are drawn. With more digits, they would be
 * rounded twice, and whoever opens the address would see others.
 */
export function formatReport({ engine, browser, limits, measured }: Report): string {
  const fields = new URLSearchParams({ e: engine, b: browser });
  for (const one of limits) {
    const rates = [one.flopsPerSecond, one.bytesPerSecond, one.nearBytesPerSecond];
    fields.set(`limits.${one.threads}`, rates.map(giga).join());
  }
  for (const { row, precision, threads, milliseconds, ofLimit } of measured)
    fields.set(`${row}.${precision}.${threads}`, `${roundedTime(milliseconds)},${percentOf(ofLimit) / 100}`);
  return `#${fields}`;
}

/** Numbers from 0, separated by commas; `null` if one is none, or there are more or fewer. */
function numbersIn(text: string, count: number): number[] | null {
  const numbers = text.split(',').map(Number);
  return numbers.length === count && numbers.every((number) => number >= 0 && number < 1e9) ? numbers : null;
}

/** Reads what {@link formatReport} wrote; what cannot be read is left out. @returns `null` where nothing was measured */
export function parseReport(hash: string): Report | null {
  const fields = [...new URLSearchParams(hash.replace(/^#/, ''))];
  const text = (name: string) => (fields.find(([other]) => other === name)?.[1] ?? '').slice(0, 80);
  const limits = fields.flatMap(([name, value]): Limits[] => {
    const threads = Number(/^limits\.(\d{1,3})$/.exec(name)?.[1] ?? 0);
    const [flops, bytes, near] = numbersIn(value, 3)?.map((rate) => rate * 1e9) ?? [];
    if (!threads || !flops || !bytes || !near) return [];
    return [{ threads, flopsPerSecond: flops, bytesPerSecond: bytes, nearBytesPerSecond: near }];
  });
  const measured = fields.flatMap(([name, value]): Measured[] => {
    const [, row = '', precision = '', threads = '0'] = /^(\w+)\.(\w+)\.(\d{1,3})$/.exec(name) ?? [];
    const [milliseconds, ofLimit = 0] = numbersIn(value, 2) ?? [];
    if (!isRow(row) || !isPrecision(precision) || !milliseconds) return [];
    return Number(threads) > 0 ? [{ row, precision, threads: Number(threads), milliseconds, ofLimit }] : [];
  });
  return measured.length > 0 ? { engine: text('e'), browser: text('b'), limits, measured } : null;
}

const isRow = (name: string): name is RowName => Object.hasOwn(rowNames, name);
const isPrecision = (name: string): name is Precision => Object.hasOwn(precisions, name);
