/** Finds and creates elements. */

type Attribute = string | number | boolean | undefined;

/** Creates an element with attributes (`true`: present; `false`, `undefined`: absent) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : `${value}`);
  }
  element.append(...children);
  return element;
}

/** The first element under `root` that matches. The page's HTML must contain it. */
export function find<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T {
  const element = root.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}
