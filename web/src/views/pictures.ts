/** A vision transformer reads a digit: the patches, where the class token looked, and the answer. */

import './pictures.css';
import { attentionRollout, type ForwardOutput, Tensor } from 'transformer-wasm';
import { action, menu } from '../controls.js';
import { make } from '../dom.js';
import { cssColour, shadeOf } from '../drawing/colours.js';
import type { Frame } from '../frame.js';
import { percent } from '../tokens.js';
import type { Draw, Page } from '../view.js';
import { openDigits } from './pictures/digits.js';
import { Drawing, formatStrokes, parseStrokes } from './pictures/drawing.js';
import { samples } from './pictures/samples.js';

const id = 'pictures';
const grid = 7;
const layers = 4;
const heads = 4;

const looks: Record<string, string> = { rollout: 'all layers together (rollout)' };
for (let layer = 0; layer < layers; layer++) {
  looks[`${layer}`] = `layer ${layer + 1}, mean of its heads`;
  for (let head = 0; head < heads; head++) looks[`${layer}.${head}`] = `layer ${layer + 1}, head ${head + 1}`;
}

export function mount(frame: Frame, page: Page): Draw {
  const { selection } = page;
  const set = (name: string) => (value: string) => selection.setSetting(id, name, value);
  const look = menu({
    label: 'where the class token looked',
    options: looks,
    value: 'rollout',
    onChange: set('look'),
  });
  const clear = action('Clear', () => set('drawing')('none'));
  frame.controls.append(look.element, clear);
  const drawing = new Drawing((strokes) => set('drawing')(formatStrokes(strokes)));
  const picker = make(
    'div',
    { class: 'choice', role: 'group', 'aria-label': 'a drawn digit' },
    ...samples.map((sample, digit) => action(`${digit}`, () => set('drawing')(sample))),
  );
  const seen = make('canvas', {
    class: 'seen',
    width: 280,
    height: 280,
    role: 'img',
    'aria-label': 'The picture as the model sees it',
  });
  const classes = make('ol', { class: 'classes' });
  frame.figure.append(
    make(
      'div',
      { class: 'digit' },
      make('div', {}, make('h3', {}, 'Draw a digit, or take one'), drawing.element, picker),
      make('div', {}, make('h3', {}, 'As the model sees it: 49 patches, and where it looked'), seen),
      make('div', {}, make('h3', {}, 'Its answer'), classes),
    ),
  );
  frame.code({
    ours: `const digits = await loadModel('./models/digits');
const { logits, attentions } = await digits.forward({ pixelValues }, { outputAttentions: true });
const probabilities = await engine.softmax(logits);
const rollout = await attentionRollout(attentions); // row 0: what reached the class token`,
    pytorch: `out = vit(pixel_values, output_attentions=True)
probabilities = out.logits.softmax(-1)
rollout = torch.eye(50)
for a in out.attentions:
    rollout = (0.5 * a.mean(1)[0] + 0.5 * torch.eye(50)) @ rollout`,
  });

  return async ({ signal }) => {
    const chosen = selection.setting(id, 'look', 'rollout');
    look.set(chosen in looks ? chosen : 'rollout');
    drawing.show(parseStrokes(selection.setting(id, 'drawing', samples[3] ?? '')));
    const picture = drawing.picture();
    if (!picture) {
      seen.getContext('2d')?.clearRect(0, 0, seen.width, seen.height);
      classes.replaceChildren();
      return frame.say('Draw a digit: the model answers when you lift the pen.');
    }
    const engine = await page.engine();
    const model = await openDigits(engine);
    const output = await model.forward({ pixelValues: picture.pixelValues }, { outputAttentions: true });
    const { data } = await engine.softmax(output.logits ?? [[]]);
    const weights = await attentionOf(output, chosen in looks ? chosen : 'rollout');
    if (signal.aborted) return;
    paintSeen(seen, picture.image, weights);
    showClasses(classes, data);
    const best = data.indexOf(Math.max(...data));
    const patch = weights.indexOf(Math.max(...weights));
    const where = `row ${Math.floor(patch / grid) + 1}, column ${(patch % grid) + 1}`;
    seen.setAttribute(
      'aria-label',
      `The drawing in 49 patches. The class token looked most at the patch in ${where}.`,
    );
    frame.say(
      'The model says ',
      make('b', {}, `${best}`),
      ` (${percent(data[best] ?? 0)}). Its class token looked most at the patch in ${where}: ${percent(weights[patch] ?? 0)}. It takes every drawing for a digit.`,
    );
    frame.table(() => ({
      caption: `${looks[chosen] ?? looks.rollout}: what the class token took from each patch, in percent`,
      columns: Array.from({ length: grid }, (_, i) => `${i + 1}`),
      rows: Array.from({ length: grid }, (_, row) => ({
        name: `row ${row + 1}`,
        values: Array.from(weights.slice(row * grid, (row + 1) * grid), (weight) =>
          (weight * 100).toFixed(2),
        ),
      })),
    }));
  };
}

/** What the class token takes from each of the 49 patches; what it takes from itself is left out. */
async function attentionOf({ attentions = [] }: ForwardOutput, look: string): Promise<number[]> {
  const size = grid * grid + 1;
  if (look === 'rollout') {
    const { data } = await attentionRollout(attentions);
    return [...data.slice(1, size)];
  }
  const [layer = 0, head] = look.split('.').map(Number);
  const { data } = attentions[layer] ?? new Tensor(new Float32Array(), [0]);
  const chosen = head === undefined ? Array.from({ length: heads }, (_, i) => i) : [head];
  return Array.from(
    { length: size - 1 },
    (_, patch) =>
      chosen.reduce((sum, one) => sum + (data[one * size * size + patch + 1] ?? 0), 0) / chosen.length,
  );
}

/** The picture in grey, its patches, and over each the colour of its weight. */
function paintSeen(canvas: HTMLCanvasElement, image: ImageData, weights: readonly number[]): void {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const small = new OffscreenCanvas(image.width, image.height);
  small.getContext('2d')?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.globalAlpha = 1;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const side = canvas.width / grid;
  const strongest = Math.max(1e-9, ...weights);
  for (const [i, weight] of weights.entries()) {
    const [x, y] = [(i % grid) * side, Math.floor(i / grid) * side];
    context.globalAlpha = 0.75 * shadeOf(weight / strongest);
    context.fillStyle = cssColour('weight', 1);
    context.fillRect(x, y, side, side);
    context.globalAlpha = 0.5;
    context.strokeStyle = '#888';
    context.strokeRect(x + 0.5, y + 0.5, side, side);
  }
}

function showClasses(list: HTMLElement, probabilities: ArrayLike<number>): void {
  const values = Array.from(probabilities);
  const best = Math.max(...values);
  list.replaceChildren(
    ...values.map((probability, digit) => {
      const bar = make('span', { class: 'bar-of-class' });
      bar.style.setProperty('width', `${probability * 100}%`);
      const item = make(
        'li',
        {},
        make('b', {}, `${digit}`),
        make('span', { class: 'track' }, bar),
        percent(probability),
      );
      item.classList.toggle('best', probability === best);
      return item;
    }),
  );
}
