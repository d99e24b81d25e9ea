/** Parses and checks the command line. */

import { parseArgs } from 'node:util';
import { loadDtypes } from '../engine/dtype.js';
import type { GenerationOptions } from '../generation/options.js';
import type { LoadModelOptions } from '../model/load_model.js';
import { messageOf } from '../values/errors.js';
import type { EngineOptions } from '../worker/open_host.js';

/** An invalid command line. */
export class UsageError extends Error {}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  json: { type: 'boolean' },
  jsonl: { type: 'boolean' },
  'first-line': { type: 'string' },
  hash: { type: 'boolean' },
  'no-split': { type: 'boolean' },
  'to-dir': { type: 'string' },
  wrapped: { type: 'boolean' },
  model: { type: 'string' },
  threads: { type: 'string' },
  simd: { type: 'string' },
  dtype: { type: 'string' },
  beams: { type: 'string' },
  'max-new-tokens': { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  kind: { type: 'string' },
  layer: { type: 'string' },
  head: { type: 'string' },
  svg: { type: 'string' },
  check: { type: 'boolean' },
  tolerance: { type: 'string' },
  'attention-tolerance': { type: 'string' },
  tokens: { type: 'string' },
  batch: { type: 'string' },
  rounds: { type: 'string' },
  force: { type: 'boolean' },
  revision: { type: 'string' },
  sample: { type: 'boolean' },
  temperature: { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  seed: { type: 'string' },
  pooling: { type: 'string' },
  normalize: { type: 'boolean' },
  prompt: { type: 'string' },
  labels: { type: 'string' },
  top: { type: 'string' },
  system: { type: 'string' },
  format: { type: 'string' },
  words: { type: 'boolean' },
  english: { type: 'boolean' },
} as const;

const common = ['help', 'version', 'json'];
const loading = [...common, 'model', 'threads', 'simd', 'dtype', 'revision'];
const running = [...loading, 'beams', 'max-new-tokens', 'from', 'to'];
const sampling = ['sample', 'temperature', 'top-k', 'top-p', 'seed'];
const filtering = ['jsonl', 'first-line'];
const allowed = {
  translate: [...running, ...filtering, 'hash', 'no-split', 'to-dir', 'force', 'format', 'wrapped'],
  generate: [...running, ...sampling, ...filtering],
  chat: [...loading, ...sampling, 'beams', 'max-new-tokens', ...filtering, 'system'],
  transcribe: [...loading, ...filtering, 'from', 'format', 'words', 'english'],
  embed: [...loading, ...filtering, 'pooling', 'normalize', 'prompt'],
  classify: [...loading, ...filtering, 'labels', 'top'],
  attend: [...running, 'kind', 'layer', 'head', 'svg'],
  inspect: [...common, 'check'],
  check: [...common, 'threads', 'simd', 'tolerance', 'attention-tolerance'],
  bench: [...common, 'model', 'threads', 'simd', 'dtype', 'tokens', 'batch', 'rounds'],
  quantize: [...common, 'dtype', 'force'],
  help: [...common],
};

const commandList = Object.keys(allowed)
  .filter((name) => name !== 'help')
  .join(', ');

export type Command = keyof typeof allowed;

/** The options of all commands, as far as they are given. */
export type Values = ReturnType<typeof parse>['values'];

export interface ParsedCommand {
  readonly command: Command;
  readonly values: Values;
  readonly positionals: string[];
}

/** @throws UsageError */
export function parseCommand(args: readonly string[]): ParsedCommand {
  const { values, positionals } = parse(args);
  const [name, ...rest] = positionals;
  if (name === undefined) {
    if (values.help || values.version) return { command: 'help', values, positionals };
    throw new UsageError(`missing command: ${commandList} (see transformer-wasm --help)`);
  }
  if (!isCommand(name)) {
    throw new UsageError(`unknown command '${name}'; commands are ${commandList}`);
  }
  const [topic] = rest;
  if (name === 'help' && topic !== undefined) return parseCommand([topic, '--help']);
  for (const option of Object.keys(values)) {
    if (!allowed[name].includes(option)) throw new UsageError(`${name} has no option --${option}`);
  }
  return { command: name, values, positionals: rest };
}

const isCommand = (name: string): name is Command => Object.hasOwn(allowed, name);

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Its first sentence states the problem; the rest is advice that does not apply here.
    throw new UsageError(messageOf(error).split('. ')[0]);
  }
}

/** @throws UsageError */
export function engineOptionsOf({ threads, simd }: Values): EngineOptions {
  const simds = ['auto', 'relaxed', 'simd128'] as const;
  const chosen = simds.find((known) => known === simd);
  if (simd !== undefined && !chosen)
    throw new UsageError(`--simd must be one of ${simds.join(', ')}, got '${simd}'`);
  return {
    ...(threads === undefined || threads === 'auto' ? {} : { threads: countOf('threads', threads, 1) }),
    ...(chosen ? { simd: chosen } : {}),
  };
}

/** @throws UsageError */
export function loadOptionsOf({ dtype, model, revision }: Values): Omit<LoadModelOptions, 'engine'> {
  const chosen = loadDtypes.find((known) => known === dtype);
  if (dtype !== undefined && !chosen)
    throw new UsageError(`--dtype must be one of ${loadDtypes.join(', ')}, got '${dtype}'`);
  return {
    ...(chosen && { dtype: chosen }),
    ...(revision !== undefined && { hub: { revision } }),
    // Who names an address on a command line names it again.
    ...(model !== undefined && /^https?:/.test(model) && { cache: true }),
  };
}

/** @throws UsageError */
export function generationOptionsOf(values: Values): GenerationOptions {
  const {
    beams,
    'max-new-tokens': tokens,
    from,
    to,
    sample,
    temperature,
    'top-k': topK,
    'top-p': topP,
  } = values;
  const samples = sample || [temperature, topK, topP, values.seed].some((option) => option !== undefined);
  return {
    ...(samples && { doSample: true }),
    ...(temperature !== undefined && { temperature: numberOf('temperature', temperature) }),
    ...(topK !== undefined && { topK: countOf('top-k', topK, 1) }),
    ...(topP !== undefined && { topP: numberOf('top-p', topP) }),
    ...(values.seed !== undefined && { seed: countOf('seed', values.seed, 0) }),
    ...(beams === undefined ? {} : { numBeams: countOf('beams', beams, 1) }),
    ...(tokens === undefined ? {} : { maxNewTokens: countOf('max-new-tokens', tokens, 1) }),
    ...(from === undefined ? {} : { srcLang: from }),
    ...(to === undefined ? {} : { tgtLang: to }),
  };
}

/** @throws UsageError */
function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number > 0 && number < Number.POSITIVE_INFINITY) return number;
  throw new UsageError(`--${name} must be a number above 0, got '${text}'`);
}

/** @throws UsageError */
export function countOf(name: string, text: string, least: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  throw new UsageError(`--${name} must be an integer, at least ${least}, got '${text}'`);
}
