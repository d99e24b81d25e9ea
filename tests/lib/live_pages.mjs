// Pages from a seed, which are translated, changed meanwhile and restored, beside a twin that only the changes happen to. Runs
// in a browser.

import { wordByWord } from './markup.mjs';
import { randomNumbers } from './random.mjs';

const words = ['one', 'two.', 'Drei', 'vier,', 'æter', '五', '😀', 'a-b', '3.5', '', ' '];
const inline = ['b', 'i', 'a', 'span', 'em', 'code', 'q', 'bdi', 'button', 'sub'];
const blocks = [
  'p',
  'div',
  'li',
  'section',
  'h2',
  'td',
  'blockquote',
  'pre',
  'form',
  'ul',
  'details',
  'label',
];
const points = ['br', 'img', 'input', 'svg', 'textarea', 'select', 'iframe', 'script', 'style', 'wbr', 'hr'];
/** Names of fields that hide properties of their form. */
const hiding = [
  'childNodes',
  'parentNode',
  'nodeType',
  'contains',
  'getAttribute',
  'firstChild',
  'cloneNode',
];
const attributes = [
  ['title', 'one two'],
  ['lang', 'en'],
  ['translate', 'no'],
  ['contenteditable', ''],
  ['class', 'notranslate'],
  ['style', 'display: block'],
  ['style', 'display: none'],
  ['style', 'white-space: pre'],
  ['id', 'x'],
  ['dir', 'rtl'],
];

class Maker {
  constructor(seed) {
    this.random = randomNumbers(seed);
  }

  pick(list) {
    return list[this.random.below(list.length)];
  }

  text() {
    return Array.from({ length: 1 + this.random.below(6) }, () => this.pick(words)).join(
      this.pick([' ', ' ', '\n']),
    );
  }

  node(depth) {
    const kind = this.random.below(10);
    if (kind < 4 || depth > 5) return document.createTextNode(this.text());
    if (kind === 4) return document.createComment('one');
    const names = kind === 5 ? points : kind < 8 ? inline : blocks;
    const element = document.createElement(this.pick(names));
    if (names === points) {
      if (this.random.below(2) === 0) element.setAttribute('name', this.pick(hiding));
      return element;
    }
    if (this.random.below(4) === 0) element.setAttribute(...this.pick(attributes));
    const count = this.random.below(5);
    const fresh = Array.from({ length: count }, () => this.node(depth + 1));
    Element.prototype.append.apply(element, fresh);
    return element;
  }

  page() {
    const root = document.createElement('main');
    root.append(...Array.from({ length: 1 + this.random.below(8) }, () => this.node(0)));
    return root;
  }
}

const nodesOf = (root) => {
  const walker = document.createTreeWalker(root);
  const nodes = [];
  for (let node = walker.currentNode; node; node = walker.nextNode()) nodes.push(node);
  return nodes;
};
const markupOf = (root) => new XMLSerializer().serializeToString(root);

/** Forms may have a field of that name. */
const parentOf = (node) => Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get.call(node);

/**
 * A change of the page that means the same wherever words have moved to, made as frameworks make it: with nodes that they hold.
 * `at` and `to` are nodes by their places in the untouched page.
 */
function change(nodes, { at, to, what, text, fresh }) {
  const node = nodes[at];
  if (what === 0 && node.nodeType === 3) node.data = text;
  if (what === 1 && at > 0) parentOf(node)?.removeChild(node);
  if (what === 2 && node.nodeType === 1) Element.prototype.setAttribute.call(node, 'data-x', text);
  if (what === 3 && node.nodeType === 1) Element.prototype.setAttribute.call(node, 'title', text);
  if (what < 4 || at === 0) return;
  const parent = parentOf(node);
  if (!parent) return;
  if (what === 4) parent.insertBefore(fresh(), node);
  if (what === 5) parent.appendChild(fresh());
  // Moved among its siblings: keyed lists.
  if (what === 6 && parentOf(nodes[to]) === parent && nodes[to] !== node)
    parent.insertBefore(nodes[to], node);
  if (what === 7) parent.replaceChild(fresh(), node);
}

/** @returns whether anything was translated, and what is wrong, or null */
async function tryOne({ translateElement }, seed) {
  const [maker, twin] = [new Maker(seed), new Maker(seed).page()];
  const root = maker.page();
  document.body.append(root);
  const [own, others] = [nodesOf(root), nodesOf(twin)];
  const random = randomNumbers(seed ^ 0x5bd1e995);
  const isReversed = random.below(2) === 0;
  const upper = wordByWord((word) => word.toUpperCase(), { isReversed });
  let turns = 0;
  const wait = () => new Promise((resolve) => setTimeout(resolve));
  const changes = random.below(2) === 0 ? 0 : 1 + random.below(12);
  const changeSome = () => {
    for (let i = 0; i < changes; i++) {
      const [at, to] = [random.below(own.length), random.below(own.length)];
      const [what, text, one] = [random.below(8), maker.text(), random.below(1e6)];
      for (const nodes of [own, others])
        change(nodes, {
          at,
          to,
          what,
          text,
          fresh() {
            const made = new Maker(one).node(3);
            nodes.push(...nodesOf(made));
            return made;
          },
        });
    }
  };
  const model = {
    async translate(texts, options) {
      if (turns++ === 0 && random.below(2) === 0) {
        await wait();
        changeSome();
      }
      return upper(texts, options);
    },
  };
  const observe = random.below(2) === 0;
  const page = translateElement(model, root, { attributes: true, observe });
  const isCut = random.below(4) === 0;
  if (!isCut) await page.done;
  page.done.catch(() => undefined);
  const isTranslated = markupOf(root) !== markupOf(twin);
  const isLate = random.below(2) === 0;
  if (isLate) changeSome();
  if (random.below(3) === 0) await wait();
  page.restore();
  await wait();
  const places = new Map(others.map((node, i) => [node, i]));
  const twinOf = (node) => own[places.get(node)];
  root.remove();
  twin.remove();
  // Nobody watched where it put what: then nodes have their parents and texts, whatever their order.
  const isExact = observe || !isLate;
  const wrong = isExact ? sameMarkup(root, twin, twinOf) : sameNodes(root, twin, twinOf);
  return { isTranslated, wrong: wrong && `seed ${seed}, observe ${observe}: ${wrong}` };
}

function sameMarkup(root, twin, twinOf) {
  const [found, expected] = [markupOf(root), markupOf(twin)];
  if (found !== expected) return `${found}\n  instead of ${expected}`;
  // The same nodes: each where its twin is.
  const [now, then] = [nodesOf(root), nodesOf(twin)];
  return now.every((node, i) => node === twinOf(then[i])) ? null : `other nodes, of ${found}`;
}

function sameNodes(root, twin, twinOf) {
  const [now, then] = [nodesOf(root), nodesOf(twin)];
  const isSame = (node) => {
    const own = twinOf(node);
    return (
      own && own.nodeValue === node.nodeValue && (node === twin || twinOf(parentOf(node)) === parentOf(own))
    );
  };
  const wrong = then.find((node) => !isSame(node));
  return now.length === then.length && !wrong
    ? null
    : `${markupOf(root)}\n  lacks nodes of ${markupOf(twin)}`;
}

/** @returns how many pages were tried, how many of them showed a translation, and what is wrong with the first that is not restored */
export async function tryPages(library, { first, count }) {
  let translated = 0;
  for (let i = 0; i < count; i++) {
    const { isTranslated, wrong } = await tryOne(library, first + i);
    if (isTranslated) translated++;
    if (wrong) return { tried: i + 1, translated, wrong };
  }
  return { tried: count, translated, wrong: null };
}
