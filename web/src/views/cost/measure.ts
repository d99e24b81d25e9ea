/** Runs the model in other ways: with one thread, in 32 bits, on longer sentences. */

import { createEngine, type Dtype, type Engine, loadModel, type Model, type Profile } from 'transformer-wasm';
import { translationModel } from '../../reading/files.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';

export const lengths = [16, 32, 64, 128] as const;

export interface Variant {
  readonly threads: number;
  readonly dtype: Dtype;
  readonly weightBytes: number;
  /** Of the encoder for 64 tokens. */
  readonly milliseconds: number;
}

export interface Growth {
  readonly tokens: number;
  /** Operations of the attention itself, which grow with n², and of all products with weights, which grow with n. */
  readonly squared: number;
  readonly linear: number;
  readonly milliseconds: number;
}

const isQuadratic = (path: string) => path.endsWith('scaled_dot_product');

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** The encoder's pass, or the decoder's where there is no encoder. */
const passOf = (profile: Profile) => {
  const [pass] = profile;
  if (!pass) throw new Problem(words.messages.nothingToMeasure);
  return pass;
};

export async function* growthOf(model: Model, signal: AbortSignal): AsyncGenerator<Growth> {
  for (const tokens of lengths) {
    const { parts, milliseconds } = passOf(await model.profile({ tokens, rounds: 1, signal }));
    const flopsOf = (isSquared: boolean) =>
      total(parts.filter(({ path }) => isQuadratic(path) === isSquared).map(({ flops }) => flops));
    yield { tokens, squared: flopsOf(true), linear: flopsOf(false), milliseconds };
  }
}

/** Our model in both precisions, with one thread and with all that there are. */
export async function* variantsOf(engine: Engine, signal: AbortSignal): AsyncGenerator<Variant> {
  const all = engine.info.threads;
  for (const threads of all > 1 ? [1, all] : [1]) {
    const own = await createEngine({ threads, worker: engine.info.worker ? 'auto' : false });
    try {
      for (const dtype of ['int8', 'f32'] as const) {
        const model = await loadModel(await translationModel(), { engine: own, dtype, signal });
        const { milliseconds } = passOf(await model.profile({ tokens: 64, rounds: 3, signal }));
        yield { threads, dtype, weightBytes: model.info.weightBytes, milliseconds };
        await model.dispose();
      }
    } finally {
      await own.dispose();
    }
  }
}
