/** Rotary positions in config.json: their base, the part of a head that they rotate, and scaling for longer texts. */

import { Fields } from '../files/fields.js';
import { isJsonObject } from '../files/json_object.js';
import { showJson } from '../files/show_json.js';
import type { RotaryPositions } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { positive } from './positive.js';

/** Rotary positions, whose length is known. */
type Rotation = Partial<RotaryPositions> & Pick<RotaryPositions, 'maxLength'>;

/** Beyond any model; a list of half as many numbers is made. */
const widest = 65536;

/** The engine counts positions in 31 bits, and adds them. */
const longest = 2 ** 30 - 1;

/** What a scaling starts from. */
interface Unscaled {
  readonly rope: Fields;
  readonly base: number;
  readonly length: number;
  /** The length that the model was trained for, before its context was extended. */
  readonly original: number;
  /** Of each pair, in radians per position. */
  readonly frequencies: readonly number[];
  /** Whether whole heads are rotated. */
  readonly isWhole: boolean;
}

/**
 * Reads `rope_theta` and `rope_scaling`, which newer files call `rope_parameters`.
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
  const base = positive(rope, 'rope_theta', fields.number('rope_theta', 10000));
  const type = rope.text('rope_type', rope.text('type', 'default'));
  if (rotated > widest) fail('bad_checkpoint', `config.json: heads of ${rotated} numbers are too wide`);
  if (rotated < 2) fail('bad_checkpoint', `config.json: ${rotated} numbers of each head cannot be rotated`);
  if (rotated % 2 !== 0)
    fail('bad_checkpoint', `config.json: ${rotated} numbers of each head cannot be rotated in pairs`);
  const frequencies = Array.from({ length: rotated / 2 }, (_, pair) => base ** ((-2 * pair) / rotated));
  const original = rope.count(
    'original_max_position_embeddings',
    fields.count('original_max_position_embeddings', length),
  );
  const scaling = Object.hasOwn(scalings, type) ? scalings[type] : undefined;
  const scaled = scaling?.({ rope, base, length, original, frequencies, isWhole: rotated === dHead });
  if (!scaled) fail('unsupported', `config.json: ${name} ${showJson(given)} is not supported`);
  const { maxLength = length } = scaled;
  return { rotary: { ...scaled, maxLength: Math.min(maxLength, longest) } };
}

/** The share `partial_rotary_factor` of each head, which newer files have among `rope_parameters`. */
export function partlyRotated(fields: Fields, dHead: number): { rotary: Rotation } {
  const parameters = fields.raw('rope_parameters');
  const { partial_rotary_factor: given } = isJsonObject(parameters) ? parameters : {};
  const share = typeof given === 'number' ? given : fields.number('partial_rotary_factor', 1);
  return readRotation(fields, dHead, Math.floor(share * dHead));
}

/** By type; `undefined`: not for heads of which only a part is rotated. */
const scalings: Readonly<Record<string, (given: Unscaled) => Partial<Rotation> | undefined>> = {
  default: ({ base, frequencies, isWhole }) => (isWhole ? { base } : { frequencies: [...frequencies] }),
  linear({ rope, length, frequencies }) {
    const factor = positive(rope, 'factor');
    return { maxLength: Math.ceil(length * factor), frequencies: frequencies.map((one) => one / factor) };
  },
  llama3: ({ rope, frequencies }) => ({ frequencies: frequencies.map(llama3(rope)) }),
  /** Of a GGUF file. */
  divided: ({ rope, frequencies }) => ({ frequencies: divided(rope, 'factors', frequencies) }),
  dynamic({ rope, base, length, isWhole }) {
    if (!isWhole) return undefined;
    const dynamicFactor = positive(rope, 'factor');
    return { maxLength: Math.ceil(length * dynamicFactor), base, dynamicLength: length, dynamicFactor };
  },
  yarn,
  longrope,
  su: longrope,
};

/** Slows long waves down, keeps short ones, and blends in between (Llama 3.1). */
function llama3(rope: Fields): (frequency: number) => number {
  const factor = positive(rope, 'factor');
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

/** The frequencies over the divisors in the list of that name. */
function divided(rope: Fields, name: string, frequencies: readonly number[]): number[] {
  const divisors = rope.raw(name);
  const isList =
    Array.isArray(divisors) && divisors.length === frequencies.length && divisors.every((one) => one > 0);
  if (!isList) fail('bad_checkpoint', `config.json: ${name} must be ${frequencies.length} positive numbers`);
  return frequencies.map((one, i) => one / divisors[i]);
}

/** Slows long waves down, blends by the pair's number, and sharpens the scores (Peng et al. 2023, section 3). */
function yarn({ rope, base, length, original, frequencies }: Unscaled): Partial<Rotation> {
  const factor = positive(rope, 'factor');
  const pairs = frequencies.length;
  // The pair that turns this many times within the original length.
  const pairOf = (turns: number) => (pairs * Math.log(original / (turns * 2 * Math.PI))) / Math.log(base);
  const first = pairOf(rope.number('beta_fast', 32));
  const last = pairOf(rope.number('beta_slow', 1));
  const isWhole = rope.flag('truncate', true);
  const low = Math.max(isWhole ? Math.floor(first) : first, 0);
  const high = Math.min(isWhole ? Math.ceil(last) : last, 2 * pairs - 1);
  const width = high === low ? 0.001 : high - low;
  const share = (pair: number) => Math.min(Math.max((pair - low) / width, 0), 1);
  return {
    maxLength: Math.max(length, Math.ceil(original * factor)),
    frequencies: frequencies.map((one, i) => (one / factor) * share(i) + one * (1 - share(i))),
    scale: rope.number('attention_factor', yarnScale(rope, factor)),
  };
}

function yarnScale(rope: Fields, factor: number): number {
  const scale = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  const { mscale, mscale_all_dim: all } = {
    mscale: rope.number('mscale', 0),
    mscale_all_dim: rope.number('mscale_all_dim', 0),
  };
  return mscale !== 0 && all !== 0 ? scale(mscale) / scale(all) : scale(1);
}

/** Other divisors of the frequencies for texts beyond the original length (Ding et al. 2024; Phi-3). */
function longrope({ rope, length, original, frequencies }: Unscaled): Partial<Rotation> {
  const factor = length > original ? length / original : positive(rope, 'factor', 1);
  const scale = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));
  return {
    frequencies: divided(rope, 'short_factor', frequencies),
    longFrequencies: divided(rope, 'long_factor', frequencies),
    dynamicLength: original,
    scale: rope.number('attention_factor', scale),
  };
}
