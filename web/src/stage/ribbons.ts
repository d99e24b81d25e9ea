/** Soft ribbons between two rows of words, and arcs over one of them. A ribbon moves when its end moves; it never blinks. */

import { node } from '../drawing/svg.js';

export interface Ribbon {
  /** Ribbons of the same name are the same ribbon, moved. */
  readonly name: string;
  /** Its outline: see shapes.ts. */
  readonly path: string;
  /** `quiet`, `chosen` and `whole` fall from one row to the other, `arc` stands over one. */
  readonly look: 'quiet' | 'chosen' | 'whole' | 'arc';
}

/** The number of a step, at its ribbon or arc. */
export interface Disc {
  readonly step: number;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export class Ribbons {
  readonly element = node('svg', { class: 'ribbons', 'aria-hidden': 'true' });
  readonly #paths = new Map<string, { readonly path: SVGPathElement; drawn: Ribbon | null }>();
  readonly #discs = node('g', { class: 'discs' });
  readonly #fades = ['quiet', 'chosen'].map((look) => {
    const stops = [0, 1].map((offset) => node('stop', { offset, class: `${look}-${offset}` }));
    const fade = node('linearGradient', {
      id: `fade-${look}-${++count}`,
      gradientUnits: 'userSpaceOnUse',
      x1: 0,
      x2: 0,
    });
    fade.append(...stops);
    return { look, fade };
  });

  constructor() {
    const definitions = node('defs', {});
    definitions.append(...this.#fades.map(({ fade }) => fade));
    this.element.append(definitions);
  }

  /** @param rows where the ribbons begin and end, in pixels */
  show(
    ribbons: readonly Ribbon[],
    rows: { readonly top: number; readonly bottom: number; readonly discs: readonly Disc[] },
  ): void {
    for (const { fade } of this.#fades) {
      fade.setAttribute('y1', `${rows.top}`);
      fade.setAttribute('y2', `${rows.bottom}`);
    }
    const names = new Set(ribbons.map(({ name }) => name));
    for (const [name, { path }] of this.#paths) {
      if (names.has(name)) continue;
      path.remove();
      this.#paths.delete(name);
    }
    for (const ribbon of ribbons) this.#draw(ribbon);
    this.#discs.replaceChildren(...rows.discs.flatMap(drawnDisc));
    this.element.append(this.#discs);
  }

  /** What is as it was is left alone: of many words few ribbons change when another is pointed at. */
  #draw(ribbon: Ribbon): void {
    const { name, path: outline, look } = ribbon;
    const known = this.#known(name);
    const { path, drawn } = known;
    known.drawn = ribbon;
    if (drawn?.path !== outline) {
      path.setAttribute('d', outline);
      // As a style too: that is what a transition animates.
      path.style.setProperty('d', `path("${outline}")`);
    }
    if (drawn?.look === look) return;
    path.setAttribute('class', look);
    const fade = this.#fades.find((one) => one.look === look)?.fade;
    path.style.setProperty('fill', fade ? `url(#${fade.id})` : '');
  }

  #known(name: string) {
    const known = this.#paths.get(name);
    if (known) return known;
    const made = { path: node('path', {}), drawn: null };
    this.#paths.set(name, made);
    this.element.append(made.path);
    return made;
  }
}

const drawnDisc = ({ step, x, y, radius }: Disc) => [
  node('circle', { cx: x, cy: y, r: radius }),
  node('text', { x, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, `${step}`),
];

let count = 0;
