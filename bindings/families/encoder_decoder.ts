/**
 * A pair of stacks from two checkpoints (Rothe et al. 2020): the encoder of one family, for texts or for pictures, and
 * a language model of another as the decoder, with cross-attention.
 */

import type { JsonObject } from '../files/json_object.js';
import { isJsonObject } from '../files/json_object.js';
import { type Family, fieldsOf, type Plan, readTokens, type TransformerPlan } from '../plans/family.js';
import { type NameTable, nameBefore, renamed } from '../plans/renaming.js';
import type { StackName } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import type { Shapes, Slice } from '../weights/slices.js';
import { bert } from './bert.js';
import { deit } from './deit.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { gpt2 } from './gpt2.js';
import { camembert, roberta, xlmRoberta } from './roberta.js';
import { trocr } from './trocr.js';
import { vit } from './vit.js';

/** The families of each stack, with the class that a decoder has. */
const readers: readonly Family[] = [bert, roberta, xlmRoberta, camembert, distilbert, electra];
const viewers: readonly Family[] = [vit, deit];
const decoders: ReadonlyMap<Family, string> = new Map([
  [bert, 'BertForMaskedLM'],
  [roberta, 'RobertaForMaskedLM'],
  [xlmRoberta, 'XLMRobertaForMaskedLM'],
  [camembert, 'CamembertForMaskedLM'],
  [gpt2, 'GPT2LMHeadModel'],
  [trocr, 'TrOCRForCausalLM'],
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

function planEncoder(config: JsonObject, shapes: Shapes, known: readonly Family[]): TransformerPlan {
  const [family, own] = partOf(config, 'encoder', known);
  const plan = planOf(family, { ...own, architectures: null }, within(shapes, 'encoder'));
  const slices = plan.slices.filter(({ name }) => /^(encoder|front)\./.test(name));
  return { ...plan, slices: placed(slices, 'encoder') };
}

/** A language model as the decoder: one that reads in both directions was turned into one. */
function planDecoder(config: JsonObject, shapes: Shapes): TransformerPlan {
  const [family, own] = partOf(config, 'decoder', [...decoders.keys()]);
  const alone = { is_decoder: false, add_cross_attention: false, architectures: [decoders.get(family)] };
  const plan = planOf(family, { ...own, ...alone }, within(shapes, 'decoder'));
  const { encoder, ...rest } = plan.model;
  const model = encoder ? { ...rest, decoder: encoder } : rest;
  const ownName = (name: string) => (encoder ? name.replace(/^decoder\./, 'encoder.') : name);
  return {
    ...plan,
    model,
    slices: placed(plan.slices, 'decoder'),
    storedName: (name) => plan.storedName?.(ownName(name)) ?? name,
  };
}

const bridgeNames: NameTable = { prefixes: [], names: { enc_to_dec_proj: 'decoder.memory_projection' } };

/** Whether a layer brings the encoder's output to the decoder's width, which its attention does not read itself. */
function needsBridge(
  { decoder: own }: JsonObject,
  encoder: TransformerPlan,
  decoder: TransformerPlan,
): boolean {
  if (isJsonObject(own) && (own.cross_attention_hidden_size ?? null) !== null) return false;
  return encoder.model.encoder?.layer?.dModel !== decoder.model.decoder?.layer?.dModel;
}

function planPair(config: JsonObject, shapes: Shapes, known: readonly Family[]): Plan {
  const encoder = planEncoder(config, shapes, known);
  const decoder = planDecoder(config, shapes);
  const hasBridge = needsBridge(config, encoder, decoder);
  const limits = [encoder, decoder].map(({ maxPositions }) => maxPositions ?? Number.POSITIVE_INFINITY);
  const { front } = encoder.model;
  const { statesBeforeNorm } = encoder;
  return {
    model: {
      ...decoder.model,
      ...(front && { front }),
      encoder: encoder.model.encoder ?? {},
      ...(hasBridge && { memoryProjection: true }),
    },
    slices: [...encoder.slices, ...decoder.slices, ...(hasBridge ? renamed(shapes, bridgeNames) : [])],
    tokens: readTokens(fieldsOf(config)),
    // A picture's length is fixed.
    maxPositions: front ? decoder.maxPositions : Math.min(...limits),
    countsPositions: encoder.countsPositions === true,
    ...(statesBeforeNorm && { statesBeforeNorm }),
    storedName: (name) => {
      const bridge = nameBefore(name, bridgeNames);
      if (bridge !== name) return bridge;
      const stack = /^(encoder|front)\./.test(name) ? 'encoder' : 'decoder';
      return `${stack}.${{ encoder, decoder }[stack].storedName?.(name) ?? name}`;
    },
  };
}

/** Ids that only the decoder's config gives. */
function idsOfDecoder({ decoder }: JsonObject): JsonObject {
  if (!isJsonObject(decoder)) return {};
  const { pad_token_id, bos_token_id, eos_token_id, decoder_start_token_id } = decoder;
  return { pad_token_id, bos_token_id, eos_token_id, decoder_start_token_id };
}

export const encoderDecoder: Family = {
  modelTypes: ['encoder-decoder'],
  tokenizer: kinds.bertWords,
  defaults: idsOfDecoder,
  plan: (config, shapes) => planPair(config, shapes, readers),
};

export const visionEncoderDecoder: Family = {
  modelTypes: ['vision-encoder-decoder'],
  tokenizer: kinds.robertaBytes,
  defaults: idsOfDecoder,
  plan: (config, shapes) => planPair(config, shapes, viewers),
};
