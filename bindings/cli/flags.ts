/** The flags of the command line, one record each: the parser, the help and the refusals are derived from it. */

import { type LoadDtype, loadDtypes } from '../engine/dtype.js';
import type { GenerationOptions } from '../generation/options.js';

/** An invalid command line. */
export class UsageError extends Error {}

/** A flag whose value is a `T`. */
export interface Flag<T> {
  /** Its value as the help shows it; without one, the flag is only set. */
  readonly value?: string;
  readonly help: string;
  /** For a flag that must be given: what the command needs. */
  readonly needed?: string;
  /** The option of a generation that it sets. */
  readonly option?: keyof GenerationOptions;
  /** @throws UsageError */
  read(text: string, name: string): T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The flags that were given, by name. */
export type ValuesOf<F extends Flags> = { readonly [Name in keyof F]?: ReturnType<F[Name]['read']> };

export const isSet = (help: string): Flag<true> => ({ help, read: () => true });

export const text = (value: string, help: string): Flag<string> => ({ value, help, read: (given) => given });

/** An integer. */
export const count = (help: string, least = 1): Flag<number> => ({
  value: 'N',
  help,
  read(given, name) {
    const read = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (read >= least) return read;
    throw new UsageError(`--${name} must be an integer, at least ${least}, got '${given}'`);
  },
});

export const positive = (help: string): Flag<number> => ({
  value: 'X',
  help,
  read(given, name) {
    const read = given.trim() === '' ? Number.NaN : Number(given);
    if (read > 0 && read < Number.POSITIVE_INFINITY) return read;
    throw new UsageError(`--${name} must be a number above 0, got '${given}'`);
  },
});

export const oneOf = <const T extends string>(known: readonly T[], help: string): Flag<T> => ({
  value: known.join('|'),
  help,
  read(given, name) {
    const found = known.find((one) => one === given);
    if (found !== undefined) return found;
    throw new UsageError(`--${name} must be one of ${known.join(', ')}, got '${given}'`);
  },
});

const threads: Flag<number | 'auto'> = {
  value: 'N|auto',
  help: 'threads to compute with; default: auto',
  read: (given, name) => (given === 'auto' ? 'auto' : count('').read(given, name)),
};

export const json = isSet('print results as JSON');
export const allJson = isSet('print everything as JSON');

export const engineFlags = {
  threads,
  simd: oneOf(
    ['auto', 'relaxed', 'simd128'],
    'instructions to compute with; default: the fastest that this machine has',
  ),
};

const where = 'folder or URL of a model, or its id on a hub (owner/name)';
/** Without it, a command uses the package's own model. */
export const model = text('DIR', `${where}; default: the English-French model of this package`);
const neededModel = {
  ...text('DIR', `${where}; required`),
  needed: 'a model: --model DIR, URL or owner/name',
};

export const dtype: Flag<LoadDtype> = oneOf(
  loadDtypes,
  'how to store matrices: int8 takes a quarter of the memory, is faster and less exact; int4, for large models, takes ' +
    "little more than an eighth and is clearly less exact; default: auto, as the model's files do, in 32, 16, 8 or 4 bits",
);

const loading = {
  revision: text('NAME', 'branch, tag or commit of a model on a hub; default: main'),
  ...engineFlags,
  dtype,
  json,
};

/** Flags of commands that use the package's own model unless another is named. */
export const shippedModelFlags = { model, ...loading };
/** Flags of commands for which a model must be named. */
export const anyModelFlags = { model: neededModel, ...loading };

export const searching = {
  beams: {
    ...count("beam search with N beams; default: as the model's files specify"),
    option: 'numBeams',
  },
  'max-new-tokens': { ...count('maximum length of the answer, in tokens'), option: 'maxNewTokens' },
} satisfies Flags;

export const languages = {
  from: {
    ...text('LANGUAGE', 'source language of a multilingual model, in its own codes: eng_Latn, en_XX, en'),
    option: 'srcLang',
  },
  to: { ...text('LANGUAGE', 'target language of a multilingual model'), option: 'tgtLang' },
} satisfies Flags;

export const sampling = {
  sample: { ...isSet('sample; the following flags imply it'), option: 'doSample' },
  temperature: { ...positive('below 1: more certain; above 1: more varied'), option: 'temperature' },
  'top-k': { ...count('sample only from the N most probable tokens'), option: 'topK' },
  'top-p': {
    ...positive('sample only from the most probable tokens that together have the probability X'),
    option: 'topP',
  },
  seed: { ...count('the same seed gives the same text', 0), option: 'seed' },
} satisfies Flags;

export const filtering = {
  jsonl: isSet('lines of input are JSON objects; the other fields of an object are kept in its result'),
  'first-line': count('number of the first line of input, where it is a part of a whole; default: 1'),
};

/** The options of a generation that flags set. */
export function generationOptionsOf(values: object): GenerationOptions {
  const given = Object.entries(values) as [string, unknown][];
  const known: Flags = { ...searching, ...languages, ...sampling };
  const options = given.flatMap(([name, value]) => {
    const option = known[name]?.option;
    return option === undefined ? [] : [[option, value] as const];
  });
  const samples = given.some(([name]) => name in sampling);
  return { ...(samples && { doSample: true }), ...Object.fromEntries(options) };
}
