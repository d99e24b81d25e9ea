/** Which ribbons and arcs a selection draws between the words, and where. */

import { lookedAt, rowOf } from '../reading/looks.js';
import type { Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import type { Look } from '../selection/look.js';
import type { Disc, Ribbon } from './ribbons.js';
import { arcPath, arcTop, type Glance, glancesOf, ribbonPath, type Strand, strandsAt } from './shapes.js';
import { rowLooks } from './single_row.js';

/** Weights below these are left to the bars. */
const least = { ribbon: 0.04, arc: 0.09 };
/** The widths of a ribbon's ends at a weight of 1, in pixels, for words of 30 px. */
const ends = { english: 30, french: 22, arc: 28, thinnest: 1.2 };

/** The discs of the two steps, in pixels. */
const radii = { wide: 13, narrow: 10 };

/** Between lines of words there is room for low arcs only, in pixels. */
const lowArc = 22;

/** Where a word stands, in pixels of the picture. */
export interface Place {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Cloth {
  readonly reading: Reading;
  readonly look: Look;
  /** Index of the chosen French word. */
  readonly chosen: number;
  readonly english: readonly Place[];
  readonly french: readonly Place[];
  /** The size of the words over 30 px. */
  readonly scale: number;
  /** Whether there is room for the chosen word's ribbons only: the words stand in several lines. */
  readonly isNarrow: boolean;
  /** Whether all strands are drawn alike. */
  readonly isWhole: boolean;
  /** By French word, the outlines that were drawn at these places with this look; those of others are added. */
  readonly outlines: Map<number, readonly Outline[]>;
}

type Outline = Pick<Ribbon, 'name' | 'path'>;

export function weave(cloth: Cloth): Ribbon[] {
  const words = cloth.isNarrow ? [cloth.chosen] : [...cloth.french.keys()];
  return [...words.flatMap((word) => ribbonsOf(cloth, word)), ...arcsOf(cloth)];
}

function ribbonsOf(cloth: Cloth, word: number): Ribbon[] {
  const look = cloth.isWhole ? 'whole' : word === cloth.chosen ? 'chosen' : 'quiet';
  const outlines =
    cloth.outlines.get(word) ??
    strandsOf(cloth, word).map(({ key, strand }) => ({ name: `${word}.${key}`, path: ribbonPath(strand) }));
  cloth.outlines.set(word, outlines);
  return outlines.map((outline) => ({ ...outline, look }));
}

/** The ribbons of a French word, from left to right, so that they do not cross at its end. */
function strandsOf({ reading, look, english, french, scale }: Cloth, word: number) {
  const row = rowOf(reading, { kind: 'cross', look, query: word });
  const to = french[word];
  if (!row || !to) return [];
  const glances = glancesOf(row, least.ribbon).sort(
    (a, b) => (english[a.key]?.x ?? 0) - (english[b.key]?.x ?? 0),
  );
  const widths = glances.map(({ weight }) => ends.french * weight * scale);
  const middles = strandsAt(widths);
  return glances.flatMap(({ key, weight }, i) => {
    const from = english[key];
    if (!from) return [];
    const width = Math.max(ends.thinnest, ends.english * weight * scale);
    const strand: Strand = {
      from: { x: from.x, y: from.bottom, width },
      to: { x: to.x + (middles[i] ?? 0), y: to.top, width: widths[i] ?? 0 },
    };
    return [{ key, weight, strand }];
  });
}

/** What the English word behind a French pronoun looked at itself. */
function arcsOf(cloth: Cloth): Ribbon[] {
  return arcStrands(cloth).map(({ strand, isSameLine }, rank) => ({
    name: `arc.${rank}`,
    path: isSameLine
      ? arcPath(strand, cloth.isNarrow ? lowArc : undefined)
      : ribbonPath({ from: strand.to, to: strand.from }, strand.to.width / 2),
    look: 'arc',
  }));
}

function arcStrands(cloth: Cloth): { readonly strand: Strand; readonly isSameLine: boolean }[] {
  const { english, scale } = cloth;
  const looked = arcGlances(cloth);
  const near = looked && english[looked.query];
  if (!looked || !near) return [];
  return looked.glances.flatMap(({ key, weight }) => {
    const far = english[key];
    if (!far) return [];
    const isSameLine = Math.abs(far.top - near.top) < 4;
    const to = { x: far.x, y: isSameLine ? far.top : far.bottom, width: ends.arc * weight * scale };
    return [{ strand: { from: { x: near.x, y: near.top, width: 2 }, to }, isSameLine }];
  });
}

/** The numbers of the two steps: at the thickest ribbon of the chosen word, and at the thickest arc. */
export function discsOf(cloth: Cloth): Disc[] {
  const { chosen, isNarrow } = cloth;
  const thickest = strandsOf(cloth, chosen).reduce<{ weight: number; strand: Strand } | null>(
    (best, one) => (best && best.weight >= one.weight ? best : one),
    null,
  );
  const [arc] = arcStrands(cloth);
  const middle = ({ from, to }: Strand) => ({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
  const radius = isNarrow ? radii.narrow : radii.wide;
  return [
    ...(thickest ? [{ step: 1, radius, ...middle(thickest.strand) }] : []),
    ...(arc
      ? [
          {
            step: thickest ? 2 : 1,
            radius,
            ...(arc.isSameLine ? arcTop(arc.strand, isNarrow ? lowArc : undefined) : middle(arc.strand)),
          },
        ]
      : []),
  ];
}

/** Which arcs stand over the English: strongest first. */
export function arcGlances({
  reading,
  look,
  chosen,
}: Pick<Cloth, 'reading' | 'look' | 'chosen'>): { query: number; glances: Glance[] } | null {
  if (!reading.maps.cross) {
    const own = rowLooks(reading, chosen);
    return own && { query: chosen, glances: arcsAmong(own, chosen) };
  }
  if (!pronounOf(reading.written[chosen]?.label ?? '')) return null;
  const query = lookedAt(reading, look, chosen);
  const row = query === null ? null : rowOf(reading, { kind: 'encoder', look, query });
  if (query === null || !row) return null;
  return { query, glances: arcsAmong(row, query) };
}

const arcsAmong = (row: ArrayLike<number>, query: number): Glance[] =>
  glancesOf(row, least.arc)
    .filter(({ key }) => key !== query)
    .sort((a, b) => b.weight - a.weight);
