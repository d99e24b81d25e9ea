/** Every number of the model in its place, from a digit to the next one: the weights of each stage, and what they make of the step. */

import { make } from '../../drawing/dom.js';
import { figures } from '../../reading/figures.js';
import { largest } from '../../reading/largest.js';
import { percent } from '../../reading/tokens.js';
import { words } from '../../words/words.js';
import { drawVector, WeightGrid } from './numbers.js';
import { names, type Step } from './pass.js';
import { tokenName } from './sums.js';
import type { Place, Trained, Weights } from './variant.js';

type Name = keyof typeof names;

/** As the formulas have them. */
const symbols: Readonly<Record<Name, string>> = {
  embedding: 'E',
  inputNorm: 'g₁',
  query: 'W_Q',
  key: 'W_K',
  value: 'W_V',
  queryNorm: 'g_Q',
  keyNorm: 'g_K',
  output: 'W_O',
  feedForwardNorm: 'g₂',
  gate: 'W_gate',
  up: 'W_up',
  down: 'W_down',
  finalNorm: 'g₃',
};

/** By the weight's name in the file. */
export const symbolOf = (name: string): string =>
  symbols[(Object.keys(names) as Name[]).find((one) => names[one] === name) ?? 'embedding'];

export interface FlowPicture {
  readonly step: Step;
  readonly weights: Weights;
  readonly trained: Trained;
  readonly chosen: Place | null;
  /** The states of the same step with the other carry, after attention and after the feed-forward; `null`: it has none. */
  readonly other: { readonly attended: Float32Array; readonly output: Float32Array } | null;
  /** Where the tokens stand, in words. */
  readonly where: readonly string[];
}

interface Stage {
  readonly title: string;
  readonly formula: string;
  readonly weights: readonly Name[];
  readonly states: (picture: FlowPicture) => HTMLElement[];
}

const { states: said } = words.adder;
const vectorOr = (name: string, numbers: Float32Array | undefined) =>
  numbers ? drawVector(name, numbers) : make('p', { class: 'unseen' }, `${name}: ${said.rounded}`);

const stages: readonly Stage[] = [
  {
    title: words.adder.stages.embedding,
    formula: 'x = E[token]',
    weights: ['embedding'],
    states: ({ step }) => [drawVector('x', step.embedded, said.before)],
  },
  {
    title: words.adder.stages.attention,
    formula: 'q, k, v = W_Q n, W_K n, W_V n\nn = x / rms(x) · g₁',
    weights: ['inputNorm', 'query', 'queryNorm', 'key', 'keyNorm', 'value'],
    states: ({ step }) => [
      drawVector('n', step.normed),
      ...step.queries.map((query, head) => coloured('query', drawVector(`q${sub(head)}`, query))),
    ],
  },
  {
    title: words.adder.stages.look,
    formula: 'w = softmax(q · k / √d)\nm = Σ w v',
    weights: [],
    states: lookedAt,
  },
  {
    title: words.adder.stages.output,
    formula: 'h = x + W_O m',
    weights: ['output'],
    states: ({ step, other }) => [
      drawVector('h', step.attended, said.attended),
      ...(other ? [soft(drawVector(said.otherCarry, other.attended))] : []),
    ],
  },
  {
    title: words.adder.stages.feedForward,
    formula: 'f = SiLU(W_gate n) · W_up n\nn = h / rms(h) · g₂',
    weights: ['feedForwardNorm', 'gate', 'up'],
    states: ({ step }) => [
      drawVector('n', step.attendedNormed),
      vectorOr('W_gate n', step.inner?.gate),
      vectorOr('W_up n', step.inner?.up),
      vectorOr('f', step.inner?.hidden),
    ],
  },
  {
    title: words.adder.stages.down,
    formula: 'h′ = h + W_down f',
    weights: ['down'],
    states: ({ step, other }) => [
      drawVector('h′', step.output, said.after),
      ...(other ? [soft(drawVector(said.otherCarry, other.output))] : []),
    ],
  },
  {
    title: words.adder.stages.digit,
    formula: 'logits = E (h′ / rms(h′) · g₃)',
    weights: ['finalNorm'],
    states: ({ step }) => [drawVector('n', step.outputNormed), logitBars(step.logits)],
  },
];

const sub = (head: number) => String.fromCharCode(0x2081 + head);

function coloured(role: string, element: HTMLElement): HTMLElement {
  element.classList.add(`of-${role}`);
  return element;
}

function soft(element: HTMLElement): HTMLElement {
  element.classList.add('other');
  return element;
}

/** Of each head the tokens that it looks at most: with their places, weights, keys and values. */
function lookedAt({ step, where }: FlowPicture): HTMLElement[] {
  const size = step.mixed.length / step.looks.length;
  return step.looks.flatMap((weights, head) => {
    return [
      make('p', { class: 'head-title' }, words.adder.head(head + 1)),
      ...largest(weights, 4).flatMap((token) => {
        const share = make('b', {}, percent(weights[token] ?? 0));
        const name = make('p', { class: 'looked' }, share, ` ${where[token]}`);
        return [
          name,
          coloured('key', drawVector('k', step.keys[token] ?? [])),
          coloured('value', drawVector('v', step.values[token] ?? [])),
        ];
      }),
      drawVector(`m${sub(head)}`, step.mixed.slice(head * size, (head + 1) * size)),
    ];
  });
}

/** The logits of all tokens; the largest is what is written. */
function logitBars(logits: Float32Array): HTMLElement {
  const [best] = largest(logits, 1);
  const [least, most] = [Math.min(...logits), Math.max(...logits)];
  const bars = Array.from(logits, (logit, id) => {
    const bar = make(
      'li',
      id === best ? { class: 'best' } : {},
      tokenName(id),
      make('span', { class: 'bar' }),
      figures(logit),
    );
    bar.style.setProperty('--share', `${(logit - least) / Math.max(1e-6, most - least)}`);
    return bar;
  });
  return make('ol', { class: 'logits', 'aria-label': 'logits' }, ...bars);
}

export class Flow {
  readonly element = make('ol', { class: 'flow' });
  readonly #grids = new Map<Name, WeightGrid>();
  readonly #states: HTMLElement[];

  constructor(onChoose: (place: Place) => void) {
    this.#states = stages.map(({ title, formula, weights }) => {
      const states = make('div', { class: 'states' });
      const grids = weights.map((name) => {
        const rowNames =
          name === 'embedding' ? Array.from({ length: 12 }, (_, id) => tokenName(id)) : undefined;
        const grid = new WeightGrid({
          name: names[name],
          symbol: symbols[name],
          onChoose,
          ...(rowNames && { rowNames }),
        });
        if (['query', 'key', 'value'].includes(name)) coloured(name, grid.element);
        this.#grids.set(name, grid);
        return grid.element;
      });
      const all = make('div', { class: 'grids' }, ...grids);
      this.element.append(
        make(
          'li',
          {},
          make('p', { class: 'stage-title' }, title),
          make('code', {}, formula),
          ...(grids.length > 0 ? [all] : []),
          states,
        ),
      );
      return states;
    });
  }

  show(picture: FlowPicture): void {
    const { step, weights, trained, chosen } = picture;
    for (const [name, grid] of this.#grids) {
      const [weight, before] = [weights.get(names[name]), trained.weights.get(names[name])];
      if (!weight || !before) continue;
      grid.show(weight, before, { chosen, ...(name === 'embedding' && { row: step.token }) });
    }
    for (const [i, states] of this.#states.entries())
      states.replaceChildren(...(stages[i]?.states(picture) ?? []));
  }
}
