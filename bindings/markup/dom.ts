/**
 * The properties and methods of nodes, as the browser defines them: those of the document are hidden by a picture, and
 * those of a form by a field, of that name (`<input name="childNodes">`). Each is taken from the prototypes once.
 */

/** How the prototypes of a node define a property. */
function definitionOf(node: object, name: PropertyKey): PropertyDescriptor {
  for (let owner = Object.getPrototypeOf(node); owner !== null; owner = Object.getPrototypeOf(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, name);
    if (found) return found;
  }
  throw new TypeError(`${Object.prototype.toString.call(node)} has no ${String(name)}`);
}

function property<Owner extends object, Name extends keyof Owner>(name: Name) {
  let read: (() => Owner[Name]) | undefined;
  return (node: Owner): Owner[Name] => {
    read ??= definitionOf(node, name).get as () => Owner[Name];
    return read.call(node);
  };
}

type Method<Owner, Name extends keyof Owner> = Owner[Name] extends (...given: infer Given) => infer Result
  ? (node: Owner, ...given: Given) => Result
  : never;

function method<Owner extends object, Name extends keyof Owner>(name: Name): Method<Owner, Name> {
  let call: ((...given: unknown[]) => unknown) | undefined;
  return ((node: Owner, ...given: unknown[]) => {
    call ??= definitionOf(node, name).value as (...given: unknown[]) => unknown;
    return call.apply(node, given);
  }) as Method<Owner, Name>;
}

export const nodeType = property<Node, 'nodeType'>('nodeType');
export const parentNode = property<Node, 'parentNode'>('parentNode');
export const childNodes = property<Node, 'childNodes'>('childNodes');
export const nextSibling = property<Node, 'nextSibling'>('nextSibling');
export const ownerDocument = property<Node, 'ownerDocument'>('ownerDocument');
export const isConnected = property<Node, 'isConnected'>('isConnected');
const insertBefore = method<Node, 'insertBefore'>('insertBefore');
export const removeChild = method<Node, 'removeChild'>('removeChild');

export const localName = property<Element, 'localName'>('localName');
export const hasAttributes = method<Element, 'hasAttributes'>('hasAttributes');
export const getAttribute = method<Element, 'getAttribute'>('getAttribute');
export const setAttribute = method<Element, 'setAttribute'>('setAttribute');
export const removeAttribute = method<Element, 'removeAttribute'>('removeAttribute');

export const createTextNode = method<Document, 'createTextNode'>('createTextNode');
export const documentElement = property<Document, 'documentElement'>('documentElement');
export const defaultView = property<Document, 'defaultView'>('defaultView');
export const visibilityState = property<Document, 'visibilityState'>('visibilityState');
export const textContent = property<Node, 'textContent'>('textContent');
export const shadowRoot = property<Element, 'shadowRoot'>('shadowRoot');
export const matches = method<Element, 'matches'>('matches');
export const closest = method<Element, 'closest'>('closest');
export const querySelectorAll = method<Element, 'querySelectorAll'>('querySelectorAll');
export const querySelector = method<Element, 'querySelector'>('querySelector');

const host = property<ShadowRoot, 'host'>('host');

/** The element that a shadow tree belongs to; `null` for other nodes. */
export const hostOf = (node: Node): Element | null =>
  nodeType(node) === 11 && 'host' in node ? host(node as ShadowRoot) : null;

export const isFrame = (element: Element): boolean => /^i?frame$/.test(localName(element));

/** Of a frame of the same origin, and else nothing. */
export const contentDocument = (frame: Element): Document | null =>
  'contentDocument' in frame ? definitionOf(frame, 'contentDocument').get?.call(frame) : null;

/** The window of a node, which may be in a frame. */
export const viewOf = (node: Node): Window & typeof globalThis =>
  defaultView(ownerDocument(node) ?? (node as Document)) ?? window;

/** Puts a child before another. Where the browser can move nodes, they keep their state: focus, frames, animations. */
export function move(parent: Node, child: Node, before: Node | null): void {
  const { moveBefore } = Element.prototype as { moveBefore?: (child: Node, before: Node | null) => void };
  if (moveBefore && nodeType(parent) === 1 && isConnected(child) && parentNode(child) === parent)
    moveBefore.call(parent, child, before);
  else insertBefore(parent, child, before);
}
