/** The supported model families. Only those of the bundled translator and of opus-mt are loaded at once. */

import type { JsonObject } from '../files/json_object.js';
import type { Family, Plan } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';
import { fail } from '../values/errors.js';
import { isQuantized } from '../weights/quantization.js';
import type { Shapes } from '../weights/slices.js';
import { marian } from './marian.js';
import { configOfTorchModule, isTorchModule } from './torch.js';
import { transformer } from './transformer.js';

/** What a page needs to translate. */
const atHand: readonly Family[] = [transformer, marian];

/** A config.json as its family reads it. */
export interface FamilyOf {
  /** `model_type`; `null` if it is missing. */
  readonly modelType: string | null;
  /** config.json with the defaults of the family's config class; unchanged for an unknown family. */
  readonly config: JsonObject;
  /** How to read the tokenizer if there is no tokenizer.json. */
  readonly tokenizer: TokenizerKind;
  /** The names of matrices that are stored as [in, out], if any are. */
  readonly inputsFirst: RegExp | undefined;
  /** @throws TransformerError `unsupported` for an unknown family; `bad_checkpoint` without one. */
  requireKnown(): void;
  /**
   * Plans the model from the tensor names of its checkpoint.
   *
   * @throws TransformerError `unsupported` for an unknown family.
   */
  plan(shapes: Shapes): Plan;
}

export async function familyOf(given: JsonObject): Promise<FamilyOf> {
  const own = isTorchModule(given) ? configOfTorchModule(given) : given;
  const modelType = typeof own.model_type === 'string' ? own.model_type : null;
  const find = (families: readonly Family[]) =>
    families.find(({ modelTypes }) => modelTypes.includes(String(modelType)));
  const near = find(atHand);
  const far = near ? null : await import('./other_families.js');
  const family = near ?? find(far?.otherFamilies ?? []);
  const defaults = family?.defaults;
  const config = { ...(typeof defaults === 'function' ? defaults(own) : defaults), ...own };
  const requireKnown = () => {
    if (!family) refuse(modelType, [...atHand, ...(far?.otherFamilies ?? [])]);
  };
  return {
    modelType,
    config,
    requireKnown,
    tokenizer: family?.tokenizer ?? far?.otherTokenizers.get(modelType) ?? kinds.onlyJson,
    inputsFirst: family?.inputsFirst,
    plan(shapes) {
      isQuantized(config); // throws for an unsupported quantisation
      refusePrunedHeads(config);
      return family
        ? family.plan(config, shapes)
        : refuse(modelType, [...atHand, ...(far?.otherFamilies ?? [])]);
    },
  };
}

/** Rejects checkpoints with pruned heads, whose tensors do not have the family's shapes. */
function refusePrunedHeads({ pruned_heads: value }: JsonObject): void {
  const heads = value ?? {};
  if (typeof heads !== 'object' || Object.keys(heads).length > 0)
    fail('unsupported', `config.json: pruned_heads ${JSON.stringify(heads)} is not supported`);
}

function refuse(modelType: string | null, families: readonly Family[]): never {
  const known = families.flatMap(({ modelTypes }) => modelTypes.map((type) => `'${type}'`)).join(', ');
  if (modelType === null) fail('bad_checkpoint', `config.json has no model_type; supported types: ${known}`);
  fail('unsupported', `model type '${modelType}' is not supported; supported types: ${known}`);
}
