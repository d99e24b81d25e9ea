/** JSON of i18next, vue-i18n, Format.JS, browser extensions, and Flutter's ARB: the values are translated. */

import type { Block, Pause, Reading } from '../markup/blocks.js';
import { inAscii, isWrittenInAscii, parserFor, refuseAt, valueBlock } from './values.js';

/** Nesting beyond this is no file of texts; the parser recurses. */
const deepest = 500;

export const readJson =
  (kind: 'json' | 'arb') =>
  async (source: string, pause: Pause): Promise<Reading> => {
    const { stringsIn } = await import('./json_parser.js');
    const refuse = (place: number, reason: string) => refuseAt(source, place, kind.toUpperCase(), reason);
    let depth = 0;
    // A string without an end is passed as a whole, too: not once for each quotation mark in it.
    for (const { 0: mark, index } of source.matchAll(/"(?:[^"\\\n]|\\.)*"?|[[\]{}]/g)) {
      if (/[[{]/.test(mark[0] ?? '') && ++depth > deepest) refuse(index, `nested more than ${deepest} deep`);
      if (/[\]}]/.test(mark[0] ?? '')) depth--;
    }
    const all = stringsIn(source, refuse);
    // Browser extensions describe each message beside it.
    const isExtension =
      all.length > 0 && all.every(({ path }) => path.length > 1) && topOf(all, true) === topOf(all, false);
    const wanted = all.filter(({ path }) =>
      isExtension
        ? path.length === 2 && path[1] === 'message'
        : kind !== 'arb' || !path.some((key) => key.startsWith('@')),
    );
    const parse = await parserFor(source);
    const isAscii = isWrittenInAscii(source);
    const encode = (text: string) => (isAscii ? inAscii(JSON.stringify(text)) : JSON.stringify(text));
    const blocks: Block[] = [];
    for (const { text, begin, end } of wanted) {
      blocks.push(valueBlock({ span: [begin, end], text, encode }, parse));
      await pause();
    }
    return { blocks };
  };

/** How many entries there are, or how many have a message. */
const topOf = (all: readonly { path: readonly string[] }[], isMessage: boolean) =>
  new Set(
    all
      .filter(({ path }) => !isMessage || (path.length === 2 && path[1] === 'message'))
      .map(({ path }) => path[0]),
  ).size;
