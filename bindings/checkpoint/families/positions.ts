/** The position schemes that a config can name, each turned into the engine's description of it. */

import type { StackConfig } from '../../engine/embind.js';

export type Positions = StackConfig['positions'];

type NamesOf<Union> = Union extends unknown ? keyof Union : never;
/** By name; the documentation of the API spells them out. @inline */
export type PositionScheme = NamesOf<Positions>;

/** What a scheme may want to know of the model. */
export interface PositionSizes {
  /** The length of the longest sequence; asked for only where the scheme has such a limit. */
  maxLength(): number;
  /** Rows of the stored table of biases; `undefined` where there is none: the engine's own number. */
  readonly buckets?: number | undefined;
}

interface Scheme {
  describe(sizes: PositionSizes): Positions;
  /** Padding in front of the tokens changes nothing, as only the distances between tokens count. */
  readonly allowsLeadingPadding?: true;
  /** The original counts positions over the attention mask: padding between tokens would shift those after it. */
  readonly countsMask?: true;
}

/** All schemes of the engine: a new one is a type error until it stands here. */
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
};

const isScheme = (name: string): name is PositionScheme => Object.hasOwn(schemes, name);

export const positionSchemes: readonly PositionScheme[] = Object.keys(schemes).filter(isScheme);

export const positionsOf = (scheme: PositionScheme, sizes: PositionSizes): Positions =>
  schemes[scheme].describe(sizes);

function schemeOf(positions: Positions | undefined): Scheme {
  const [name] = Object.keys(positions ?? {}).filter(isScheme);
  return schemes[name ?? 'none'];
}

export const allowsLeadingPadding = (positions: Positions | undefined) =>
  schemeOf(positions).allowsLeadingPadding ?? false;

export const countsMask = (positions: Positions | undefined) => schemeOf(positions).countsMask ?? false;

/** The length of the longest sequence that there are positions for; `null`: any. */
export function maxLengthOf(positions: Positions | undefined): number | null {
  const [fields = {}] = Object.values(positions ?? {});
  return 'maxLength' in fields ? (fields.maxLength ?? null) : null;
}
