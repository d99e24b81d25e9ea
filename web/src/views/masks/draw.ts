/** The two maps of a mask, its numbers as a table, and its code. */

import { make } from '../../drawing/dom.js';
import { type Cell, HeatMap } from '../../drawing/heat_map.js';
import type { CodeSample, NumberTable } from '../../page/frame.js';
import { cellFigures, cellPercent, plainFigures } from '../../reading/figures.js';
import { percent } from '../../reading/tokens.js';
import { words } from '../../words/words.js';
import { blindQueries, type Masked } from './compute.js';
import type { MaskSettings } from './presets.js';

export class MaskMaps {
  readonly elements: readonly HTMLElement[];
  readonly #before: HeatMap;
  readonly #after: HeatMap;
  readonly #empty = make('p', { class: 'message' });
  #shown: Masked | null = null;

  /** @param onTurn called with the cell that is clicked, and the number of cells in a row */
  constructor(onTurn: (cell: Cell, columns: number) => void) {
    const shared = {
      describe: (cell: Cell) => this.#describe(cell),
      onSelect: (cell: Cell) => onTurn(cell, this.#shown?.inputs.keyNames.length ?? 0),
    };
    this.#before = new HeatMap({
      label: words.masks.scoresMap,
      ...shared,
    });
    this.#after = new HeatMap({
      label: words.masks.weightsMap,
      ...shared,
    });
    const titled = (title: string, { element }: HeatMap) => make('div', {}, make('h3', {}, title), element);
    const pair = make(
      'div',
      { class: 'pair' },
      titled(words.masks.scores, this.#before),
      titled(words.masks.weights, this.#after),
    );
    this.elements = [pair, this.#empty];
  }

  show(masked: Masked): void {
    this.#shown = masked;
    const { inputs, mask, scores, weights } = masked;
    const axes = {
      rows: inputs.queryNames.length,
      columns: inputs.keyNames.length,
      rowNames: inputs.queryNames,
      columnNames: inputs.keyNames,
    };
    const isEmpty = (row: number, column: number) => mask[row]?.[column] === 0;
    const limit = Math.max(1e-9, ...Array.from(scores, Math.abs));
    this.#before.show({
      ...axes,
      values: scores,
      scale: 'signed',
      limit,
      isEmpty,
      text: cellFigures,
      emptyText: '−∞',
    });
    this.#after.show({
      ...axes,
      values: weights,
      isEmpty,
      text: cellPercent,
      emptyText: '0',
    });
    const blind = blindQueries(masked);
    this.#empty.textContent = blind.length > 0 ? words.masks.blind(blind.join(words.marks.comma)) : '';
  }

  #describe({ row, column }: Cell): string {
    const { inputs, mask, weights } = this.#shown ?? {};
    const name = (names: readonly string[] | undefined, at: number) => names?.[at] ?? '';
    const pair = `${name(inputs?.queryNames, row)} → ${name(inputs?.keyNames, column)}`;
    if (mask?.[row]?.[column] === 0) return words.masks.hidden(pair);
    const weight = weights?.[row * (inputs?.keyNames.length ?? 0) + column] ?? 0;
    return words.masks.shown(pair, percent(weight));
  }
}

export function tableOf({ inputs, weights }: Masked): NumberTable {
  const keys = inputs.keyNames.length;
  return {
    caption: words.masks.table(inputs.title),
    columns: inputs.keyNames,
    rows: inputs.queryNames.map((name, row) => ({
      name,
      values: Array.from(weights.subarray(row * keys, (row + 1) * keys), (weight) =>
        plainFigures(weight * 100),
      ),
    })),
  };
}

export function codeOf({ preset, size }: MaskSettings): CodeSample {
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
