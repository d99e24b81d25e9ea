// Values that no call expects, and arguments with one of them somewhere inside.

/** What a hostile value throws when it is looked at. */
export class Sprung extends Error {}
const spring = () => {
  throw new Sprung('a trap');
};
const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, spring]));

const cyclic = () => {
  const list = [1];
  list.push(list);
  const object = { list };
  object.self = object;
  return object;
};
const cyclicList = () => {
  const list = [];
  list.push(list, list);
  return list;
};
const detached = (Kind) => () => {
  const { buffer } = new Float32Array(4);
  const view = new Kind(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  return view;
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
};
const deep = () => {
  let list = [1];
  for (let i = 0; i < 20_000; i++) list = [list];
  return list;
};

/** Each makes a value. */
export const hostileValues = {
  null: () => null,
  undefined: () => undefined,
  symbol: () => Symbol('s'),
  bigint: () => 2n ** 70n,
  smallBigint: () => 1n,
  function: () => () => 1,
  throwingFunction: () => spring,
  class: () => class {},
  proxy: () => new Proxy({}, traps),
  proxyOfArray: () => new Proxy([1, 2], traps),
  proxyOfFunction: () => new Proxy(() => 1, traps),
  revoked,
  getter: () => Object.defineProperty({}, 'text', { get: spring, enumerable: true }),
  getters: () => Object.defineProperties([1, 2], { 0: { get: spring, enumerable: true } }),
  unprintable: () => ({ toString: spring, valueOf: spring, [Symbol.toPrimitive]: spring }),
  bare: () => Object.create(null),
  iterable: () => ({ [Symbol.iterator]: spring }),
  thenable: () => Object.fromEntries([['then', spring]]),
  sparse: () => Object.assign(new Array(3), { 0: 1, 2: 3 }),
  hole: () => new Array(3),
  huge: () => new Array(2 ** 32 - 1),
  long: () => ({ length: 2 ** 53 - 1 }),
  longData: () => ({ data: { length: 2 ** 31 }, shape: [2 ** 31] }),
  detached: detached(Float32Array),
  detachedBytes: detached(Uint8Array),
  cyclic,
  cyclicList,
  deep,
  nan: () => Number.NaN,
  infinity: () => -Infinity,
  tooBig: () => 2 ** 53,
  tooBigFor32: () => 2 ** 32 + 1,
  negative: () => -1,
  fraction: () => 1.5,
  zero: () => 0,
  true: () => true,
  empty: () => '',
  loneSurrogate: () => '\ud800',
  nul: () => 'a\0b',
  url: () => 'data:,',
  prototype: () => JSON.parse('{"__proto__": {"text": 1}, "constructor": 1}'),
  emptyList: () => [],
  emptyObject: () => ({}),
  dataView: () => new DataView(new ArrayBuffer(4)),
  date: () => new Date(Number.NaN),
  regexp: () => /x/g,
  map: () => new Map([[Symbol('k'), 1]]),
  set: () => new Set([1]),
  weakMap: () => new WeakMap(),
  promise: () => {
    const promise = Promise.reject(new Sprung('a promise'));
    promise.catch(() => {});
    return promise;
  },
  error: () => new Error('given'),
  boxed: () => Object('text'),
  generator: () => (function* () {})(),
  names: () => [['text'], { text: { text: {} } }],
  global: () => globalThis,
};

/** The places in a value, each as a list of keys; `[]` is the value itself. Only plain objects and lists are entered. */
export function placesIn(value, depth = 5) {
  const isPlain = Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain || depth === 0) return [[]];
  return [
    [],
    ...Object.keys(value).flatMap((key) => placesIn(value[key], depth - 1).map((rest) => [key, ...rest])),
  ];
}

/** A copy with something else at a place. */
export function withAt(value, [key, ...rest], other) {
  if (key === undefined) return other;
  const inner = withAt(value[key], rest, other);
  if (Array.isArray(value)) return Object.assign([...value], { [key]: inner });
  return { ...value, [key]: inner };
}
