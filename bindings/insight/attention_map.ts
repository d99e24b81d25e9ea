/** The attention weights of a result as one matrix with its labels: a layer's head, or the mean of all heads. */

import { fail } from '../values/errors.js';
import { integerFrom, readFields, toChoice } from '../values/options.js';
import { Tensor, type TensorLike } from '../values/tensor.js';

/** A matrix of weights with its labels, which `attentionSvg` draws. */
export interface AttentionPicture {
  /** Shown above the picture. */
  readonly title: string;
  /** The tokens of the rows. */
  readonly queries: readonly string[];
  /** The tokens of the columns. */
  readonly keys: readonly string[];
  /** [queries, keys], from 0 to 1. */
  readonly weights: TensorLike;
  /** Label of the rows, such as `translation`; default `queries`. */
  readonly queryAxis?: string;
  /** Label of the columns, such as `source text`; default `keys`. */
  readonly keyAxis?: string;
}

/** What `translate` and `generate` return with `outputAttentions`, and what each sentence of a translation has. */
export interface WithAttentions {
  readonly encoderAttentions?: readonly Tensor[] | undefined;
  readonly decoderAttentions?: readonly Tensor[] | undefined;
  readonly crossAttentions?: readonly Tensor[] | undefined;
  readonly axes?:
    | {
        readonly source: readonly string[];
        readonly decoder: readonly string[];
        readonly written: readonly string[];
      }
    | undefined;
}

export type AttentionKind = 'cross' | 'encoder' | 'decoder';

/** Which of a result's attention weights to draw. */
export interface AttentionChoice {
  /** `'cross'`: from the translation to the source; the others: within one of both. Default: `'cross'` if it exists. */
  kind?: AttentionKind;
  /** From 0 on; default: the last. */
  layer?: number;
  /** From 0 on; default: the mean of all. */
  head?: number;
  /** Default: names the attention, its layer and its head, both counted from 1. */
  title?: string;
}

const kinds = ['cross', 'encoder', 'decoder'] as const;

const names: Readonly<Record<AttentionKind, { title: string; queryAxis: string; keyAxis: string }>> = {
  cross: { title: 'Cross-attention', queryAxis: 'translation', keyAxis: 'source text' },
  encoder: { title: 'Encoder self-attention', queryAxis: 'source text', keyAxis: 'source text' },
  decoder: { title: 'Decoder self-attention', queryAxis: 'generated token', keyAxis: 'translation so far' },
};

/** @throws TransformerError `invalid_argument` */
export function attentionPicture(result: WithAttentions, given: AttentionChoice = {}): AttentionPicture {
  const toText = (value: unknown, name: string) =>
    typeof value === 'string' ? value : fail('invalid_argument', `${name} must be a string`);
  const { kind, layer, head, title } = readFields(given, {
    kind: (value: unknown, name: string) => toChoice(value, name, kinds),
    layer: integerFrom(0),
    head: integerFrom(0),
    title: toText,
  });
  const { axes } = result;
  const layersOf = (one: AttentionKind) => result[`${one}Attentions`] ?? [];
  const chosen = kind ?? kinds.find((one) => layersOf(one).length > 0) ?? 'cross';
  const layers = layersOf(chosen);
  if (!axes || layers.length === 0)
    fail(
      'invalid_argument',
      `the result has no weights of the kind '${chosen}': ask for them with outputAttentions; of several sentences each has its own`,
    );
  const place = layer ?? layers.length - 1;
  const tensor =
    layers[place] ??
    fail('invalid_argument', `layer is ${place}, but there are only ${layers.length} layers`);
  const [, heads = 0, rows = 0, columns = 0] = tensor.shape;
  if (head !== undefined && head >= heads)
    fail('invalid_argument', `head is ${head}, but a layer has only ${heads} heads`);
  const which = head === undefined ? 'mean of all heads' : `head ${head + 1}`;
  const labels = names[chosen];
  return {
    ...labels,
    title: title ?? `${labels.title}, layer ${place + 1}, ${which}`,
    queries: chosen === 'encoder' ? axes.source : axes.written,
    keys: chosen === 'decoder' ? axes.decoder : axes.source,
    weights: new Tensor(meanOfHeads(tensor, head), [rows, columns]),
  };
}

/** [1, heads, rows, columns] -> [rows, columns]: of one head, or the mean of all. */
function meanOfHeads({ data, shape }: Tensor, head?: number): Float32Array {
  const [, heads = 0, rows = 0, columns = 0] = shape;
  const size = rows * columns;
  if (head !== undefined) return data.slice(head * size, (head + 1) * size) as Float32Array;
  const mean = new Float32Array(size);
  for (let place = 0; place < heads * size; place++)
    mean[place % size] = (mean[place % size] ?? 0) + (data[place] ?? 0) / heads;
  return mean;
}
