/**
 * A pair of stacks from two checkpoints (Rothe et al. 2020): the encoder of one family, and a language model of another
 * as the decoder, with cross-attention.
 */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import { isJsonObject } from '../json/json_object.js';
import { bertWords } from '../tokenizers/kinds.js';
import type { Shapes, Slice } from '../weights/slices.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { type Family, fieldsOf, readTokens, type TransformerPlan } from './family.js';
import { camembert, roberta, xlmRoberta } from './roberta.js';
import type { StackName } from './stack.js';

/** The families of each stack, with the class that a decoder has. */
const encoders: readonly Family[] = [bert, roberta, xlmRoberta, camembert, distilbert, electra];
const decoders: ReadonlyMap<Family, string> = new Map([
  [bert, 'BertForMaskedLM'],
  [roberta, 'RobertaForMaskedLM'],
  [xlmRoberta, 'XLMRobertaForMaskedLM'],
  [camembert, 'CamembertForMaskedLM'],
]);

/** The config of a stack, with the defaults of its family. */
function partOf(config: JsonObject, stack: StackName, known: readonly Family[]): [Family, JsonObject] {
  const part = config[stack];
  if (!isJsonObject(part)) fail('bad_checkpoint', `config.json has no ${stack}`);
  const { model_type: type } = part;
  const family = known.find(({ modelTypes }) => modelTypes.includes(String(type)));
  if (!family) {
    const types = known.flatMap(({ modelTypes }) => modelTypes.map((one) => `'${one}'`)).join(', ');
    fail(
      'unsupported',
      `config.json: a pair of stacks with the ${stack} '${type}' is not supported; known are ${types}`,
    );
  }
  const { defaults } = family;
  return [family, { ...(typeof defaults === 'function' ? defaults(part) : defaults), ...part }];
}

/** The tensors of a stack, under the names that they have in a checkpoint of its own. */
const within = (shapes: Shapes, stack: StackName): Shapes =>
  new Map(
    [...shapes].flatMap(([name, shape]) =>
      name.startsWith(`${stack}.`) ? [[name.slice(stack.length + 1), shape] as const] : [],
    ),
  );

/** The slices of a stack's own plan in the whole model; an encoder's become those of the decoder. */
const placed = (slices: readonly Slice[], stack: StackName): Slice[] =>
  slices.map((slice) => ({
    ...slice,
    name: slice.name.replace(/^encoder\./, `${stack}.`),
    from: `${stack}.${slice.from}`,
  }));

/** The plan of a family whose models are transformers, as all families above are. */
function planOf(family: Family, config: JsonObject, shapes: Shapes): TransformerPlan {
  const { model, ...plan } = family.plan(config, shapes);
  return 'recurrent' in model ? fail('internal', 'a pair of stacks cannot be recurrent') : { ...plan, model };
}

function planEncoder(config: JsonObject, shapes: Shapes): TransformerPlan {
  const [family, own] = partOf(config, 'encoder', encoders);
  const plan = planOf(family, { ...own, architectures: null }, within(shapes, 'encoder'));
  const slices = plan.slices.filter(({ name }) => name.startsWith('encoder.'));
  return { ...plan, slices: placed(slices, 'encoder') };
}

/** A language model that reads in both directions, as the decoder that it was turned into. */
function planDecoder(config: JsonObject, shapes: Shapes): TransformerPlan {
  const [family, own] = partOf(config, 'decoder', [...decoders.keys()]);
  const asEncoder = { is_decoder: false, add_cross_attention: false, architectures: [decoders.get(family)] };
  const plan = planOf(family, { ...own, ...asEncoder }, within(shapes, 'decoder'));
  const { encoder, ...rest } = plan.model;
  return { ...plan, model: { ...rest, decoder: encoder ?? {} }, slices: placed(plan.slices, 'decoder') };
}

export const encoderDecoder: Family = {
  modelTypes: ['encoder-decoder'],
  tokenizer: bertWords,
  // Ids that only the decoder's config gives.
  defaults({ decoder }) {
    if (!isJsonObject(decoder)) return {};
    const { pad_token_id, bos_token_id, eos_token_id, decoder_start_token_id } = decoder;
    return { pad_token_id, bos_token_id, eos_token_id, decoder_start_token_id };
  },
  plan(config, shapes) {
    const encoder = planEncoder(config, shapes);
    const decoder = planDecoder(config, shapes);
    const [from, to] = [encoder.model.encoder, decoder.model.decoder].map((stack) => stack?.layer?.dModel);
    if (from !== to)
      fail('unsupported', `a pair of stacks whose widths differ (${from} and ${to}) is not supported`);
    const limits = [encoder, decoder].map(({ maxPositions }) => maxPositions ?? Number.POSITIVE_INFINITY);
    return {
      model: { ...decoder.model, encoder: encoder.model.encoder ?? {} },
      slices: [...encoder.slices, ...decoder.slices],
      tokens: readTokens(fieldsOf(config)),
      maxPositions: Math.min(...limits),
      countsPositions: encoder.countsPositions === true,
      storedName: (name) => {
        const stack = name.startsWith('encoder.') ? 'encoder' : 'decoder';
        const plan = stack === 'encoder' ? encoder : decoder;
        return `${stack}.${plan.storedName?.(name.replace(/^decoder\./, 'encoder.')) ?? name}`;
      },
    };
  },
};
