/** Speculative decoding (Leviathan et al. 2023): a smaller model guesses what a larger one will say. */

import { hasDecoder, hasEncoder, type Loaded, type LoadedModel } from '../checkpoint/loaded.js';
import { frontOf } from '../plans/front_end_config.js';
import { vocabularyOf } from '../plans/model_shape.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';

/**
 * The model that guesses for another one; `undefined` where it cannot read all of the sources.
 *
 * @throws TransformerError `invalid_argument`, `unsupported` for a model that cannot assist; `disposed`.
 */
export function assistantOf(
  model: Loaded,
  given: LoadedModel,
  sources: readonly Int32Array[],
): Loaded['handle'] | undefined {
  const assistant = loadedOf(given);
  checkKind(model, assistant);
  checkVocabulary(model, assistant);
  const { maxPositions } = assistant.plan;
  const canRead = maxPositions === null || sources.every(({ length }) => length <= maxPositions);
  return canRead ? assistant.handle : undefined;
}

function loadedOf(given: LoadedModel): Loaded {
  try {
    return given.loaded;
  } catch (error) {
    return fail('disposed', 'assistantModel was disposed and can no longer be used', error);
  }
}

function checkKind(model: Loaded, assistant: Loaded): void {
  if (assistant.host !== model.host)
    fail(
      'invalid_argument',
      'assistantModel must be in the same engine as the model: load both with the option `engine`',
    );
  if (frontOf(model.plan) || frontOf(assistant.plan))
    fail('unsupported', 'an assistantModel can only guess for models that read text');
  if (!hasDecoder(assistant) || hasEncoder(assistant) !== hasEncoder(model))
    fail(
      'invalid_argument',
      `assistantModel must be ${hasEncoder(model) ? 'a model with an encoder and a decoder' : 'a decoder alone'}, as the model is`,
    );
}

/** Tokenizers that were compared already, and found equal. */
const equals = new WeakMap<Tokenizer, WeakSet<Tokenizer>>();

function checkVocabulary(model: Loaded, assistant: Loaded): void {
  for (const stack of hasEncoder(model) ? (['encoder', 'decoder'] as const) : (['decoder'] as const)) {
    const [wanted, found] = [model, assistant].map(({ plan }) => vocabularyOf(plan, stack));
    if (wanted !== found)
      fail(
        'invalid_argument',
        `assistantModel must have the model's vocabulary of ${wanted} tokens, but has one of ${found}`,
      );
  }
  if (!model.tokenizer || !assistant.tokenizer || model.tokenizer === assistant.tokenizer) return;
  const known = equals.get(model.tokenizer) ?? new WeakSet();
  if (known.has(assistant.tokenizer)) return;
  const id = firstDifference(model.tokenizer, assistant.tokenizer);
  if (id !== null) {
    const [wanted, found] = [model, assistant].map(({ tokenizer }) => JSON.stringify(tokenizer?.tokenOf(id)));
    fail(
      'invalid_argument',
      `assistantModel must have the model's tokenizer, but its token ${id} is ${found} in place of ${wanted}`,
    );
  }
  equals.set(model.tokenizer, known.add(assistant.tokenizer));
}

function firstDifference(one: Tokenizer, other: Tokenizer): number | null {
  for (let id = 0; id < Math.max(one.size, other.size); id++)
    if (one.tokenOf(id) !== other.tokenOf(id)) return id;
  return null;
}
