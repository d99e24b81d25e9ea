// Tables of well-known models from the records in records/models: what they need and how fast they are here.

import { knownModels } from './known_models.mjs';

const line = (cells) => `| ${cells.join(' | ')} |`;
export const table = (titles, lines) =>
  [line(titles), `|${'---|'.repeat(titles.length)}`, ...lines.map(line)].join('\n');

const withCommas = (value) => value.toLocaleString('en');
/** Two digits, or whole numbers: more would be noise. */
const rounded = (value) => (value < 10 ? `${Number(value.toPrecision(2))}` : withCommas(Math.round(value)));

const megabytes = (bytes) => rounded(bytes / 1e6);

const units = {
  picture: (rate) => `${rounded(rate)} pictures`,
  sound: (rate) => `${rounded(rate)} s of sound`,
};
const rateText = (rate, input) => (rate === undefined ? '–' : (units[input] ?? rounded)(rate));

const sourceOf = ({ machine, place, date }) => `${machine}, ${place}, two threads, ${date}`;

/** The newest record. */
export const newestOf = (records) => records.toSorted((a, b) => b.date.localeCompare(a.date))[0];

/** What "Which model can I use" lists. */
export function knownTable(record) {
  const titles = [
    ...['task', 'model', 'parameters', 'f32', '16 bits', 'int8', 'int4'],
    ...['reads a second', 'writes a second', 'licence'],
  ];
  const cells = ({ task, id, input, licence }) => {
    const { parameters, f32, int8, int4 } = record.rows.find((row) => row.id === id);
    const sizes = [f32.bytes, f32.bytes / 2, int8.bytes, int4.bytes].map(megabytes);
    const rates = [rateText(int8.read, input), rateText(int8.write)];
    return [task, `\`${id}\``, `${rounded(parameters / 1e6)} M`, ...sizes, ...rates, licence];
  };
  const note = record.note ? ` ${record.note}` : '';
  const source = `Measured with random weights in these shapes on ${sourceOf(record)}.${note}`;
  return `${source}\n\n${table(titles, knownModels.map(cells))}`;
}

/** Times of families with Llama's layers over Llama's. */
export function peersTable({ peers, ...record }) {
  const titles = ['family', 'reading, f32', 'reading, int8', 'writing, f32', 'writing, int8'];
  const families = [...new Set(peers.map(({ family }) => family))];
  const cells = (family) => {
    const of = (dtype) => peers.find((row) => row.family === family && row.dtype === dtype);
    const [whole, eight] = [of('f32'), of('int8')];
    return [
      `\`${family}\``,
      ...[whole.read, eight.read, whole.write, eight.write].map((one) => one.toFixed(2)),
    ];
  };
  return `Measured on ${sourceOf(record)}.\n\n${table(titles, families.map(cells))}`;
}

const sides = { ours: 'this engine', wllama: 'wllama (llama.cpp)', onnxruntime: 'onnxruntime-web' };

/** Qwen3-0.6B's shape in this engine and in others. */
export function chatTable({ chat, ...record }) {
  const titles = ['', 'file', 'loading, s', 'memory, MB', 'reads, tokens/s', 'writes, tokens/s'];
  const cells = ({ side, file, load, memory, read, write }) => [
    sides[side],
    file,
    (load / 1e3).toFixed(1),
    memory === undefined ? '–' : megabytes(memory),
    rounded(read),
    rounded(write),
  ];
  return `Measured on ${sourceOf(record)}.\n\n${table(titles, chat.map(cells))}`;
}
