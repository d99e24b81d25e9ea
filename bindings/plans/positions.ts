/** Position schemes that a config can name, and their description for the engine. */

import type { StackConfig } from '../modules/embind.js';

export type Positions = StackConfig['positions'];

type NamesOf<Union> = Union extends unknown ? keyof Union : never;
/** Names of the position schemes; the API documentation lists them. @inline */
export type PositionScheme = NamesOf<Positions>;

/** The sizes of a model that a scheme may depend on. */
interface PositionSizes {
  /** Length of the longest sequence; called only for schemes that have such a limit. */
  maxLength(): number;
  /** Rows of the stored bias table; `undefined` if there is none, for the engine's default. */
  readonly buckets?: number | undefined;
}

interface Scheme {
  describe(sizes: PositionSizes): Positions;
  /** Left padding is harmless because only the distances between tokens count. */
  readonly allowsLeadingPadding?: true;
  /** The reference derives positions from the attention mask, so padding between tokens would shift those after it. */
  readonly countsMask?: true;
}

/** Every scheme of the engine. A new one is a type error until it is listed here. */
const schemes: Readonly<Record<PositionScheme, Scheme>> = {
  none: { describe: () => ({ none: {} }) },
  sinusoidal: { describe: ({ maxLength }) => ({ sinusoidal: { maxLength: maxLength() } }) },
  learned: { describe: ({ maxLength }) => ({ learned: { maxLength: maxLength() } }) },
  rotary: { describe: ({ maxLength }) => ({ rotary: { maxLength: maxLength() } }) },
  alibi: { describe: () => ({ alibi: {} }), countsMask: true },
  relative: {
    describe: ({ buckets }) => ({ relative: buckets === undefined ? {} : { buckets } }),
    allowsLeadingPadding: true,
  },
  disentangled: { describe: () => ({ disentangled: {} }), allowsLeadingPadding: true },
};

const isScheme = (name: string): name is PositionScheme => Object.hasOwn(schemes, name);

export const positionSchemes: readonly PositionScheme[] = Object.keys(schemes).filter(isScheme);

export const positionsOf = (scheme: PositionScheme, sizes: PositionSizes): Positions =>
  schemes[scheme].describe(sizes);

function schemeOf(positions: Positions | undefined): Scheme {
  const [name] = Object.keys(positions ?? {}).filter(isScheme);
  return schemes[name ?? 'none'];
}

export const positionsAllowLeadingPadding = (positions: Positions | undefined) =>
  schemeOf(positions).allowsLeadingPadding ?? false;

export const countsMask = (positions: Positions | undefined) => schemeOf(positions).countsMask ?? false;

/** Length of the longest sequence that the positions cover; `null`: unlimited. */
export function maxLengthOf(positions: Positions | undefined): number | null {
  const [fields = {}] = Object.values(positions ?? {});
  return 'maxLength' in fields ? (fields.maxLength ?? null) : null;
}
