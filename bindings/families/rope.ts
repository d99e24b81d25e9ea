/** Rotary positions in config.json: their base, the part of a head that they rotate, and scaling for longer texts. */

import { Fields } from '../files/fields.js';
import { isJsonObject } from '../files/json_object.js';
import { showJson } from '../files/show_json.js';
import type { RotaryPositions } from '../modules/embind.js';
import { fail } from '../values/errors.js';

/** Rotary positions, whose length is known. */
type Rotation = Partial<RotaryPositions> & Pick<RotaryPositions, 'maxLength'>;

/** Beyond any model; a list of half as many numbers is made. */
const widest = 65536;

/**
 * Reads `rope_theta` and `rope_scaling`, which newer files call `rope_parameters`. The type `divided`, with a divisor for each
 * frequency, is that of a GGUF file.
 *
 * @param rotated numbers of each head that are rotated
 * @throws TransformerError `unsupported` for other scalings, by name
 */
export function readRotation(fields: Fields, dHead: number, rotated = dHead): { rotary: Rotation } {
  const length = fields.count('max_position_embeddings');
  const name = fields.has('rope_scaling') ? 'rope_scaling' : 'rope_parameters';
  const given = fields.raw(name) ?? {};
  if (!isJsonObject(given)) fail('unsupported', `config.json: ${name} ${showJson(given)} is not supported`);
  const rope = new Fields(given, `config.json: ${name}`);
  const base = rope.number('rope_theta', fields.number('rope_theta', 10000));
  const type = rope.text('rope_type', rope.text('type', 'default'));
  const plain = { maxLength: length, base };
  if (rotated > widest) fail('bad_checkpoint', `config.json: heads of ${rotated} numbers are too wide`);
  const frequencies = Array.from({ length: rotated / 2 }, (_, pair) => base ** ((-2 * pair) / rotated));
  switch (type) {
    case 'default':
      return { rotary: rotated === dHead ? plain : { ...plain, frequencies } };
    case 'linear': {
      const factor = rope.number('factor');
      const slower = frequencies.map((frequency) => frequency / factor);
      return { rotary: { maxLength: Math.ceil(length * factor), frequencies: slower } };
    }
    case 'llama3':
      return { rotary: { ...plain, frequencies: frequencies.map(llama3(rope)) } };
    case 'divided': {
      const factors = rope.raw('factors');
      if (
        !Array.isArray(factors) ||
        factors.length !== frequencies.length ||
        !factors.every((factor) => factor > 0)
      )
        return fail(
          'bad_checkpoint',
          `config.json: ${name}: factors must be ${frequencies.length} positive numbers`,
        );
      return { rotary: { ...plain, frequencies: frequencies.map((one, i) => one / factors[i]) } };
    }
    case 'dynamic': {
      if (rotated !== dHead) break;
      const dynamicFactor = rope.number('factor');
      const maxLength = Math.ceil(length * dynamicFactor);
      return { rotary: { maxLength, base, dynamicLength: length, dynamicFactor } };
    }
  }
  return fail('unsupported', `config.json: ${name} ${showJson(given)} is not supported`);
}

/** Slows long waves down, keeps short ones, and blends in between (Llama 3.1). */
function llama3(rope: Fields): (frequency: number) => number {
  const factor = rope.number('factor');
  const low = rope.number('low_freq_factor');
  const high = rope.number('high_freq_factor');
  const length = rope.count('original_max_position_embeddings');
  return (frequency) => {
    const waves = (length * frequency) / (2 * Math.PI);
    if (waves < low) return frequency / factor;
    if (waves > high) return frequency;
    const share = (waves - low) / (high - low);
    return ((1 - share) * frequency) / factor + share * frequency;
  };
}
