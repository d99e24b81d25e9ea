/** How a model knows which word comes first: six position schemes, and what happens without any. */

import './positions.css';
import type { Tensor } from 'transformer-wasm';
import { action, choice, slider } from '../controls.js';
import { make } from '../dom.js';
import { HeatMap } from '../drawing/heat_map.js';
import type { Frame } from '../frame.js';
import type { Draw, Page } from '../view.js';
import { openDigits } from './pictures/digits.js';
import { Curve } from './positions/curve.js';
import { length, type Scheme, type SchemeName, schemeNames, schemeOf } from './positions/schemes.js';
import { type Shuffled, shuffle } from './positions/shuffle.js';

const id = 'positions';

const isScheme = (name: string): name is SchemeName => Object.hasOwn(schemeNames, name);

const column = ({ data, shape }: Tensor, at: number) =>
  Array.from({ length: shape[0] ?? 0 }, (_, row) => data[row * (shape[1] ?? 0) + at] ?? 0);

const names = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

const largestOf = (values: ArrayLike<number>) => Math.max(1e-9, ...Array.from(values, Math.abs));

export function mount(frame: Frame, page: Page): Draw {
  const { selection } = page;
  const set = (name: string) => (value: string | number) => selection.setSetting(id, name, `${value}`);
  const scheme = choice({
    label: 'scheme',
    options: schemeNames,
    value: 'sinusoidal',
    onChange: set('scheme'),
  });
  const line = slider({
    label: 'dimension',
    value: 8,
    min: 0,
    max: length - 1,
    step: 1,
    onChange: set('line'),
  });
  const label = line.element.querySelector('label');
  frame.controls.append(scheme.element, line.element);

  let shown: Scheme | null = null;
  const colours = { rows: '--ink-soft', columns: '--ink-soft' };
  const numberAt = (tensor: Tensor | null | undefined, row: number, at: number) =>
    (tensor?.data[row * (tensor.shape[1] ?? 0) + at] ?? 0).toFixed(3);
  const matrix = new HeatMap({
    label: 'The scheme as a matrix',
    colours,
    describe: (cell) =>
      `${shown?.rows} ${cell.row}, ${shown?.columns} ${cell.column}: ${numberAt(shown?.matrix, cell.row, cell.column)}`,
    onSelect: ({ column: at }) => shown?.similarity && set('line')(at),
  });
  const similarity = new HeatMap({
    label: 'How alike two positions are',
    colours,
    describe: (cell) =>
      `Positions ${cell.row} and ${cell.column}: ${numberAt(shown?.similarity, cell.row, cell.column)}`,
  });
  const curve = new Curve();
  const curveTitle = make('h3');
  const alike = make(
    'div',
    {},
    make('h3', {}, 'How alike two positions are (dot product)'),
    similarity.element,
  );
  const words = make('div', { class: 'shuffle' });
  frame.figure.append(
    make(
      'div',
      { class: 'position-maps' },
      make('div', {}, make('h3', {}, 'The scheme'), matrix.element),
      alike,
      make('div', {}, curveTitle, curve.element),
    ),
    words,
  );

  const openModel = () => page.engine().then(openDigits);

  async function drawScheme(name: SchemeName, at: number): Promise<void> {
    const engine = await page.engine();
    const isAlibi = name === 'alibi';
    shown = await schemeOf(engine, name, { head: isAlibi ? Math.min(7, at) : 0, digits: openModel });
    const [rows = 0, columns = 0] = shown.matrix.shape;
    matrix.show({
      values: shown.matrix.data,
      rows,
      columns,
      scale: 'signed',
      limit: largestOf(shown.matrix.data),
      rowNames: names(rows),
      columnNames: names(columns),
    });
    alike.hidden = shown.similarity === null;
    if (shown.similarity) {
      const values = shown.similarity.data;
      const data = { values, rows, columns: rows, scale: 'signed' as const, limit: largestOf(values) };
      similarity.show({ ...data, rowNames: names(rows), columnNames: names(rows) });
    }
    const ofScores = shown.similarity === null;
    const chosen = Math.min(columns - 1, at);
    line.element.hidden = name === 'relative';
    if (label) label.textContent = isAlibi ? 'head' : 'dimension';
    const range = line.element.querySelector('input');
    if (range) range.max = `${isAlibi ? 7 : columns - 1}`;
    line.set(isAlibi ? Math.min(7, at) : chosen);
    const values = ofScores
      ? [...shown.matrix.data.subarray((rows - 1) * columns)].reverse()
      : column(shown.matrix, chosen);
    const title = ofScores
      ? 'The last query, by the distance of the key'
      : `Dimension ${chosen}, by ${shown.rows}`;
    curveTitle.textContent = title;
    curve.show({ values, name: title });
    frame.say(shown.about);
    frame.table(() => ({
      caption: title,
      columns: [title],
      rows: values.map((value, i) => ({ name: `${i}`, values: [value.toPrecision(6)] })),
    }));
    frame.code(codes[name]);
  }

  return async (state) => {
    const name = selection.setting(id, 'scheme', 'sinusoidal');
    const chosen = isScheme(name) ? name : 'sinusoidal';
    scheme.set(chosen);
    await drawScheme(chosen, Number(selection.setting(id, 'line', '8')) || 0);
    if (!state.reading.maps.cross || state.reading.isRecurrent) return words.replaceChildren();
    const seed = Number(selection.setting(id, 'seed', '1')) || 1;
    const model = await page.model();
    const shuffled = await shuffle(await page.engine(), model, state.reading, seed);
    const text = shuffled.order
      .map((at) => state.reading.source[at])
      .filter((token) => token && !token.isSpecial)
      .map((token) => token?.label)
      .join(' ');
    const { text: translation } = await model.translate(text, { signal: state.signal });
    if (state.signal.aborted) return;
    const again = action('Shuffle my words', () => set('seed')(seed + 1));
    words.replaceChildren(...drawShuffle(shuffled, state.reading.source, translation), again);
  };
}

function drawShuffle(
  { order, withPositions, without }: Shuffled,
  tokens: readonly { readonly label: string }[],
  translation: string,
): HTMLElement[] {
  const items = order.map((at) =>
    make(
      'li',
      {},
      tokens[at]?.label ?? '',
      make('span', { class: 'moved' }, (withPositions[at] ?? 0).toFixed(3)),
      make('span', { class: 'stays' }, (without[at] ?? 0).toFixed(3)),
    ),
  );
  return [
    make(
      'h3',
      {},
      'My words, shuffled: how far the attention’s output for each word moves, ',
      make('span', { class: 'moved' }, 'with positions'),
      ' and ',
      make('span', { class: 'stays' }, 'without'),
    ),
    make('ol', {}, ...items),
    make(
      'p',
      { class: 'spoken' },
      `Without positions nothing moves: attention sees a bag of words. With them, only words that kept their place do not. Of this order the model makes “${translation}”`,
    ),
  ];
}

const codes: Record<SchemeName, { ours: string; pytorch: string }> = {
  sinusoidal: {
    ours: `const positions = await engine.positionalEncoding(${length}, 64);`,
    pytorch: `angles = torch.arange(${length})[:, None] / 10000 ** (torch.arange(0, 64, 2) / 64)
positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)`,
  },
  halves: {
    ours: `const model = await loadModel('opus-mt'); // Marian checkpoints have their positions in halves`,
    pytorch: `angles = torch.arange(${length})[:, None] / 10000 ** (torch.arange(0, 64, 2) / 64)
positions = torch.cat([angles.sin(), angles.cos()], -1)`,
  },
  learned: {
    ours: `const { trace } = await digits.forward({ pixelValues }, { trace: ['encoder.embeddings'] });`,
    pytorch: 'x = patches + vit.embeddings.position_embeddings[:, 1:]',
  },
  rotary: {
    ours: 'const turned = await engine.rotaryEmbedding(queries, { interleaved: true });',
    pytorch: `cos, sin = angles.cos(), angles.sin()
x, y = q[..., 0::2], q[..., 1::2]
q = torch.stack([x * cos - y * sin, x * sin + y * cos], -1).flatten(-2)`,
  },
  alibi: {
    ours: `const bias = await engine.alibiBias(8, ${length}, ${length});
await engine.scaledDotProductAttention(Q, K, V, { bias });`,
    pytorch: `slopes = 2.0 ** -torch.arange(1, 9)
bias = slopes[:, None, None] * (torch.arange(${length}) - torch.arange(${length})[:, None])`,
  },
  relative: {
    ours: `const t5 = await loadModel('t5-small'); // its table of biases comes with it`,
    pytorch: 'bias = table[T5Attention._relative_position_bucket(keys - queries)]',
  },
};
