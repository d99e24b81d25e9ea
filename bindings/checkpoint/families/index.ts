/** The supported model families. Adding one takes one file and one line here. */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import { onlyJson } from '../tokenizers/kinds.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';
import { isQuantized } from '../weights/quantization.js';
import type { Shapes } from '../weights/slices.js';
import { albert } from './albert.js';
import { bart } from './bart.js';
import { bert } from './bert.js';
import { blenderbot, blenderbotSmall } from './blenderbot.js';
import { bloom } from './bloom.js';
import { debertaV2 } from './deberta_v2.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { encoderDecoder } from './encoder_decoder.js';
import type { Family, Plan } from './family.js';
import { gemma } from './gemma.js';
import { gptNeo } from './gpt_neo.js';
import { gptNeox } from './gpt_neox.js';
import { gpt2 } from './gpt2.js';
import { llama } from './llama.js';
import { m2m100 } from './m2m_100.js';
import { marian } from './marian.js';
import { mbart } from './mbart.js';
import { mistral } from './mistral.js';
import { mpnet } from './mpnet.js';
import { opt } from './opt.js';
import { otherTokenizers } from './other_tokenizers.js';
import { pegasus } from './pegasus.js';
import { phi } from './phi.js';
import { qwen2 } from './qwen2.js';
import { recurrent } from './recurrent.js';
import { camembert, roberta, xlmRoberta } from './roberta.js';
import { mt5, t5, umt5 } from './t5.js';
import { configOfTorchModule, isTorchModule } from './torch.js';
import { transformer } from './transformer.js';
import { vit } from './vit.js';
import { whisper } from './whisper.js';

const families: readonly Family[] = [
  transformer,
  marian,
  t5,
  mt5,
  umt5,
  bart,
  mbart,
  m2m100,
  pegasus,
  blenderbot,
  blenderbotSmall,
  encoderDecoder,
  bert,
  roberta,
  xlmRoberta,
  camembert,
  distilbert,
  albert,
  electra,
  mpnet,
  debertaV2,
  gpt2,
  gptNeo,
  gptNeox,
  opt,
  phi,
  llama,
  mistral,
  qwen2,
  gemma,
  bloom,
  vit,
  whisper,
  recurrent,
];

/**
 * Plans a model from config.json and the tensor names of its checkpoint.
 *
 * @throws TransformerError `unsupported` for an unknown family.
 */
export function planModel(config: JsonObject, shapes: Shapes): Plan {
  const completed = completeConfig(config);
  isQuantized(config); // throws for an unsupported quantisation
  refusePrunedHeads(config);
  return familyOf(completed).plan(completed, shapes);
}

/** config.json with the defaults of the family's config class; unchanged for an unknown family. */
export function completeConfig(config: JsonObject): JsonObject {
  if (isTorchModule(config)) return configOfTorchModule(config);
  const defaults = find(config.model_type)?.defaults;
  return { ...(typeof defaults === 'function' ? defaults(config) : defaults), ...config };
}

/** `model_type` of config.json; `null` if it is missing. */
export function modelTypeOf(config: JsonObject): string | null {
  const { model_type: modelType } = completeConfig(config);
  return typeof modelType === 'string' ? modelType : null;
}

/** How to read the tokenizer if there is no tokenizer.json. */
export function tokenizerKindOf(config: JsonObject): TokenizerKind {
  const modelType = modelTypeOf(config);
  return find(modelType)?.tokenizer ?? otherTokenizers.get(modelType) ?? onlyJson;
}

const find = (modelType: unknown) =>
  families.find(({ modelTypes }) => modelTypes.includes(String(modelType)));

/** Rejects checkpoints with pruned heads, whose tensors do not have the family's shapes. */
function refusePrunedHeads({ pruned_heads: value }: JsonObject): void {
  const heads = value ?? {};
  if (typeof heads !== 'object' || Object.keys(heads).length > 0)
    fail('unsupported', `config.json: pruned_heads ${JSON.stringify(heads)} is not supported`);
}

function familyOf({ model_type: modelType }: JsonObject): Family {
  const family = find(modelType);
  if (family) return family;
  const known = families.flatMap(({ modelTypes }) => modelTypes.map((type) => `'${type}'`)).join(', ');
  if (typeof modelType !== 'string') {
    fail('bad_checkpoint', `config.json has no model_type; supported types: ${known}`);
  }
  fail('unsupported', `model type '${modelType}' is not supported; supported types: ${known}`);
}
