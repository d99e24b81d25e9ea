// Prints results as tables: line by line in the terminal, and in Markdown for web/docs/numbers.md.

import { say } from '../lib/console.mjs';
import { ratios, sides } from './sides.mjs';
import { median } from './timing.mjs';

const number = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Half the distance between the fastest and the slowest round, in percent of the median. */
const spread = ({ median: middle, low, high }) => `±${Math.round((50 * (high - low)) / middle)}%`;

/** How many times faster `side` is than `other`: the median of the rounds' ratios. */
function ratio(results, [other, side]) {
  if (!results[other] || !results[side]) return '-';
  const times = results[other].times.map((time, round) => time / results[side].times[round]);
  return median(times).toFixed(2);
}

const ratioTitle = ([other, side]) => `${sides[other].title} / ${sides[side].title}`;

/** Tokens per second when decoding. */
const speeds = ({ tokens, results }, side) =>
  results[side] ? number((1000 * tokens) / results[side].median) : '-';

const widths = { name: 38, side: 13, ratio: 20 };

export function printHeader(place) {
  say(`\n${place}`);
  const cells = [
    'milliseconds a call'.padEnd(widths.name),
    ...Object.values(sides).map(({ title }) => title.padEnd(widths.side)),
    ...ratios.map((pair) => ratioTitle(pair).padStart(widths.ratio)),
    'GFLOP/s'.padStart(9),
  ];
  say(cells.join(' '));
}

export function printRow(row) {
  const { name, flops, tokens, results } = row;
  const cell = (result) => (result ? `${number(result.median)} ${spread(result)}` : '-').padEnd(widths.side);
  const cells = [
    name.padEnd(widths.name),
    ...Object.keys(sides).map((side) => cell(results[side])),
    ...ratios.map((pair) => ratio(results, pair).padStart(widths.ratio)),
    (results.ours ? (flops / results.ours.median / 1e6).toFixed(1) : '-').padStart(9),
  ];
  say(cells.join(' '));
  if (!tokens) return;
  const perSecond = Object.keys(sides).map((side) => speeds(row, side).padEnd(widths.side));
  say(['  tokens per second'.padEnd(widths.name), ...perSecond].join(' '));
}

const markdownRow = (cells) => `| ${cells.join(' | ')} |`;

function markdownTable(titles, lines) {
  return [markdownRow(titles), `|${'---|'.repeat(titles.length)}`, ...lines.map(markdownRow)].join('\n');
}

/** The results of one place and number of threads. */
function rowsTable(rows) {
  const names = Object.keys(sides);
  const lines = rows.flatMap((row) => {
    const cells = names.map((side) => (row.results[side] ? number(row.results[side].median) : '-'));
    const line = [
      row.name.replaceAll(' x ', ' × '),
      ...cells,
      ...ratios.map((pair) => ratio(row.results, pair)),
    ];
    if (!row.tokens) return [line];
    return [line, ['— tokens a second', ...names.map((side) => speeds(row, side)), ...ratios.map(() => '')]];
  });
  const titles = ['ms a call', ...names.map((side) => sides[side].title), ...ratios.map(ratioTitle)];
  return markdownTable(titles, lines);
}

const megabytes = (bytes) => (bytes ? `${(bytes / 1e6).toFixed(0)} MB` : '-');
const kilobytes = (bytes) => `${(bytes / 1e3).toFixed(0)} kB`;

const footprintTitles = ['', 'file', 'to the first token', 'of it loading', 'wasm memory', 'process'];
const footprintCells = ({ title, fileBytes, total, load, wasmBytes, processBytes }) => [
  title,
  megabytes(fileBytes),
  `${number(total)} ms`,
  `${number(load)} ms`,
  megabytes(wasmBytes),
  megabytes(processBytes),
];

const downloadTitles = ['gzip', 'scripts', 'engine', 'together'];
const downloadCells = ({ name, script, engine }) => [
  name,
  kilobytes(script),
  kilobytes(engine),
  kilobytes(script + engine),
];

function printTable(titles, lines) {
  const width = (column) => Math.max(...[titles, ...lines].map((cells) => cells[column].length));
  for (const cells of [titles, ...lines]) say(cells.map((cell, i) => cell.padEnd(width(i))).join('  '));
}

export function printFootprints(title, footprints) {
  say(`\n${title}`);
  printTable(footprintTitles, footprints.map(footprintCells));
}

export function printDownloads(downloads) {
  say('\nWhat a browser downloads, without a model');
  printTable(downloadTitles, downloads.map(downloadCells));
}

/** All results as Markdown tables. */
export function markdown({ machine, rows, footprints, downloads }) {
  const places = (items) => [...new Set(items.map(({ place }) => place))];
  const of = (items, place) => items.filter((item) => item.place === place);
  return [
    ...places(rows).map((place) => `${place}, ${machine}\n\n${rowsTable(of(rows, place))}`),
    ...places(footprints).flatMap((place) =>
      [...new Set(of(footprints, place).map(({ model }) => model))].map((model) => {
        const lines = of(footprints, place).filter((one) => one.model === model);
        return `${place}: ${model}\n\n${markdownTable(footprintTitles, lines.map(footprintCells))}`;
      }),
    ),
    markdownTable(downloadTitles, downloads.map(downloadCells)),
    '',
  ].join('\n\n');
}
