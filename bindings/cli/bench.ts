/** `transformer-wasm bench`. */

import { isQuantizedDtype } from '../engine/dtype.js';
import type { ProfiledPass } from '../insight/profile.js';
import type { Engine } from '../layers/engine.js';
import { command } from './command.js';
import { allJson, count, shippedModelFlags, UsageError } from './flags.js';
import { type Bound, groupsOf, type Roofs, type Row, roofsOf, rowsOf, sumOf } from './roofline.js';
import { withModel } from './run_model.js';
import { printJson, printLines } from './terminal.js';

/** Half the size of the smallest L2 caches, for each thread. */
const nearBytes = 256 * 1024;

interface PassReport extends Omit<ProfiledPass, 'parts'> {
  /** The machine's peak rates. */
  readonly limits: Roofs;
  readonly whole: Row;
  readonly parts: readonly Row[];
}

const { model, threads, simd, dtype } = shippedModelFlags;
export const bench = command({
  args: '',
  summary: "measures where a model spends its time, and how close it comes to the machine's limits",
  about: `Runs the passes of a model on synthetic tokens: the encoder, the teacher-forced decoder, a step of decoding. For each
layer and each part of a layer, reports its operations, its bytes, its time, and how close it comes to the limit of this
machine (a roofline): the longer of the time for the arithmetic, at the rate of multiply-adds in registers, and the time
for the bytes, at the rate of reading memory. Both rates are measured with the same instructions and threads. Times are
the median of several rounds.`,
  flags: {
    model,
    tokens: count('tokens per sequence; default: 64'),
    batch: count('sequences per batch; default: 1'),
    rounds: count('number of rounds; default: 5'),
    threads,
    simd,
    dtype: {
      ...dtype,
      help: 'how to store matrices. The arithmetic limit is that of float32 for all, so int8 products can exceed it',
    },
    json: { ...allJson, help: 'print everything as JSON, with every part of every layer' },
  },
  examples: ['bench', 'bench --model path/to/model --tokens 128 --threads 1', 'bench --json > bench.json'],
  async run(positionals, values) {
    if (positionals.length > 0)
      throw new UsageError('bench takes no arguments, only options; give the model with --model');
    const { tokens, batch, rounds } = values;
    const options = { ...(tokens && { tokens }), ...(batch && { batch }), ...(rounds && { rounds }) };
    await withModel(values, async (model) => {
      const passes: PassReport[] = [];
      const { family, parameters, dtype } = model.info;
      const hasIntegers = dtype === 'bergamot' || isQuantizedDtype(dtype);
      for (const pass of await model.profile(options))
        passes.push(await reportOf(pass, model.engine, hasIntegers));
      const { version, variant, threads } = model.engine.info;
      const summary = passes.map(sentenceOf);
      const report = { family, parameters, dtype, version, variant, threads, passes, summary };
      if (values.json) printJson(report);
      else printLines(asText(report));
    });
  },
});

async function reportOf(pass: ProfiledPass, engine: Engine, hasIntegers: boolean): Promise<PassReport> {
  const weightBytes = pass.parts.reduce((sum, part) => sum + part.weightBytes, 0);
  const near = nearBytes * engine.info.threads;
  const limits = roofsOf(
    await engine.machineLimits({ bytes: Math.max(Math.ceil(weightBytes), near) }),
    await engine.machineLimits({ bytes: near }),
    hasIntegers,
  );
  const parts = rowsOf(pass, limits);
  const { name, tokens, milliseconds } = pass;
  return { name, tokens, milliseconds, limits, whole: sumOf(name, parts), parts };
}

/** Splits `decoder.layers.3.self_attn.q_proj` into its layer and the part of a layer. */
const layerOf = (path: string) =>
  path.replace(/^\w+\.layers\.(\d+).*/, 'layer $1').replace(/^(encoder|decoder)(\.|$)/, '') || 'between';
const partOf = ({ path, flops, weightBytes, stateBytes }: Row) =>
  flops + weightBytes + stateBytes > 0 ? path.replace(/^(encoder|decoder)\.(layers\.\d+\.)?/, '') : 'between';

const titles: Readonly<Record<ProfiledPass['name'], string>> = {
  encoder: 'Encoder, all tokens at once',
  decoder: 'Decoder, all tokens at once',
  step: 'Decoding, one step after all tokens',
};

interface Report {
  readonly family: string;
  readonly parameters: number;
  readonly dtype: string;
  readonly version: string;
  readonly variant: string;
  readonly threads: number;
  readonly passes: readonly PassReport[];
  readonly summary: readonly string[];
}

function asText({ family, parameters, dtype, version, variant, threads, passes, summary }: Report): string[] {
  return [
    `${family}, ${parameters.toLocaleString('en')} parameters, ${dtype}; engine ${version}, ${variant}, ${threads} thread${threads > 1 ? 's' : ''}`,
    ...passes.flatMap((pass) => [
      '',
      `${titles[pass.name]}: ${pass.tokens} token${pass.tokens > 1 ? 's' : ''}`,
      `  Limits: ${arithmeticOf(pass.limits)}; ${giga(pass.limits.weightBytes)} GB/s of weights, ${giga(pass.limits.stateBytes)} GB/s of states`,
      ...table('layer', [...groupsOf(pass.parts, ({ path }) => layerOf(path)), pass.whole]),
      ...table('part, of all layers', [...groupsOf(pass.parts, partOf), pass.whole]),
    ]),
    '',
    ...summary,
  ];
}

const giga = (perSecond: number) => (perSecond / 1e9).toFixed(1);

const arithmeticOf = ({ flops, products }: Roofs) =>
  products === flops
    ? `${giga(flops)} GFLOP/s`
    : `${giga(products)} Gop/s of products of integers, ${giga(flops)} GFLOP/s of the rest`;

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['MFLOP', ({ flops }) => (flops / 1e6).toFixed(1)],
  ['weights MB', ({ weightBytes }) => (weightBytes / 1e6).toFixed(2)],
  ['states MB', ({ stateBytes }) => (stateBytes / 1e6).toFixed(2)],
  ['ms', ({ milliseconds }) => milliseconds.toFixed(3)],
  ['share', ({ share }) => percent(share)],
  ['GFLOP/s', ({ gflops }) => gflops.toFixed(1)],
  ['GB/s', ({ gigabytesPerSecond }) => gigabytesPerSecond.toFixed(1)],
  ['of limit', ({ ofLimit }) => percent(ofLimit)],
];

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

function table(title: string, rows: readonly Row[]): string[] {
  const width = Math.max(title.length, ...rows.map(({ path }) => path.length));
  const line = (name: string, cells: readonly string[], last: string) =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(12)).join('')}  ${last}`;
  return [
    line(
      title,
      columns.map(([name]) => name),
      'bound by',
    ),
    ...rows.map((row) =>
      line(
        row.path,
        columns.map(([, cell]) => cell(row)),
        row.boundBy,
      ),
    ),
    '',
  ];
}

const reasons: Readonly<Record<Bound, string>> = {
  arithmetic: 'arithmetic',
  weights: 'reading weights',
  states: 'reading and writing activations',
};

/** The limit of a pass, and how close it comes to it. */
function sentenceOf({ name, tokens, whole }: PassReport): string {
  const what = { encoder: 'The encoder', decoder: 'The decoder', step: 'Decoding' }[name];
  const perSecond = (milliseconds: number) => Math.round((1e3 * tokens) / milliseconds).toLocaleString('en');
  return (
    `${what} is bound by ${reasons[whole.boundBy]}: the limit of this machine is ${perSecond(whole.limitMilliseconds)} ` +
    `tokens per second; measured: ${perSecond(whole.milliseconds)} (${percent(whole.ofLimit)}).`
  );
}
