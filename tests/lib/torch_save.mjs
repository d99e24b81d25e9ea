// Writes files like torch.save, and invalid ones that it never writes: pickles from opcodes, zip archives from entries.

const text = (value) => new TextEncoder().encode(value);

export function concat(parts) {
  return Uint8Array.from(
    Buffer.concat(
      parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
    ),
  );
}

const littleEndian = (bytes) => (value) => {
  const result = new Uint8Array(bytes);
  for (let i = 0, rest = BigInt(value); i < bytes; i++, rest >>= 8n) result[i] = Number(rest & 0xffn);
  return result;
};
const [u16, u32, u64] = [2, 4, 8].map(littleEndian);

/** The opcodes by pickletools' names: each call returns the bytes of one. */
export const op = {
  proto: (version = 2) => Uint8Array.of(0x80, version),
  mark: () => text('('),
  stop: () => text('.'),
  none: () => text('N'),
  int: (value) => concat([text('J'), u32(value & 0xffffffff)]),
  long: (bytes) => Uint8Array.of(0x8a, bytes.length, ...bytes),
  unicode: (value) => concat([text('X'), u32(text(value).length), text(value)]),
  emptyList: () => text(']'),
  emptyDict: () => text('}'),
  emptyTuple: () => text(')'),
  tuple: () => text('t'),
  append: () => text('a'),
  appends: () => text('e'),
  setItem: () => text('s'),
  setItems: () => text('u'),
  global: (module, name) => text(`c${module}\n${name}\n`),
  reduce: () => text('R'),
  build: () => text('b'),
  persid: () => text('Q'),
  put: (index) => concat([text('r'), u32(index)]),
  get: (index) => concat([text('j'), u32(index)]),
};

const tuple = (...parts) => [op.mark(), ...parts, op.tuple()];
const numbers = (values) => tuple(...values.map((value) => op.int(value)));

/** Opcodes that push a tensor. */
export const tensorOps = ({ key = '0', type = 'FloatStorage', count, offset = 0, shape, strides }) => [
  op.global('torch._utils', '_rebuild_tensor_v2'),
  ...tuple(
    ...tuple(
      op.unicode('storage'),
      op.global('torch', type),
      op.unicode(key),
      op.unicode('cpu'),
      op.int(count),
    ),
    op.persid(),
    op.int(offset),
    ...numbers(shape),
    ...numbers(strides ?? contiguous(shape)),
    op.none(),
    op.none(),
  ),
  op.reduce(),
];

const contiguous = (shape) => shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));

/** The pickle of a state dict: maps names to arguments of {@link tensorOps}. */
export const stateDict = (tensors) =>
  concat([
    op.proto(),
    op.emptyDict(),
    op.mark(),
    ...[...tensors].flatMap(([name, tensor]) => [op.unicode(name), ...tensorOps(tensor)]),
    op.setItems(),
    op.stop(),
  ]);

/**
 * A zip archive of entries { name, data }. Its records can be falsified: `size`, `method`, `flags`, `begin`, `localName` of
 * an entry; `count`, `listBegin`, `listBytes` of the archive. `is64`: with 64-bit records.
 */
export function writeZip(entries, { is64 = false, ...lies } = {}) {
  const parts = [];
  const list = [];
  let place = 0;
  const add = (...bytes) => {
    for (const part of bytes) {
      parts.push(part);
      place += part.length;
    }
  };
  for (const entry of entries) {
    const { name, data, localName = name, method = 0, flags = 0x808 } = entry;
    const begin = entry.begin ?? place;
    const size = entry.size ?? data.length;
    add(
      u32(0x04034b50),
      u16(20),
      u16(flags),
      u16(method),
      new Uint8Array(16),
      u16(text(localName).length),
      u16(3),
    );
    add(text(localName), new Uint8Array(3), data);
    const extra = is64 ? concat([u16(1), u16(24), u64(size), u64(size), u64(begin)]) : new Uint8Array(0);
    const sizes = is64 ? Array(3).fill(u32(0xffffffff)) : [u32(size), u32(size), u32(begin)];
    list.push(
      concat([
        ...[
          u32(0x02014b50),
          u16(20),
          u16(20),
          u16(flags),
          u16(method),
          new Uint8Array(8),
          sizes[0],
          sizes[1],
        ],
        ...[u16(text(name).length), u16(extra.length), new Uint8Array(10), sizes[2], text(name), extra],
      ]),
    );
  }
  const { listBegin = place, count = entries.length } = lies;
  add(...list);
  const { listBytes = list.reduce((sum, { length }) => sum + length, 0) } = lies;
  if (is64) {
    const large = place;
    add(
      u32(0x06064b50),
      u64(44),
      u16(45),
      u16(45),
      u32(0),
      u32(0),
      u64(count),
      u64(count),
      u64(listBytes),
      u64(listBegin),
    );
    add(u32(0x07064b50), u32(0), u64(large), u32(1));
  }
  const [counts, bytes, begin] = is64 ? [0xffff, 0xffffffff, 0xffffffff] : [count, listBytes, listBegin];
  add(u32(0x06054b50), u16(0), u16(0), u16(counts), u16(counts), u32(bytes), u32(begin), u16(0));
  return concat(parts);
}

/** A file of float32 tensors, name to { shape, data }, as torch.save writes it. */
export function writeTorch(tensors, options = {}) {
  const list = [...tensors];
  const described = list.map(([name, { shape, data }], i) => [
    name,
    { key: `${i}`, count: data.length, shape },
  ]);
  return writeZip(
    [
      { name: 'model/data.pkl', data: stateDict(described) },
      ...list.map(([, { data }], i) => ({ name: `model/data/${i}`, data: concat([data]) })),
      { name: 'model/version', data: text('3\n') },
    ],
    options,
  );
}
