/** `transformer-wasm train`. */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrainingBatch } from '../training/batch.js';
import type { TrainingSettings } from '../training/settings.js';
import type { Trainer } from '../training/trainer.js';
import { command } from './command.js';
import {
  allJson,
  count,
  type Flags,
  isSet,
  oneOf,
  positive,
  text,
  UsageError,
  type ValuesOf,
} from './flags.js';
import { barWith } from './progress.js';
import { clearStatus, print, printJson, showStatus } from './terminal.js';
import { batchOf, type Example, examplesIn } from './training_data.js';

const flags = {
  config: { ...text('FILE', 'config.json of the model; required'), needed: 'a model: --config FILE' },
  data: { ...text('FILE', 'examples, a line of JSON each; required'), needed: 'examples: --data FILE' },
  steps: count('steps of the whole training; default: 1000'),
  'batch-size': count('examples of a step; default: 32'),
  'learning-rate': positive('default: 0.001'),
  warmup: count('steps in which the learning rate grows from zero; default: 0', 0),
  decay: oneOf(
    ['none', 'linear', 'cosine'],
    'how it falls after that, to zero at the last step; default: none',
  ),
  smoothing: positive('share of each target that goes to all tokens evenly; default: 0'),
  seed: count('of the first weights and of the order of the examples; default: 0', 0),
  'save-every': count('steps between two checkpoints; default: 1000'),
  resume: isSet('go on from the last checkpoint in OUT'),
  json: allJson,
} satisfies Flags;

export const train = command({
  args: 'OUT',
  summary: 'trains a small model, and writes it into the folder OUT',
  about: `Trains a decoder, or an encoder and a decoder, of up to a few million parameters on one thread. Each line of the data is an
example in token ids: { "inputs": [...] } for a decoder, which learns each next token, or { "source": [...], "targets": [...] }
for a model with both; "targets" of a decoder say what else it is to predict, with -100 for what does not count.

OUT gets config.json and model.safetensors, which every other command reads, and state.safetensors, with which --resume goes
on: the result has the same bits as that of a training without a break. A checkpoint is also written when Ctrl-C ends it.`,
  flags,
  examples: [
    'train out --config config.json --data examples.jsonl --steps 2000 --warmup 100 --decay cosine',
    'train out --config config.json --data examples.jsonl --steps 2000 --warmup 100 --decay cosine --resume',
  ],
  async run([out, ...more], values) {
    if (out === undefined || more.length > 0)
      throw new UsageError('train takes one argument: the folder to write');
    const { createTrainer } = await import('../training/trainer.js');
    const config = JSON.parse(await readFile(String(values.config), 'utf8')) as object;
    const examples = await examplesIn(String(values.data));
    const state = values.resume ? { state: await readFile(join(out, stateFile)) } : {};
    const trainer = await createTrainer(config, { ...settingsOf(values), ...state });
    try {
      await mkdir(out, { recursive: true });
      await run(trainer, examples, { ...values, out });
    } finally {
      clearStatus();
      await trainer.dispose();
    }
  },
});

const stateFile = 'state.safetensors';
const defaultSteps = 1000;

function settingsOf(values: ValuesOf<typeof flags>): TrainingSettings {
  const { steps = defaultSteps, seed = 0, warmup, decay, smoothing, 'learning-rate': learningRate } = values;
  return {
    seed,
    totalSteps: steps,
    ...(learningRate !== undefined && { learningRate }),
    ...(warmup !== undefined && { warmupSteps: warmup }),
    ...(decay && { decay }),
    ...(smoothing !== undefined && { labelSmoothing: smoothing }),
  };
}

/** How often the loss is printed. */
const stepsPerReport = 100;

async function run(
  trainer: Trainer,
  examples: readonly Example[],
  { out, ...values }: ValuesOf<typeof flags> & { readonly out: string },
): Promise<void> {
  const { steps = defaultSteps, seed = 0, 'batch-size': size = 32, 'save-every': saveEvery = 1000 } = values;
  let ends = false;
  const end = () => {
    ends = true;
  };
  process.once('SIGINT', end);
  try {
    let step = await trainer.steps();
    let isSaved = false;
    while (step < steps && !ends) {
      const batch: TrainingBatch = batchOf(examples, { size, seed, step });
      const { loss, gradNorm, ...rest } = await trainer.step(batch);
      step = rest.step;
      showStatus(`${barWith(step / steps)}  step ${step} of ${steps}  loss ${loss.toFixed(4)}`);
      if (step % stepsPerReport === 0 || step === steps) {
        if (values.json) printJson({ ...rest, loss, gradNorm });
        else print(`step ${step}  loss ${loss.toFixed(4)}  norm of the gradients ${gradNorm.toFixed(3)}\n`);
      }
      isSaved = step % saveEvery === 0;
      if (isSaved) await save(trainer, out);
    }
    if (!isSaved) await save(trainer, out);
    clearStatus();
  } finally {
    process.off('SIGINT', end);
  }
  if (ends) process.exitCode = 130;
}

/** A file has its name only when it is whole. */
async function save(trainer: Trainer, out: string): Promise<void> {
  const files = [...(await trainer.save()), [stateFile, await trainer.state()] as const];
  for (const [name, content] of files) {
    const temporary = join(out, `.${name}.${process.pid}.part`);
    try {
      await writeFile(
        temporary,
        content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content,
      );
      await rename(temporary, join(out, name));
    } finally {
      await rm(temporary, { force: true });
    }
  }
}
