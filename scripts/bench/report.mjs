// The table of results, in the terminal.

import { say } from '../lib/console.mjs';

const columns = [
  ['ours', 'transformer-wasm'],
  ['onnxruntime', 'onnxruntime-web'],
];

const cell = (result) =>
  result
    ? `${result.median.toPrecision(3)} (${result.min.toPrecision(3)}..${result.max.toPrecision(3)})`
    : '-';

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** How many times faster `ours` is: the median of the rounds' ratios. */
export function ratio(ours, theirs) {
  if (!ours || !theirs) return undefined;
  return median(theirs.times.map((time, round) => time / ours.times[round]));
}

export function printHeader(place) {
  say(`\n${place}`);
  say(
    `${'ms a call: median (min..max)'.padEnd(40)}  ${columns.map(([, title]) => title.padEnd(24)).join('  ')}  GFLOP/s     ratio`,
  );
}

export function printRow({ name, flops, results }) {
  const gflops = flops / results.ours.median / 1e6;
  say(
    [
      name.padEnd(40),
      ...columns.map(([side]) => cell(results[side]).padEnd(24)),
      gflops.toFixed(1).padStart(7),
      `${ratio(results.ours, results.onnxruntime).toFixed(2)} x`.padStart(8),
    ].join('  '),
  );
}
