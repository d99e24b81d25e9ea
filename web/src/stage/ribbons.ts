/** Curved ribbons between two rows of words, and arcs over one of them. A ribbon moves when its end moves; it never blinks. */

const svg = 'http://www.w3.org/2000/svg';

export interface Ribbon {
  /** Ribbons of the same name are the same ribbon, moved. */
  readonly name: string;
  readonly from: Element;
  readonly to: Element;
  /** From 0 to 1. */
  readonly weight: number;
  /** A class of the style sheet: `quiet`, `chosen`, `il`, `elle`, `arc`. */
  readonly look: string;
  /** An arc over the words rather than a ribbon down to the other row. */
  readonly isArc?: boolean;
}

export class Ribbons {
  readonly element = document.createElementNS(svg, 'svg');
  readonly #paths = new Map<string, SVGPathElement>();

  constructor() {
    this.element.classList.add('ribbons');
    this.element.setAttribute('aria-hidden', 'true');
  }

  show(ribbons: readonly Ribbon[]): void {
    const box = this.element.getBoundingClientRect();
    const names = new Set(ribbons.map(({ name }) => name));
    for (const [name, path] of this.#paths) {
      if (names.has(name)) continue;
      path.remove();
      this.#paths.delete(name);
    }
    for (const ribbon of ribbons) {
      const path = this.#path(ribbon.name);
      const line = ribbon.isArc ? arc(ribbon, box) : curve(ribbon, box);
      path.setAttribute('d', line);
      // As a style too: that is what a transition animates.
      path.style.setProperty('d', `path("${line}")`);
      path.style.setProperty('stroke-width', `${(1 + 5 * ribbon.weight).toFixed(2)}px`);
      path.style.setProperty('opacity', `${(0.3 + 0.7 * ribbon.weight).toFixed(3)}`);
      path.setAttribute('class', ribbon.look);
    }
  }

  #path(name: string): SVGPathElement {
    const known = this.#paths.get(name);
    if (known) return known;
    const path = document.createElementNS(svg, 'path');
    this.#paths.set(name, path);
    this.element.append(path);
    return path;
  }
}

const number = (value: number) => value.toFixed(1);

function curve({ from, to }: Ribbon, box: DOMRect): string {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const [x1, x2] = [(a.left + a.right) / 2 - box.left, (b.left + b.right) / 2 - box.left];
  const [y1, y2] = [a.bottom - box.top + 2, b.top - box.top - 2];
  const middle = (y1 + y2) / 2;
  return `M${number(x1)},${number(y1)} C${number(x1)},${number(middle)} ${number(x2)},${number(middle)} ${number(x2)},${number(y2)}`;
}

function arc({ from, to }: Ribbon, box: DOMRect): string {
  const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const [x1, x2] = [(a.left + a.right) / 2 - box.left, (b.left + b.right) / 2 - box.left];
  const [y1, y2] = [a.top - box.top, b.top - box.top];
  const top = Math.max(4, Math.min(y1, y2) - 30);
  return `M${number(x1)},${number(y1)} C${number(x1)},${number(top)} ${number(x2)},${number(top)} ${number(x2)},${number(y2)}`;
}
