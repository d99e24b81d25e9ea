/** What attributions of scores and of logits share: the run that is explained, and the passes over its sources. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { StackConfig } from '../modules/embind.js';
import type { StackName } from '../plans/stack.js';
import { fail } from '../values/errors.js';
import {
  choiceOf,
  type FieldsOf,
  integerFrom,
  type ReadersOf,
  readFields,
  toFunction,
  toSignal,
} from '../values/options.js';
import type { Tensor } from '../values/tensor.js';
import { nothing, type Run, type Source, tracedOf } from './attribution_sources.js';
import type { AttributedPart, LogitQuestion, ScoreQuestion } from './cause_types.js';
import { forward } from './forward.js';
import type { ForwardOutput } from './forward_output.js';
import { type ReadSequence, runRows } from './repeated_inputs.js';

const readers = {
  kind: choiceOf(['encoder', 'decoder', 'cross']),
  layer: integerFrom(0),
  head: integerFrom(0),
  query: integerFrom(0),
  key: integerFrom(0),
  position: integerFrom(0),
  token: integerFrom(0),
  against: integerFrom(0),
  onProgress: toFunction<NonNullable<ScoreQuestion['onProgress']>>,
  signal: toSignal,
} satisfies ReadersOf<ScoreQuestion & LogitQuestion>;

export type Asked = FieldsOf<typeof readers>;

export const readQuestion = (options: unknown): Asked => readFields(options, readers);

export interface Work {
  readonly model: Loaded;
  readonly sequence: ReadSequence;
  readonly asked: Asked;
}

export type Given<Name extends keyof Asked> = { readonly [key in Name]-?: NonNullable<Asked[key]> };

/** @throws TransformerError `invalid_argument` for a field that is missing, and for one of the other question. */
export function complete<Name extends keyof Asked & string>(
  asked: Asked,
  needed: readonly Name[],
  others: readonly string[],
): Asked & Given<Name> {
  for (const name of needed)
    if (asked[name] === undefined) fail('invalid_argument', `options.${name} is missing`);
  const known: readonly string[] = [...needed, ...others, 'onProgress', 'signal'];
  for (const name of Object.keys(asked))
    if (!known.includes(name))
      fail('invalid_argument', `options: ${name} does not go with ${needed.join(', ')}`);
  return asked as Asked & Given<Name>;
}

/** @throws TransformerError `unsupported`, which names what is not linear, or not a text. */
export function stackOf({ plan }: Loaded, name: StackName): StackConfig {
  if ('recurrent' in plan.model)
    return fail('unsupported', 'attribute: a recurrent model has no residual stream');
  const stack = plan.model[name] as StackConfig | undefined;
  if (!stack?.numLayers) return fail('invalid_argument', `attribute: the model has no ${name}`);
  if (!stack.vocab) fail('unsupported', `attribute: the ${name} reads vectors, not tokens`);
  if (stack.layer.ssru)
    fail('unsupported', 'attribute: the recurrent unit (SSRU) of this decoder is not linear');
  return stack;
}

export const refuse = (isRefused: unknown, what: string) =>
  isRefused && fail('unsupported', `attribute: ${what}`);

/** The run that is explained, with all that its parts are made of. @param options what is asked of it besides */
export async function explained(
  { model, sequence }: Work,
  stacks: readonly StackName[],
  { trace = [], ...options }: { readonly trace?: string[]; readonly skipLogits?: boolean } = {},
): Promise<{ run: Run; logits: Tensor | undefined }> {
  const own = [...new Set(stacks)].flatMap((name) => tracedOf(name, stackOf(model, name)));
  const output = await forward(model, sequence, { ...options, trace: [...own, ...trace] });
  return { run: output.trace as Run, logits: output.logits };
}

/** What is read from passes in which each source is alone, after one of none. */
export const runSources = <Result>(
  { model, sequence, asked }: Work,
  run: Run,
  passes: {
    readonly sources: readonly Source[];
    readonly trace?: string[];
    /** Floats of its logits; 0: it has none. */
    readonly logits: number;
    read(output: ForwardOutput): Result;
  },
): Promise<Result[]> => {
  const { sources, trace, logits, read } = passes;
  return runRows(model, sequence, {
    rows: [none, ...sources],
    ...(trace && { trace }),
    ...(logits === 0 && { skipLogits: true }),
    rowSize: Math.max(sizeOf(run), logits),
    ...(asked.onProgress && { onProgress: asked.onProgress }),
    ...(asked.signal && { signal: asked.signal }),
    editsOf: (rows) => [...nothing(run), ...rows.flatMap((source, row) => source.edits(row))],
    read,
  });
};

/** The row of the biases. */
const none: Source = { name: 'biases', edits: () => [] };

/** Floats of the largest tensor of a run. */
const sizeOf = (run: Run) =>
  Object.values(run).reduce((most, { data }) => (data.length > most ? data.length : most), 1);

/**
 * Rows: the whole, the biases, and each source without them, times `scale`. Columns: the whole, nothing, each source.
 */
export function differences(count: number, scale: number) {
  const data = new Float32Array(count * count);
  for (let i = 0; i < count; i++) {
    data[i * count + i] = scale;
    if (i > 1) data[i * count + 1] = -scale;
  }
  return { data, shape: [count, count] };
}

export const total = (parts: readonly AttributedPart[]) => parts.reduce((sum, { value }) => sum + value, 0);
