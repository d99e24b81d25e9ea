/** A config.json as a model that can be trained: in the engine's terms, and with the names that its file has. */

import { familyOf } from '../families/index.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import type { Plan } from '../plans/family.js';
import { storedName } from '../plans/torch_names.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import type { Slice } from '../weights/slices.js';
import type { TrainedParameter } from './embind.js';

export interface TrainingPlan {
  /** As given, with its `model_type`. */
  readonly config: JsonObject;
  readonly model: Partial<TransformerConfig>;
  /** The decoder's first token; `null` where there is none. */
  readonly decoderStart: number | null;
  readonly hasBoth: boolean;
  /**
   * The names under which a checkpoint of this family stores the parameters, in their order.
   *
   * @throws TransformerError `unsupported` if it stores them otherwise than one by one.
   */
  storedNames(parameters: readonly TrainedParameter[]): string[];
}

/**
 * @param given `config.json` of any family of transformers that stores each parameter by itself; without `model_type`,
 *   our own
 * @throws TransformerError `unsupported`, `bad_checkpoint`, as loading it would
 */
export async function planTraining(given: unknown): Promise<TrainingPlan> {
  const own = toObject(given, 'config') as JsonObject;
  const isOurs = own.model_type === undefined || own.model_type === 'transformer';
  const config: JsonObject = { ...(isOurs && ourDefaults), ...own };
  const family = await familyOf(config);
  family.requireKnown();
  const plan = family.plan(new Map());
  const { model } = plan;
  if ('recurrent' in model) fail('unsupported', 'recurrent models cannot be trained here');
  const layers = (stack: 'encoder' | 'decoder') => model[stack]?.numLayers ?? 0;
  const hasBoth = layers('encoder') > 0 && layers('decoder') > 0;
  return {
    config,
    model,
    decoderStart: plan.tokens.decoderStart,
    hasBoth,
    storedNames(parameters) {
      const names = parameters.map(({ name }) => plan.storedName?.(name) ?? ownName(name, hasBoth));
      const shapes = new Map(parameters.map(({ shape }, i) => [names[i] ?? '', shape]));
      checkPlan(family.plan(shapes), plan, parameters);
      return names;
    },
  };
}

const ourDefaults = { model_type: 'transformer', num_encoder_layers: 0, num_decoder_layers: 0 };

/**
 * Our own format can store the projections of attention one by one. A decoder alone has PyTorch's layers of an encoder.
 */
function ownName(name: string, hasBoth: boolean): string {
  if (/\.[qkv]_proj\.(weight|bias)$/.test(name)) return name.replace('.cross_attn.', '.multihead_attn.');
  return hasBoth ? storedName(name) : storedName(name.replace('.feed_forward_norm.', '.norm2.'));
}

/** A model as text, without a stack that it does not have. */
const described = ({ model }: Plan) =>
  JSON.stringify(model, (_, value) => (value?.numLayers === 0 ? undefined : value));

/** Whether the names lead to the same model, each to its parameter as a whole. */
function checkPlan(again: Plan, plan: Plan, parameters: readonly TrainedParameter[]): void {
  const { slices } = again;
  const isWhole = ({ rows, view, added }: Slice) =>
    rows === null && view === undefined && added === undefined;
  const isThere = ({ name }: TrainedParameter) =>
    slices.some((slice) => slice.name === name && isWhole(slice));
  const missing = parameters.find((parameter) => !isThere(parameter));
  if (!missing && described(again) === described(plan)) return;
  fail(
    'unsupported',
    missing
      ? `models of this family do not store '${missing.name}' as it is, so they cannot be trained here`
      : 'what this config.json describes depends on the weights beside it, so that it cannot be trained without them',
  );
}
