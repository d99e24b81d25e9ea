/** Where a score or a logit comes from: see `attribute` in causes.ts. */

import { hasDecoder, type LoadedModel } from '../checkpoint/loaded.js';
import type { TransformerPlan } from '../plans/family.js';
import type { StackName } from '../plans/stack.js';
import { fail } from '../values/errors.js';
import {
  complete,
  differences,
  explained,
  readQuestion,
  refuse,
  runSources,
  stackOf,
  total,
  type Work,
} from './attribution_run.js';
import { sourcesAt } from './attribution_sources.js';
import type { Attribution } from './cause_types.js';
import type { ForwardOutput } from './forward_output.js';
import { readSequence } from './repeated_inputs.js';
import { ofScore } from './score_attribution.js';

export async function attribution(
  { loaded }: LoadedModel,
  inputs: unknown,
  options: unknown,
): Promise<Attribution> {
  const asked = readQuestion(options);
  const sequence = readSequence(inputs);
  const work = { model: loaded, sequence, asked };
  return asked.token === undefined ? ofScore(work) : ofLogit(work);
}

async function ofLogit(work: Work): Promise<Attribution> {
  const { model } = work;
  const asked = complete(work.asked, ['position', 'token'], ['against']);
  const { model: plan } = model.plan as TransformerPlan;
  const stack: StackName = hasDecoder(model) ? 'decoder' : 'encoder';
  const { numLayers } = stackOf(model, stack);
  refuse(plan.head?.steps?.length, 'the head before the logits is not linear');
  refuse(!plan.projection?.vocab, 'the model has no logits');
  refuse(plan.projection?.cap, 'capped logits are not linear (Gemma 2)');
  const { run, logits: given } = await explained(work, [stack]);
  const sources = sourcesAt({ stack, layer: numLayers, isCross: false }, run);
  const { position, token, against } = asked;
  const tokens = against === undefined ? [token] : [token, against];
  const read = ({ logits }: Pick<ForwardOutput, 'logits'>) => {
    const { data, shape } = logits ?? fail('internal', 'a pass has no logits');
    const [batch = 0, time = 0, vocab = 0] = shape;
    if (position >= time) fail('invalid_argument', `attribute: there is no position ${position} of ${time}`);
    for (const id of tokens)
      if (id >= vocab) fail('invalid_argument', `attribute: there is no token ${id} of ${vocab}`);
    const rows = Array.from({ length: batch }, (_, row) => (row * time + position) * vocab);
    return rows.flatMap((first) => tokens.map((id) => data[first + id] ?? 0));
  };
  const whole = read({ logits: given });
  const time = run[`${stack}.embeddings.sum`]?.shape[1] ?? 1;
  const passes = await runSources(work, run, {
    sources,
    logits: time * (plan.projection?.vocab ?? 0),
    read,
  });
  const count = sources.length + 2;
  const logits = { data: Float32Array.from([...whole, ...passes.flat()]), shape: [count, tokens.length] };
  const signs = { data: Float32Array.from(tokens, (_, i) => 1 - 2 * i), shape: [tokens.length, 1] };
  const values = await model.host.call(
    'matmul',
    differences(count, 1),
    await model.host.call('matmul', logits, signs),
  );
  const [value = 0, ...others] = values.data;
  const parts = ['biases', ...sources.map(({ name }) => name)].map((source, i) => ({
    source,
    value: others[i] ?? 0,
  }));
  return { value, parts, rounding: value - total(parts) };
}
