// Writes the tables of README.md, web/docs/numbers.md and web/docs/choosing.md and their pictures from the records: node scripts/bench/numbers.mjs
// (npm run numbers). A table and its source stand between two comments, <!-- numbers: NAME --> and <!-- end -->; the text around
// them is by hand.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, runMain, say } from '../lib/console.mjs';
import { barsOf, curvesOf } from './charts.mjs';
import { chatTable, knownTable, newestOf, peersTable, table } from './known_tables.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const records = join(root, 'scripts/bench/records');

const f32 = 'onnxruntime/ours';
const int8 = 'onnxruntimeInt8/oursInt8';
const sides = ['ours', 'oursInt8', 'onnxruntime', 'onnxruntimeInt8'];

/** The rows of README and of the bars, as people call them. */
const highlights = [
  ['GEMM 64 x 512 x 2048', 'matrix product, 64 × 512 × 2048'],
  ['attention 8 x 512 x 64', 'attention, 8 heads × 512 × 64'],
  ['base encoder, 64 tokens', "encoder of the paper's base model, 64 tokens"],
  ['base encoder, 512 tokens', 'the same, 512 tokens'],
  ['base encoder + decoder, 64 + 64 tokens', 'encoder and decoder, 64 + 64 tokens'],
  ['base decoding, 64 tokens after 64', 'decoding 64 tokens after 64'],
];
const speech = [
  ['whisper-tiny encoder, 30 s', 'tiny, encoder'],
  ['whisper-tiny, 64 tokens after 30 s', 'tiny, with 64 tokens'],
  ['whisper-base encoder, 30 s', 'base, encoder'],
  ['whisper-base, 64 tokens after 30 s', 'base, with 64 tokens'],
];
const lengths = [16, 64, 128, 512];

const rowIn = ({ rows }, name, threads) =>
  rows.find((row) => row.name === name && row.threads === threads) ?? { milliseconds: {}, ratios: {} };

/** The newest record with all rows that the tables name, and the newest of another machine. */
export function chosen(all) {
  const newestFirst = all.toSorted((a, b) => b.date.localeCompare(a.date));
  const isWhole = (record) =>
    [...highlights, ...speech].every(([name]) => rowIn(record, name, 2).milliseconds.ours !== undefined);
  const current = newestFirst.find(isWhole);
  if (!current) throw new ExpectedError('No record has all rows of the tables.');
  return { current, other: newestFirst.find(({ machine }) => machine !== current.machine) };
}

const time = (value) =>
  value === undefined
    ? '–'
    : value < 1
      ? value.toFixed(2)
      : `${Number(value.toPrecision(value < 100 ? 3 : 4))}`;
const ratio = (value) => value?.toFixed(2) ?? '–';

/** Where the numbers come from, for a picture; and as a sentence above a table. */
const sourceOf = ({ machine, place, rival, date, commit }) =>
  `${machine}, ${place}, ${rival}; commit ${commit}, ${date}`;

const measuredOn = (record) =>
  `Measured on ${record.machine}, in ${record.place}, against ${record.rival} (ORT); commit ${record.commit}, ${record.date}.`;

function shortTable({ current }) {
  const titles = ['milliseconds a call, two threads', 'f32', 'int8', 'ORT f32 : f32', 'ORT int8 : int8'];
  const cells = ([name, title]) => {
    const { milliseconds, ratios } = rowIn(current, name, 2);
    return [
      title,
      time(milliseconds.ours),
      time(milliseconds.oursInt8),
      ratio(ratios[f32]),
      ratio(ratios[int8]),
    ];
  };
  return `${measuredOn(current)}\n\n${table(titles, highlights.map(cells))}`;
}

const timesAndRatios = ({ milliseconds, ratios }, shown = sides) => [
  ...shown.map((side) => time(milliseconds[side])),
  ...[f32, int8].map((pair) => ratio(ratios[pair])),
];

function longTable({ current, other }) {
  const both = ['f32 : ORT', 'int8 : ORT int8'];
  const own = ['f32', 'int8'];
  const elsewhere = other
    ? [`${other.machine.match(/Xeon|EPYC|Core|Ryzen/) ?? other.machine}, ${both[0]}`, both[1]]
    : [];
  const titles = [
    'milliseconds a call',
    ...own,
    'ORT f32',
    'ORT int8',
    ...both,
    ...own,
    ...both,
    ...elsewhere,
  ];
  const threads = [
    '*threads*',
    ...Array(6).fill('*1*'),
    ...Array(4).fill('*2*'),
    ...elsewhere.map(() => '*1*'),
  ];
  const isSpeech = new Set(speech.map(([name]) => name));
  const names = [...new Set(current.rows.map(({ name }) => name))].filter((name) => !isSpeech.has(name));
  const cells = (name) => [
    name.replaceAll(' x ', ' × '),
    ...timesAndRatios(rowIn(current, name, 1)),
    ...timesAndRatios(rowIn(current, name, 2), ['ours', 'oursInt8']),
    ...(other ? [f32, int8].map((pair) => ratio(rowIn(other, name, 1).ratios[pair])) : []),
  ];
  const alsoOn = other
    ? ` The last two columns: ${other.machine}, commit ${other.commit}, ${other.date}.`
    : '';
  return `${measuredOn(current)}${alsoOn}\n\n${table(titles, [threads, ...names.map(cells)])}`;
}

function speechTable({ current }) {
  const titles = ['milliseconds', 'f32', 'int8', 'ORT f32', 'ORT int8', 'f32 : ORT', 'int8 : ORT int8'];
  return table(
    titles,
    speech.map(([name, title]) => [title, ...timesAndRatios(rowIn(current, name, 2))]),
  );
}

const ofModels = (make) => () => make(newestOf(readRecords(join(records, 'models'))));
const tables = {
  short: shortTable,
  long: longTable,
  speech: speechTable,
  known: ofModels(knownTable),
  peers: ofModels(peersTable),
  chat: ofModels(chatTable),
};
const documents = ['README.md', 'web/docs/numbers.md', 'web/docs/choosing.md'];

function barsPicture({ current }) {
  return barsOf({
    title: 'How many times as long onnxruntime-web takes, with the same weights (two threads)',
    source: sourceOf(current),
    series: ['f32', 'int8'],
    bars: [...highlights, ['small decoding, 64 tokens after 64', 'the same, a small model']].map(
      ([name, label]) => ({ label, values: [f32, int8].map((pair) => rowIn(current, name, 2).ratios[pair]) }),
    ),
  });
}

function lengthsPicture({ current }) {
  const titles = ['this engine, f32', 'this engine, int8', 'onnxruntime-web, f32', 'onnxruntime-web, int8'];
  const at = (side) => (tokens) =>
    rowIn(current, `base encoder, ${tokens} tokens`, 1).milliseconds[side] / tokens;
  return curvesOf({
    title: 'Milliseconds a token, by the length of the input (base encoder, one thread)',
    source: sourceOf(current),
    places: lengths,
    unit: 'tokens',
    curves: sides.map((side, i) => ({ label: titles[i], values: lengths.map(at(side)) })),
  });
}

/** Every file that is made, by its path, with its text. `read` gives the text that a file has now. */
export function madeFiles(all, read) {
  const records = chosen(all);
  const files = new Map();
  for (const path of documents) {
    const text = read(path).replace(
      /(<!-- numbers: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
      (_, begin, name, end) => `${begin}${tables[name](records)}${end}`,
    );
    files.set(path, text);
  }
  files.set('web/pictures/numbers_peers.svg', barsPicture(records));
  files.set('web/pictures/numbers_lengths.svg', lengthsPicture(records));
  return files;
}

export const readRecords = (folder = records) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));

async function main() {
  for (const [path, text] of madeFiles(readRecords(), (name) => readFileSync(join(root, name), 'utf8'))) {
    writeFileSync(join(root, path), text);
    say(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
