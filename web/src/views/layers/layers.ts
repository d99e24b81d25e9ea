/** One token's way through the layers: what each step adds, and what the decoder would say after each layer. */

import './layers.css';
import { choice } from '../../controls.js';
import { make } from '../../dom.js';
import { paintPixels } from '../../drawing/pixels.js';
import type { Frame } from '../../frame.js';
import { chosenWord, crossHead, type Reading, strongest } from '../../reading.js';
import type { Selection } from '../../selection.js';
import { percent } from '../../tokens.js';
import type { Draw, Page } from '../../view.js';
import { layerBoxes } from './boxes.js';
import { lengthsByDepth, type NormPlace } from './depth.js';
import { type LayerWay, type Stack, type Step, wayOf } from './way.js';

const view = 'layers';

export async function mount(frame: Frame, page: Page): Promise<Draw> {
  const { selection } = page;
  const side = choice({
    label: 'The way of',
    options: { decoder: 'the French word', encoder: 'the English word' },
    value: 'decoder',
    onChange: (value) => selection.setSetting(view, 'stack', value === 'decoder' ? null : value),
  });
  frame.controls.append(side.element);
  const way = make('div', { class: 'way' });
  const depths = make('div', { class: 'depths' });
  frame.figure.append(way, depths);
  // Which boxes the visitor has closed, by their names.
  const closed = new Set<string>();
  void showDepths(depths, page).catch(() => undefined);

  return async ({ reading, selection: chosen, signal }) => {
    const model = await page.model();
    const wanted = selection.setting(view, 'stack', 'decoder') as Stack;
    const stack = reading.maps[wanted] ? wanted : wanted === 'decoder' ? 'encoder' : 'decoder';
    side.set(stack);
    const token = tokenIn(stack, reading, chosen);
    const layers = await wayOf(model, reading, stack, token);
    if (signal.aborted) return;
    const name = (stack === 'encoder' ? reading.source : reading.written)[token]?.label ?? '';
    const boxes = layers.map((layer) => boxOf(layer, stack, closed));
    way.replaceChildren(...boxes);
    const last = layers.at(-1);
    const first = layers[1];
    if (stack === 'decoder') {
      const says = ({ says: [best] }: LayerWay) =>
        best ? [make('b', { class: 'query' }, best.label), ` ${percent(best.probability)}`] : [];
      frame.say(
        'After layer 1 the decoder would say ',
        ...(first ? says(first) : []),
        '; after the last, ',
        ...(last ? says(last) : []),
        '.',
      );
    } else {
      const moved = layers.flatMap(({ steps }) => steps).reduce((a, b) => (b.moved > a.moved ? b : a));
      frame.say(
        make('b', { class: 'key' }, name),
        ` moves most in a step of ${moved.name}: by ${moved.moved.toFixed(1)}.`,
      );
    }
    frame.table(() => ({
      caption: `${name}: the length of its vector after each step, and how far the step moved it`,
      columns: ['length', 'moved'],
      rows: layers.flatMap(({ layer, steps }) =>
        steps.map((step) => ({
          name: layer === 0 ? step.name : `layer ${layer}, ${step.name}`,
          values: [step.length.toFixed(2), step.moved.toFixed(2)],
        })),
      ),
    }));
    frame.code(code);
  };
}

/** The chosen French word, or the English word that it looked at. */
function tokenIn(stack: Stack, reading: Reading, { word, head }: Selection): number {
  const chosen = chosenWord(reading, word);
  const { cross } = reading.maps;
  if (stack === 'decoder' || !cross) return reading.written.length > 0 ? chosen : 0;
  const { layer, head: index } = crossHead(reading, head);
  return strongest(cross.row(layer, index, chosen));
}

function boxOf({ layer, steps, says }: LayerWay, stack: Stack, closed: Set<string>): HTMLElement {
  const title =
    layer === 0 ? 'Before the first layer' : `${stack === 'encoder' ? 'Encoder' : 'Decoder'} layer ${layer}`;
  const said = says.flatMap(({ label, probability }, i) => [
    i === 0 ? 'would say ' : ', ',
    make('b', { lang: 'fr' }, label),
    ` ${percent(probability)}`,
  ]);
  const box = make(
    'details',
    { open: !closed.has(title) },
    make('summary', {}, title, ...(said.length > 0 ? [make('span', { class: 'says' }, ...said)] : [])),
    make('div', { class: 'steps' }, ...steps.map(stepOf)),
  );
  box.addEventListener('toggle', () => (box.open ? closed.delete(title) : closed.add(title)));
  return box;
}

function stepOf({ name, vector, length, moved }: Step): HTMLElement {
  const canvas = make('canvas');
  paintPixels(canvas, { values: vector, rows: 1, columns: vector.length, scale: 'signed', limit: 2.5 });
  const bar = make('span', { class: 'moved', title: `moved by ${moved.toFixed(1)}` });
  bar.style.setProperty('--share', `${Math.min(1, moved / 20)}`);
  return make(
    'div',
    { class: 'step' },
    make('span', {}, name),
    canvas,
    make('span', { class: 'length' }, `‖x‖ ${length.toFixed(1)}`),
    bar,
  );
}

/** Post-norm and pre-norm beside each other: the order of the parts, and what becomes of the vectors. */
async function showDepths(root: HTMLElement, page: Page): Promise<void> {
  const engine = await page.engine();
  const titles: Record<NormPlace, string> = {
    post: 'Post-norm: x = norm(x + step(x)), as in 2017',
    pre: 'Pre-norm: x = x + step(norm(x)), as today',
  };
  const all = new Map<NormPlace, number[]>();
  for (const place of ['post', 'pre'] as const) all.set(place, await lengthsByDepth(engine, place));
  const most = Math.max(...[...all.values()].flat());
  root.replaceChildren(
    ...[...all].map(([place, lengths]) =>
      make(
        'div',
        {},
        make('h3', {}, titles[place]),
        layerBoxes(place),
        make('p', { class: 'note' }, '12 random layers: the length of the vectors after each'),
        make('ol', { class: 'depth' }, ...lengths.map((length, i) => depthRow(i + 1, length, most))),
      ),
    ),
  );
}

function depthRow(layer: number, length: number, most: number): HTMLElement {
  const bar = make('span', { class: 'share', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', `${length / most}`);
  return make(
    'li',
    {},
    make('span', {}, `${layer}`),
    bar,
    make('span', { class: 'number' }, length.toFixed(1)),
  );
}

const code = {
  ours: `const { trace } = await model.forward(
  { inputIds: [ids], decoderInputIds: [written] },
  { trace: ['decoder.layers.*.output', 'decoder.layers.*.logits'] },
);
const said = trace['decoder.layers.0.logits'];   // what the decoder would say after layer 1`,
  pytorch: `out = model(input_ids=ids, decoder_input_ids=written, output_hidden_states=True)
for states in out.decoder_hidden_states[1:]:
    said = model.lm_head(states).softmax(-1)      # the "logit lens"`,
};
