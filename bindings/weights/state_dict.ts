/**
 * The pickle of a PyTorch state dict: tensor names, and each tensor's view of a storage. The numbers are outside of the
 * pickle, which refers to storages by key.
 */

import { showJson } from '../files/show_json.js';
import { fail } from '../values/errors.js';
import { elements, isIndex } from '../values/tensor.js';
import { readPickle } from './pickle.js';
import { Dictionary, Made, Name, Sequence, type Value, type Vocabulary } from './pickle_machine.js';
import { dtypeBytes, extent, type StoredTensor, type TensorStorage } from './stored_tensor.js';

/** A storage as the pickle describes it. */
export class StorageReference extends Made {
  constructor(
    readonly key: string,
    readonly dtype: string,
    readonly elements: number,
  ) {
    super();
  }

  get bytes(): number {
    return this.elements * (dtypeBytes.get(this.dtype) ?? 1);
  }
}

interface View {
  readonly storage: StorageReference;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

class TensorReference extends Made {
  constructor(readonly view: View) {
    super();
  }
}

const dtypes = {
  DoubleStorage: 'F64',
  FloatStorage: 'F32',
  HalfStorage: 'F16',
  BFloat16Storage: 'BF16',
  LongStorage: 'I64',
  IntStorage: 'I32',
  ShortStorage: 'I16',
  CharStorage: 'I8',
  ByteStorage: 'U8',
  BoolStorage: 'BOOL',
} as const;

const dtypeOf = new Map<string, string>(
  Object.entries(dtypes).map(([storage, dtype]) => [`torch ${storage}`, dtype]),
);

/** PyTorch's own limit. */
const maxAxes = 64;

/**
 * Reads the pickle of a state dict.
 *
 * @param file name for messages
 * @returns its tensors, and the offset of the pickle's end
 * @throws TransformerError `bad_checkpoint`, `unsupported` (a kind of tensor that is not supported)
 */
export function readStateDict(
  bytes: Uint8Array,
  { file, begin = 0 }: { file: string; begin?: number },
): { tensors: ReadonlyMap<string, View>; end: number } {
  const { value, end } = readPickle(bytes, vocabularyOf(file), { file, begin });
  if (!(value instanceof Dictionary)) fail('bad_checkpoint', `${file} holds no dictionary of tensors`);
  const tensors = new Map<string, View>();
  for (const [name, entry] of value.items) {
    // State dicts may contain other values too: version numbers, settings.
    if (!(entry instanceof TensorReference) || typeof name !== 'string') continue;
    checkView(entry.view, `${file}: the tensor ${showJson(name)}`);
    tensors.set(name, entry.view);
  }
  if (tensors.size === 0)
    fail('bad_checkpoint', `${file} holds no tensors at the top level of its dictionary`);
  return { tensors, end };
}

function vocabularyOf(file: string): Vocabulary {
  const wrong = (what: string): never => fail('bad_checkpoint', `${file}: its pickle ${what}`);

  const tensor = ([storage, offset, shape, strides, , , metadata = null]: readonly Value[]): Value => {
    if (metadata !== null && !(metadata instanceof Dictionary && metadata.items.size === 0))
      fail('unsupported', `${file} holds a conjugated or negated tensor, which is not supported`);
    if (!(storage instanceof StorageReference))
      return wrong('builds a tensor from something that is not a storage');
    const [sizes, steps] = [itemsOf(shape), itemsOf(strides)];
    if (sizes.length > maxAxes || steps.length > maxAxes)
      return wrong(`builds a tensor with more than ${maxAxes} axes`);
    if (!isSize(offset) || !sizes.every(isSize) || !steps.every(isSize))
      return wrong('builds a tensor whose offset, shape or strides are not integers');
    return new TensorReference({ storage, offset, shape: sizes, strides: steps });
  };

  return {
    names: new Map<string, ((args: readonly Value[]) => Value) | null>([
      ...[...dtypeOf.keys()].map((name) => [name, null] as const),
      [
        'collections OrderedDict',
        (args) => (args.length === 0 ? new Dictionary() : wrong('builds an OrderedDict from arguments')),
      ],
      ['torch._utils _rebuild_tensor', tensor],
      ['torch._utils _rebuild_tensor_v2', tensor],
      ['torch._utils _rebuild_parameter', ([data]) => data ?? null],
    ]),
    persistent(id) {
      const [kind, type, key, , count, view = null] = id instanceof Sequence ? id.items : [];
      const dtype = type instanceof Name ? dtypeOf.get(type.name) : undefined;
      if (kind !== 'storage' || dtype === undefined || typeof key !== 'string' || !isSize(count))
        return wrong('refers to something that is not a tensor storage');
      // Files from 2017: storages that are views of others.
      if (view !== null) fail('unsupported', `${file} holds a storage that is a view of another one`);
      return new StorageReference(key, dtype, count);
    },
  };
}

const isSize = (value: Value | undefined): value is number => isIndex(value);

/** The tensor must be within its storage, and have no more elements than the storage. */
function checkView({ storage, offset, shape, strides }: View, what: string): void {
  if (strides.length !== shape.length)
    fail('bad_checkpoint', `${what} has ${shape.length} sizes, but ${strides.length} strides`);
  const count = elements(shape);
  const covered = extent({ shape, strides });
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(covered) || covered + offset > storage.elements) {
    fail(
      'bad_checkpoint',
      `${what} of shape [${shape}], strides [${strides}] and offset ${offset} reaches beyond its storage of ${storage.elements} elements`,
    );
  }
  if (count > covered)
    fail(
      'bad_checkpoint',
      `${what} of shape [${shape}] and strides [${strides}] uses elements several times`,
    );
}

/**
 * The tensors with their positions in the file.
 *
 * @param place of a storage in the file
 * @throws TransformerError `bad_checkpoint` if reading all of them would mean reading the file many times over.
 */
export function placeTensors(
  tensors: ReadonlyMap<string, View>,
  place: (storage: StorageReference, tensor: string) => TensorStorage,
  { file, size }: { file: string; size: number },
): StoredTensor[] {
  let toRead = 0;
  const placed = [...tensors].map(([name, view]): StoredTensor => {
    const { storage: reference, offset, shape } = view;
    const { dtype } = reference;
    const strides = isContiguous(view) ? null : view.strides;
    toRead += extent({ shape, strides }) * (dtypeBytes.get(dtype) ?? 1);
    return { name, dtype, shape, storage: place(reference, name), offset, strides };
  });
  if (toRead > 16 * size) fail('bad_checkpoint', `${file}: too many of its tensors share the same bytes`);
  return placed;
}

const itemsOf = (value: Value | undefined): readonly Value[] =>
  value instanceof Sequence ? value.items : [null];

function isContiguous({ shape, strides }: View): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] ?? 1;
    if (size === 0) return true;
    if (size > 1 && strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}
