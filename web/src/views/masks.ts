/** A mask and what it does: the scores before the softmax, the weights after it. */

import './masks.css';
import { Tensor } from 'transformer-wasm';
import { action, check, choice, slider } from '../controls.js';
import { make } from '../dom.js';
import { type Cell, HeatMap } from '../drawing/heat_map.js';
import type { Frame } from '../frame.js';
import { chosenHead } from '../reading.js';
import { percent } from '../tokens.js';
import type { Draw, Page } from '../view.js';
import { type Inputs, ofSentence } from './attention/sources.js';
import {
  formatTurned,
  isPreset,
  type MaskSettings,
  maskOf,
  parseTurned,
  presetNames,
} from './masks/presets.js';

const id = 'masks';

interface Shown {
  readonly inputs: Inputs;
  readonly mask: readonly (readonly number[])[];
  readonly scores: Float32Array;
  readonly weights: Float32Array;
}

export function mount(frame: Frame, page: Page): Draw {
  const { selection } = page;
  /** Where the mask of the selected head is kept: its own, or the one of all heads. */
  let place = '';
  let shown: Shown | null = null;
  const setting = (name: string, otherwise: string) => selection.setting(id, `${name}${place}`, otherwise);
  const set = (name: string, value: string, otherwise: string) =>
    selection.setSetting(id, `${name}${place}`, value === otherwise ? null : value);
  const preset = choice({
    label: 'mask',
    options: presetNames,
    value: 'causal',
    onChange: (value) => {
      const settings = selection.current.settings;
      const { [`${id}.turned${place}`]: _, ...others } = settings;
      selection.set({ settings: { ...others, [`${id}.preset${place}`]: value } });
    },
  });
  const size = slider({
    label: 'reach',
    value: 2,
    min: 0,
    max: 8,
    step: 1,
    onChange: (value) => set('size', `${value}`, '2'),
  });
  const own = check({
    label: 'a mask of its own for this head',
    value: false,
    onChange: (value) => selection.setSetting(id, 'own', value ? '1' : null),
  });
  const clear = action('Turn all cells back', () => set('turned', '', ''));
  frame.controls.append(preset.element, size.element, own.element, clear);

  const name = (names: readonly string[] | undefined, at: number) => names?.[at] ?? '';
  const words = ({ row, column }: Cell) => {
    const { inputs, mask, weights } = shown ?? {};
    const pair = `${name(inputs?.queryNames, row)} → ${name(inputs?.keyNames, column)}`;
    if (mask?.[row]?.[column] === 0) return `${pair}: hidden, click to show`;
    return `${pair}: weight ${percent(weights?.[row * (inputs?.keyNames.length ?? 0) + column] ?? 0)}, click to hide`;
  };
  const turn = ({ row, column }: Cell) => {
    const turned = parseTurned(setting('turned', ''));
    const cell = row * (shown?.inputs.keyNames.length ?? 0) + column;
    if (!turned.delete(cell)) turned.add(cell);
    set('turned', formatTurned(turned), '');
  };
  const before = new HeatMap({
    label: 'Scores before the softmax; a click hides a cell or shows it',
    describe: words,
    onSelect: turn,
  });
  const after = new HeatMap({
    label: 'Weights after the softmax; a click hides a cell or shows it',
    describe: words,
    onSelect: turn,
  });
  const empty = make('p', { class: 'message' });
  frame.figure.append(
    make(
      'div',
      { class: 'pair' },
      make('div', {}, make('h3', {}, 'Scores, before the softmax'), before.element),
      make('div', {}, make('h3', {}, 'Weights, after the softmax: each row adds up to 100 %'), after.element),
    ),
    empty,
  );

  return async (state) => {
    const head = chosenHead(state.reading, state.selection.head);
    const isOwn = selection.setting(id, 'own', '') === '1';
    own.set(isOwn);
    place = isOwn ? `.${head.kind}.${head.layer}.${head.head}` : '';
    const engine = await page.engine();
    const inputs = { ...(await ofSentence(await page.model(), state.reading, state.selection)) };
    const [queries, keys] = [inputs.queryNames.length, inputs.keyNames.length];
    const settings: MaskSettings = {
      preset: presetOf(setting('preset', head.kind === 'decoder' ? 'causal' : 'none')),
      size: Number(setting('size', '2')) || 0,
      turned: parseTurned(setting('turned', '')),
    };
    preset.set(settings.preset);
    size.set(settings.size);
    size.element.hidden = settings.preset !== 'padding' && settings.preset !== 'window';
    clear.hidden = settings.turned.size === 0;
    const mask = await maskOf(engine, { queries, keys }, settings);
    const width = inputs.keys.shape[1] ?? 1;
    const products = await engine.luongAttention(inputs.queries, inputs.keys, { score: 'dot' });
    const scores = await engine.matmul(products.scores, scaling(keys, width));
    const options = { mask, needWeights: true };
    const { weights } = await engine.scaledDotProductAttention(
      inputs.queries,
      inputs.keys,
      inputs.values,
      options,
    );
    if (state.signal.aborted) return;
    shown = { inputs, mask, scores: scores.data, weights: weights?.data ?? new Float32Array() };
    const axes = { rows: queries, columns: keys, rowNames: inputs.queryNames, columnNames: inputs.keyNames };
    const isEmpty = (row: number, column: number) => mask[row]?.[column] === 0;
    const limit = Math.max(1e-9, ...Array.from(scores.data, Math.abs));
    before.show({
      ...axes,
      values: shown.scores,
      scale: 'signed',
      limit,
      isEmpty,
      text: (value) => value.toFixed(1),
    });
    after.show({ ...axes, values: shown.weights, isEmpty, text: (value) => `${Math.round(value * 100)}` });
    const hidden = mask.flat().filter((seen) => seen === 0).length;
    frame.say(
      `${inputs.title}: ${hidden} of ${queries * keys} cells are hidden.`,
      ' Hidden cells are −∞ before the softmax and 0 after it; the rest of a row shares what they had.',
    );
    const nothing = mask.flatMap((row, i) => (row.includes(1) ? [] : [inputs.queryNames[i] ?? '']));
    empty.textContent =
      nothing.length > 0
        ? `${nothing.join(', ')}: nothing may be seen, so all weights and the output are zero, not NaN.`
        : '';
    frame.table(() => ({
      caption: `${inputs.title}: weights after the softmax, in percent`,
      columns: inputs.keyNames,
      rows: inputs.queryNames.map((query, row) => ({
        name: query,
        values: Array.from(weights?.data.subarray(row * keys, (row + 1) * keys) ?? [], (weight) =>
          (weight * 100).toFixed(2),
        ),
      })),
    }));
    frame.code(codeOf(settings));
  };
}

const presetOf = (name: string) => (isPreset(name) ? name : 'none');

/** The identity over √d: a product with it scales. */
const scaling = (size: number, width: number) =>
  Tensor.from(
    Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => (i === j ? 1 / Math.sqrt(width) : 0)),
    ),
  );

function codeOf({ preset, size }: MaskSettings) {
  const ours = {
    none: 'const mask = undefined;',
    causal: 'const mask = await engine.causalMask(n); // or isCausal: true',
    padding: `const mask = await engine.paddingMask([n - ${size}], n); // [batch, n], 1 = may attend`,
    window: `const window = ${size};`,
  }[preset];
  const pytorch = {
    none: 'mask = None',
    causal: 'mask = torch.ones(n, n, dtype=torch.bool).tril()',
    padding: `mask = torch.arange(n) < n - ${size}`,
    window: `i = torch.arange(n)\nmask = (i[:, None] - i).abs() <= ${size}`,
  }[preset];
  const option = preset === 'window' ? 'window' : 'mask';
  return {
    ours: `${ours}\nawait engine.scaledDotProductAttention(Q, K, V, { ${option}, needWeights: true });`,
    pytorch: `${pytorch}\nF.scaled_dot_product_attention(Q, K, V, attn_mask=mask)  # an empty row gives NaN here`,
  };
}
