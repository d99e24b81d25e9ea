/** The places inside of a model, by their paths: what can be traced, and which heads there are. */

import type { EngineConfig } from '../engine/engine_config.js';
import { fail } from '../engine/errors.js';

const inAttention = ['queries', 'keys', 'values', 'scores', 'weights', 'residual'];

/** All paths that can be traced, by the engine's names. */
function tracedPaths(config: EngineConfig): string[] {
  const { numEncoderLayers, numDecoderLayers, projection } = config;
  const both = ['embeddings', 'output'];
  const attention = (name: string) => inAttention.map((part) => `${name}.${part}`);
  const layer = [...attention('self_attn'), 'feed_forward.residual', 'output'];
  const cross = numEncoderLayers > 0 ? attention('cross_attn') : [];
  const logits = projection ? ['logits'] : [];
  const stack = (name: string, layers: number, parts: readonly string[]) =>
    layers === 0
      ? []
      : [
          ...both.map((part) => `${name}.${part}`),
          ...Array.from({ length: layers }, (_, i) =>
            parts.map((part) => `${name}.layers.${i}.${part}`),
          ).flat(),
        ];
  return [
    ...stack('encoder', numEncoderLayers, layer),
    ...stack('decoder', numDecoderLayers, [...layer, ...cross, ...logits]),
  ];
}

const longNames: ReadonlyMap<string, string> = new Map([
  ['self', 'self_attn'],
  ['cross', 'cross_attn'],
]);

/** The engine's name of a path: `self` and `cross` may be short, and what leaves a layer may be called its residual. */
function engineNameOf(path: string): string {
  const parts = path.split('.').map((part) => longNames.get(part) ?? part);
  if (parts.length === 4 && parts[1] === 'layers' && parts[3] === 'residual') parts[3] = 'output';
  return parts.join('.');
}

function matches(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split('.'), path.split('.')];
  return wanted.length === parts.length && wanted.every((part, i) => part === '*' || part === parts[i]);
}

/** What somebody wants to see, for the engine, and how he calls it. */
export class Trace {
  /** Paths without a `*`, by the engine's names. */
  readonly paths: readonly string[];
  readonly #patterns: readonly string[];

  /** @throws TransformerError `invalid_argument` for a pattern that nothing matches, naming some paths that there are. */
  constructor(patterns: readonly string[], config: EngineConfig) {
    const known = tracedPaths(config);
    this.#patterns = patterns;
    this.paths = [...new Set(patterns.flatMap((pattern) => wanted(pattern, known)))];
  }

  /** The names of a traced tensor, as the patterns write them. */
  namesOf(path: string): string[] {
    const parts = path.split('.');
    const fits = this.#patterns.filter((pattern) => matches(engineNameOf(pattern), path));
    const names = fits.map((pattern) =>
      pattern
        .split('.')
        .map((part, i) => (part === '*' ? parts[i] : part))
        .join('.'),
    );
    return [...new Set(names)];
  }
}

function wanted(pattern: string, known: readonly string[]): string[] {
  const found = known.filter((path) => matches(engineNameOf(pattern), path));
  if (found.length === 0) {
    const general = [...new Set(known.map((path) => path.replace(/\d+/, '*')))];
    fail('invalid_argument', `trace: nothing is called '${pattern}'; there are ${general.join(', ')}`);
  }
  return found;
}

/** Factors for heads, by their paths: `{ 'decoder.layers.1.cross.2': 0 }` switches one off. */
export type HeadFactors = Readonly<Record<string, number>>;

/**
 * For each attention layer that somebody turned heads down in, the factors of all of its heads, for the engine.
 *
 * @throws TransformerError `invalid_argument` for a head that there is not, naming some that there are.
 */
export function factorsOf(heads: HeadFactors, config: EngineConfig): Record<string, number[]> {
  const layers = attentionLayers(config);
  const factors: Record<string, number[]> = {};
  for (const [pattern, factor] of Object.entries(heads)) {
    if (typeof factor !== 'number' || !Number.isFinite(factor)) {
      fail('invalid_argument', `heads: the factor of '${pattern}' must be a finite number, got ${factor}`);
    }
    let isFound = false;
    for (const [layer, count] of layers)
      for (let head = 0; head < count; head++) {
        if (!matches(engineNameOf(pattern), `${layer}.${head}`)) continue;
        isFound = true;
        factors[layer] ??= Array.from({ length: count }, () => 1);
        factors[layer][head] = factor;
      }
    if (!isFound) {
      const known = layers.map(([layer, count]) => `${layer}.0 to ${count - 1}`).join(', ');
      fail('invalid_argument', `heads: there is no head '${pattern}'; there are ${known}`);
    }
  }
  return factors;
}

/** The attention layers, and how many heads each has. */
function attentionLayers(config: EngineConfig): [layer: string, heads: number][] {
  const { numEncoderLayers, numDecoderLayers, numHeads } = config;
  const stack = (name: string, layers: number, parts: readonly string[], heads: number) =>
    Array.from({ length: layers }, (_, i) =>
      parts.map((part): [string, number] => [`${name}.layers.${i}.${part}`, heads]),
    ).flat();
  const inDecoder = numEncoderLayers > 0 ? ['self_attn', 'cross_attn'] : ['self_attn'];
  return [
    ...stack('encoder', numEncoderLayers, ['self_attn'], numHeads),
    ...stack('decoder', numDecoderLayers, inDecoder, config.decoderNumHeads ?? numHeads),
  ];
}
