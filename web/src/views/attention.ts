/** One attention, by numbers: from queries, keys and values to the weights and their sum. */

import './attention.css';
import { action, type Control, choice, menu, slider } from '../controls.js';
import { make } from '../dom.js';
import { onSchemeChange } from '../drawing/colours.js';
import type { Frame } from '../frame.js';
import { percent } from '../tokens.js';
import type { Draw, Page, State } from '../view.js';
import { drawSteps } from './attention/columns.js';
import { type Numbers, numbersOf } from './attention/numbers.js';
import {
  type Inputs,
  isSource,
  ofArticle,
  ofSentence,
  ofVectors,
  parseMatrix,
  sourceNames,
} from './attention/sources.js';

const id = 'attention';
/** Keys in a tile: few, so that a short sentence has several. */
const tileOf = (keys: number) => (keys > 8 ? 4 : 2);
const firstMatrix = '1 0 1 0\n0 2 0 2\n1 1 1 1';

/** The scale d^(-power): 0.5 is the paper's 1 / √d. */
const scaleOf = (width: number, power: number) => width ** -power;

function factorText(width: number, power: number, temperature: number): string {
  const scale = power === 0.5 ? `÷ √${width}` : power === 0 ? '× 1' : `× ${scaleOf(width, power).toFixed(3)}`;
  return temperature === 1 ? scale : `${scale} ÷ ${temperature.toFixed(2)}`;
}

export function mount(frame: Frame, page: Page): Draw {
  const { selection } = page;
  const setting = (name: string, otherwise: string) => selection.setting(id, name, otherwise);
  const change = (name: string, otherwise: string) => (value: string | number) =>
    selection.setSetting(id, name, `${value}` === otherwise ? null : `${value}`);
  const source = menu({
    label: 'numbers from',
    options: sourceNames,
    value: setting('source', 'sentence'),
    onChange: change('source', 'sentence'),
  });
  const power = slider({
    label: 'scale d to the −',
    value: 0.5,
    min: 0,
    max: 1,
    step: 0.05,
    show: (value) => value.toFixed(2),
    onChange: change('power', '0.5'),
  });
  const temperature = slider({
    label: 'temperature',
    value: 0,
    min: -3,
    max: 3,
    step: 0.25,
    show: (value) => (2 ** value).toFixed(2),
    onChange: change('temperature', '0'),
  });
  const mode = choice({
    label: 'softmax',
    options: { whole: 'all keys at once', tiles: 'tile by tile' },
    value: 'whole',
    onChange: change('mode', 'whole'),
  });
  const step = slider({
    label: 'tiles read',
    value: 1,
    min: 0,
    max: 1,
    step: 1,
    onChange: change('tiles', ''),
  });
  const wander = action('Let the tiles wander', () => void walk());
  const query = make('span', { class: 'control' });
  const paste = make('textarea', {
    class: 'paste',
    'aria-label': 'Your matrix: one row a line',
    spellcheck: 'false',
  });
  const problem = make('p', { class: 'message', role: 'alert' });
  const steps = make('div');
  frame.controls.append(
    source.element,
    query,
    power.element,
    temperature.element,
    mode.element,
    step.element,
    wander,
  );
  frame.figure.append(steps);
  frame.controls.after(paste, problem);
  paste.addEventListener('input', () => change('matrix', firstMatrix)(paste.value));

  let shownNames = '';
  let queryMenu: Control<string> | null = null;
  let last: State | null = null;
  let tiles = 1;

  /** Reads tile after tile; every step is in the address like any other change. */
  async function walk(): Promise<void> {
    for (let count = 1; count <= tiles; count++) {
      selection.setSetting(id, 'tiles', `${count}`);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
  }

  async function inputsOf(state: State): Promise<Inputs> {
    const name = setting('source', 'sentence');
    const chosen = isSource(name) ? name : 'sentence';
    source.set(chosen);
    paste.hidden = chosen !== 'own';
    if (chosen === 'sentence') return ofSentence(await page.model(), state.reading, state.selection);
    if (chosen !== 'own') return ofArticle(await page.engine(), chosen);
    const text = setting('matrix', firstMatrix);
    if (paste.value !== text) paste.value = text;
    return ofVectors(parseMatrix(text), 'your matrix: every row attends to every row');
  }

  function showQueries(inputs: Inputs, chosen: number): void {
    const names = inputs.queryNames.join('\n');
    if (names !== shownNames) {
      shownNames = names;
      queryMenu = menu({
        label: 'query',
        options: Object.fromEntries(inputs.queryNames.map((name, i) => [`${i}`, name])),
        value: `${chosen}`,
        onChange: (value) => change('query', '')(value),
      });
      query.replaceChildren(queryMenu.element);
    }
    queryMenu?.set(`${chosen}`);
  }

  const draw: Draw = async (state) => {
    last = state;
    let inputs: Inputs;
    try {
      inputs = await inputsOf(state);
      problem.textContent = '';
    } catch (error) {
      if (setting('source', '') !== 'own') throw error;
      problem.textContent = error instanceof Error ? error.message : `${error}`;
      return;
    }
    const count = inputs.keyNames.length;
    const width = inputs.keys.shape[1] ?? 1;
    const given = Number(setting('query', `${inputs.query}`));
    const chosen = Number.isInteger(given) && given < inputs.queryNames.length ? given : inputs.query;
    const [exponent, warmth] = [Number(setting('power', '0.5')), 2 ** Number(setting('temperature', '0'))];
    power.set(exponent);
    temperature.set(Math.log2(warmth));
    const isTiled = setting('mode', 'whole') === 'tiles';
    mode.set(isTiled ? 'tiles' : 'whole');
    const tile = tileOf(count);
    tiles = Math.ceil(count / tile);
    const tilesRead = Math.min(tiles, Math.max(1, Number(setting('tiles', `${tiles}`)) || tiles));
    for (const element of [step.element, wander]) element.hidden = !isTiled;
    const range = step.element.querySelector('input');
    if (range) [range.min, range.max] = ['1', `${tiles}`];
    step.set(tilesRead);
    showQueries(inputs, chosen);
    const read = isTiled ? Math.min(count, tilesRead * tile) : count;
    const hidden = new Set(setting('hide', '').split('.').filter(Boolean).map(Number));
    const factor = scaleOf(width, exponent) / warmth;
    const engine = await page.engine();
    const numbers = await numbersOf(engine, inputs, { query: chosen, factor, hidden, read });
    if (state.signal.aborted) return;
    const text = factorText(width, exponent, warmth);
    steps.replaceChildren(
      drawSteps({
        inputs,
        numbers,
        query: chosen,
        factorText: text,
        read,
        onHide: (key) => {
          const next = new Set(hidden);
          if (!next.delete(key)) next.add(key);
          change('hide', '')([...next].sort((a, b) => a - b).join('.'));
        },
      }),
    );
    frame.say(...sentenceOf(inputs, numbers, { chosen, text, isTiled, read }));
    frame.table(() => tableOf(inputs, numbers, chosen));
    frame.code(codeOf(width, factor, exponent === 0.5 && warmth === 1));
  };
  onSchemeChange(() => last && void draw(last));
  return draw;
}

function sentenceOf(
  inputs: Inputs,
  numbers: Numbers,
  { chosen, text, isTiled, read }: { chosen: number; text: string; isTiled: boolean; read: number },
): (Node | string)[] {
  const { weights, dots, scores } = numbers;
  if (weights.every((weight) => weight === 0))
    return ['Every key is hidden: nothing may be seen, so all weights and the output are zero.'];
  const best = weights.indexOf(Math.max(...weights));
  const about = [
    `${inputs.title}: `,
    make('b', { class: 'query' }, inputs.queryNames[chosen] ?? ''),
    ' looks most at ',
    make('b', { class: 'key' }, inputs.keyNames[best] ?? ''),
    `: q · k = ${(dots[best] ?? 0).toFixed(2)}, ${text} = ${(scores[best] ?? 0).toFixed(2)}, weight ${percent(weights[best] ?? 0)}.`,
  ];
  if (!isTiled) return about;
  const rest = inputs.keyNames.length - read;
  return [
    ...about,
    ` After ${read} keys the running softmax remembers the largest score ${numbers.largest.toFixed(2)}, the sum ${numbers.sum.toFixed(2)} and the output. `,
    rest > 0 ? `${rest} keys are to come.` : 'All keys are read: the same numbers as all at once.',
  ];
}

function tableOf(inputs: Inputs, numbers: Numbers, chosen: number) {
  const { dots, scores, exps, weights } = numbers;
  const name = inputs.queryNames[chosen] ?? '';
  return {
    caption: `${inputs.title}: the attention of ${name}`,
    columns: ['q · k', 'score', 'exp(score − largest)', 'weight'],
    rows: inputs.keyNames.map((key, i) => ({
      name: key,
      values: [dots[i], scores[i], exps[i], weights[i]].map((value) => (value ?? 0).toPrecision(6)),
    })),
  };
}

const codeOf = (width: number, factor: number, isUsual: boolean) => ({
  ours: `const { output, weights } = await engine.scaledDotProductAttention(Q, K, V, {
  needWeights: true,${isUsual ? ` // scale: 1 / Math.sqrt(${width}) is the default` : `\n  scale: ${factor},`}
});`,
  pytorch: `scores = Q @ K.T * ${isUsual ? `${width} ** -0.5` : factor}
weights = scores.softmax(-1)
output = weights @ V  # F.scaled_dot_product_attention(Q, K, V) gives the same without the weights`,
});
