/** Shows a matrix of attention weights, as text or as a picture. */

export interface AttentionMap {
  readonly kind: string;
  /** Counted from 1. */
  readonly layer: number;
  readonly head: number | 'mean';
  /** The tokens of the queries. */
  readonly rows: readonly string[];
  /** The tokens of the keys. */
  readonly columns: readonly string[];
  /** [rows][columns]; each row sums to 1. */
  readonly weights: readonly (readonly number[])[];
}

const titles: Readonly<Record<string, string>> = {
  cross: 'Cross-attention: from the translation (rows) to the source text (columns)',
  encoder: 'Encoder self-attention: from the source text (rows) to itself (columns)',
  decoder: 'Decoder self-attention: from each generated token (rows) to the translation so far (columns)',
};

const titleOf = ({ kind, layer, head }: AttentionMap) =>
  `${titles[kind] ?? kind}; layer ${layer}, ${head === 'mean' ? 'mean of all heads' : `head ${head}`}`;

/** Aligned columns of percentages; values that round to zero are shown as a dot. */
export function asTable(map: AttentionMap): string {
  const cells = map.weights.map((row) => row.map((weight) => `${Math.round(weight * 100) || '·'}`));
  const names = Math.max(...map.rows.map(width));
  const widths = map.columns.map((column) => Math.max(width(column), 3));
  const header = [' '.repeat(names), ...map.columns.map((column, i) => padStart(column, widths[i] ?? 0))];
  const lines = cells.map((row, i) => [
    padStart(map.rows[i] ?? '', names),
    ...row.map((cell, j) => padStart(cell, widths[j] ?? 0)),
  ]);
  return `${titleOf(map)}; in percent\n\n${[header, ...lines].map((line) => line.join('  ')).join('\n')}\n`;
}

const width = (text: string) => [...text].length;
const padStart = (text: string, to: number) => ' '.repeat(Math.max(0, to - width(text))) + text;

const cell = 28;
const letter = 9;

/** A self-contained heat map that scales to any size. */
export function asSvg(map: AttentionMap): string {
  const left = Math.max(...map.rows.map(width)) * letter + 16;
  const top = Math.max(...map.columns.map(width)) * letter + 16;
  const right = left + map.columns.length * cell;
  const bottom = top + map.rows.length * cell;
  const squares = map.weights.flatMap((row, i) =>
    row.map((weight, j) => {
      const label = `${map.rows[i]} → ${map.columns[j]}: ${(weight * 100).toFixed(1)} %`;
      const place = `x="${left + j * cell}" y="${top + i * cell}" width="${cell - 1}" height="${cell - 1}"`;
      return `<rect ${place} fill-opacity="${weight.toFixed(3)}"><title>${escapeXml(label)}</title></rect>`;
    }),
  );
  const rows = map.rows.map(
    (token, i) =>
      `<text x="${left - 8}" y="${top + (i + 0.65) * cell}" text-anchor="end">${escapeXml(token)}</text>`,
  );
  const columns = map.columns.map((token, j) => {
    const x = left + (j + 0.65) * cell;
    return `<text transform="translate(${x} ${top - 8}) rotate(-90)">${escapeXml(token)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right + 8} ${bottom + 8}" width="${right + 8}" height="${bottom + 8}" font-family="sans-serif" font-size="13" role="img">
<title>${escapeXml(titleOf(map))}</title>
<rect width="100%" height="100%" fill="#fff"/>
<g fill="#1d4ed8">
${squares.join('\n')}
</g>
<g fill="#111">
${[...rows, ...columns].join('\n')}
</g>
</svg>
`;
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
