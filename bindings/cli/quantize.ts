/** `transformer-wasm quantize`. */

import { quantizedDtypes } from '../engine/dtype.js';
import { command } from './command.js';
import { allJson, isSet, oneOf, UsageError } from './flags.js';
import type { QuantizedCheckpoint } from './quantization_summary.js';
import { quantizeCheckpoint } from './quantize_checkpoint.js';
import { clearStatus, printJson, printLines, showStatus } from './terminal.js';

export const quantize = command({
  args: 'DIR OUT',
  summary: 'writes a copy of a model with matrices in 8 or 4 bits: a quarter of the size or less',
  about: `Reads the model of a folder (or URL) and writes it to the folder OUT with 8-bit matrices: linear layers, token embeddings
and the output projection, with one scale per output channel. Norms, biases and position tables are not changed. OUT is
about a quarter of the size of a float32 model. It is a Hugging Face folder (compressed-tensors, "int-quantized") that
includes the tokenizer's files; tensors that the model does not use are left out.

With --dtype int4, all but the embeddings have 4 bits, with one scale for 32 weights ("pack-quantized"): little more than
an eighth of the size. Large models hold their quality, small ones lose some.

Reports the size before and after, the quantisation error, and which tensors were not changed.`,
  flags: {
    dtype: oneOf(quantizedDtypes, 'bits of the matrices; default: int8'),
    force: isSet('overwrite files in OUT'),
    json: allJson,
  },
  examples: [
    'quantize path/to/model path/to/model-int8',
    'translate "I am hungry." --model path/to/model-int8',
  ],
  async run([folder, out, ...more], values) {
    if (folder === undefined || out === undefined || more.length > 0)
      throw new UsageError('quantize takes two arguments: the folder of a model, and the folder to write');
    const { dtype = 'int8', force = false } = values;
    const interruption = new Interruption();
    try {
      const { signal } = interruption;
      const done = await quantizeCheckpoint(folder, out, {
        dtype,
        force,
        signal,
        onProgress: progressLine(),
      });
      clearStatus();
      if (values.json) printJson(done);
      else printLines(asText(done));
    } finally {
      clearStatus();
      interruption.end();
    }
  },
});

/** Defers Ctrl-C and similar signals until the partial output is removed. */
class Interruption {
  readonly #controller = new AbortController();
  readonly #signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  #received: NodeJS.Signals | null = null;
  readonly #receive = (received: NodeJS.Signals) => {
    this.#received = received;
    this.#controller.abort();
  };

  constructor() {
    for (const name of this.#signals) process.on(name, this.#receive);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    for (const name of this.#signals) process.off(name, this.#receive);
    if (this.#received) process.kill(process.pid, this.#received);
  }
}

/** On a terminal, shows the percentage on a line that is overwritten. */
function progressLine(): (done: number) => void {
  let shown = -1;
  return (done) => {
    const percent = Math.floor(done * 100);
    if (percent === shown) return;
    shown = percent;
    showStatus(`quantising ${percent} %`);
  };
}

function asText(done: QuantizedCheckpoint): string[] {
  const { bytesBefore, bytesAfter, quantized, kept, keptBytes, leftOut, largestError, relativeError } = done;
  const number = (value: number) => value.toLocaleString('en');
  const percent = ((100 * bytesAfter) / bytesBefore).toFixed(1);
  const facts = [
    ['family', done.family],
    ['quantised', `${number(quantized.length)} matrices`],
    ['bytes', `${number(bytesBefore)} before, ${number(bytesAfter)} after (${percent} %)`],
    [
      'error',
      `${largestError.value.toPrecision(3)} at most${largestError.tensor ? `, in ${largestError.tensor}` : ''}; ${(100 * relativeError).toFixed(2)} % of the weights (root mean square)`,
    ],
    ['kept', `${number(kept.length)} tensors unchanged, ${number(keptBytes)} bytes`],
    ...byLayers(kept).map((line) => ['', line] as const),
    ...(leftOut.length > 0 ? [['left out', `${number(leftOut.length)} unused tensors`] as const] : []),
    ...byLayers(leftOut).map((line) => ['', line] as const),
    ['files', `${done.files.join(', ')} in ${done.folder}`],
  ];
  return facts.map(([name, text]) => `${(name ?? '').padEnd(12)}${text}`);
}

/** Merges names that differ only in the layer number. */
function byLayers(names: readonly string[]): string[] {
  const groups = new Map<string, number>();
  for (const name of names) {
    const generic = name.replace(/(?<=\.)\d+(?=\.)/g, '#');
    groups.set(generic, (groups.get(generic) ?? 0) + 1);
  }
  return [...groups].map(([name, count]) => (count > 1 ? `${name} (${count})` : name));
}
