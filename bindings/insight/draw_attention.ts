/** Draws the picture of `attention_svg.ts`. */

import { fail } from '../values/errors.js';
import { toBe, toObject, toText } from '../values/options.js';
import { toTensor } from '../values/tensor.js';
import {
  type AttentionChoice,
  type AttentionPicture,
  attentionPicture,
  type WithAttentions,
} from './attention_map.js';

const cell = 28;
const letter = 8;
const margin = 16;
const line = 22;
const bar = { width: 240, height: 12 };
/** Weights that the legend marks. */
const marks = [0, 0.05, 0.25, 0.5, 1];

const toTexts = toBe(
  'an array of strings',
  (value): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string'),
);

/** See `attentionSvg`. */
export function draw(result: WithAttentions | AttentionPicture, choice: AttentionChoice): string {
  toObject(result ?? null, 'the result');
  return drawPicture('weights' in result ? result : attentionPicture(result, choice));
}

function drawPicture(picture: AttentionPicture): string {
  const { queryAxis = 'queries', keyAxis = 'keys' } = picture;
  const title = toText(picture.title, 'title');
  const [queries, keys] = [toTexts(picture.queries, 'queries'), toTexts(picture.keys, 'keys')];
  const { data, shape } = toTensor(picture.weights, 'weights');
  for (const axis of [queryAxis, keyAxis]) toText(axis, 'the name of an axis');
  if (shape.length !== 2 || shape[0] !== queries.length || shape[1] !== keys.length) {
    const expected = `[${queries.length}, ${keys.length}]`;
    fail('invalid_argument', `weights must be [queries, keys], here ${expected}, got [${shape.join(', ')}]`);
  }
  const left = margin + line + widest(queries);
  const top = margin + 2 * line + widest(keys);
  const right = left + keys.length * cell;
  const bottom = top + queries.length * cell;
  const width = Math.max(right, left + bar.width, title.length * letter + margin) + margin;
  const height = bottom + 3 * line + margin;
  const cells = queries.flatMap((query, i) =>
    keys.map((key, j) => {
      const weight = data[i * keys.length + j] ?? 0;
      const place = `x="${left + j * cell}" y="${top + i * cell}" width="${cell - 1}" height="${cell - 1}"`;
      const label = escapeXml(`${query} → ${key}: ${(weight * 100).toFixed(1)} %`);
      return `<rect ${place} fill-opacity="${shadeOf(weight).toFixed(3)}"><title>${label}</title></rect>`;
    }),
  );
  const rows = queries.map((token, i) =>
    text(token, `x="${left - 8}" y="${top + (i + 0.65) * cell}"`, 'end'),
  );
  const columns = keys.map((token, j) =>
    text(token, `transform="translate(${left + (j + 0.65) * cell} ${top - 8}) rotate(-90)"`),
  );
  const middle = (top + bottom) / 2;
  const axes = [
    text(`${keyAxis} →`, `x="${left}" y="${margin + 2 * line - 6}" fill="#b8410a"`),
    text(
      `← ${queryAxis}`,
      `transform="translate(${margin + 4} ${middle}) rotate(-90)" fill="#0b5fc2"`,
      'middle',
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Inter, system-ui, sans-serif" font-size="13" role="img">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<g fill="#5a2ca0">
${cells.join('\n')}
</g>
<g fill="#1b1a22">
${[text(title, `x="${margin}" y="${margin + 8}" font-weight="600"`), ...axes, ...rows, ...columns].join('\n')}
</g>
${legend(left, bottom + line)}
</svg>
`;
}

const shadeOf = (weight: number) => Math.sqrt(Math.min(1, Math.max(0, weight)));

const widest = (tokens: readonly string[]) =>
  Math.max(0, ...tokens.map((token) => [...token].length)) * letter;

/** A bar of all shades, as even steps of shade. */
function legend(x: number, y: number): string {
  const steps = 48;
  const step = bar.width / steps;
  const shades = Array.from(
    { length: steps },
    (_, i) =>
      `<rect x="${x + i * step}" y="${y}" width="${step}" height="${bar.height}" fill-opacity="${((i + 1) / steps).toFixed(3)}"/>`,
  );
  const names = marks.map((weight) => {
    const place = `x="${x + shadeOf(weight) * bar.width}" y="${y + bar.height + 16}" font-size="11"`;
    return text(`${weight * 100} %`, place, 'middle');
  });
  return `<g fill="#5a2ca0">
${shades.join('\n')}
</g>
<g fill="#55535f">
${names.join('\n')}
${text('weight', `x="${x - 8}" y="${y + bar.height - 1}" font-size="11"`, 'end')}
</g>`;
}

const text = (content: string, place: string, anchor = 'start') =>
  `<text ${place} text-anchor="${anchor}">${escapeXml(content)}</text>`;

function escapeXml(content: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return content.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
