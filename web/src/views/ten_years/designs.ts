/** Ten years of attention: how each design scores a key, and what that gives on an article's numbers. */

import type { Engine, Tensor } from 'transformer-wasm';
import { words } from '../../words/words.js';
import { additive, luong } from './article.js';

export interface Design {
  /** The last part of the name of its trained model: `en-fr-NAME`. */
  readonly name: string;
  readonly title: string;
  readonly formula: string;
  /** The weights of three decoder states over seven encoder states: [3, 7]. */
  readonly weights: (engine: Engine) => Promise<Tensor>;
}

/** The folder of its trained model. */
export const folderOf = ({ name }: Pick<Design, 'name'>) => `en-fr-${name}`;

const { states, memory } = luong;

export const designs: readonly Design[] = [
  {
    name: 'bahdanau',
    title: words.tenYears.titles.additive,
    formula: 'vᵀ tanh(W s + U h)',
    weights: async (engine) =>
      (await engine.additiveAttention(additive.states, additive.memory, additive.weights)).weights,
  },
  {
    name: 'luong-dot',
    title: words.tenYears.titles.dot,
    formula: 'sᵀ h',
    weights: async (engine) => (await engine.luongAttention(states, memory, { score: 'dot' })).weights,
  },
  {
    name: 'luong-general',
    title: words.tenYears.titles.general,
    formula: 'sᵀ W h',
    weights: async (engine) =>
      (await engine.luongAttention(states, memory, { score: 'general', ...luong.general })).weights,
  },
  {
    name: 'luong-concat',
    title: words.tenYears.titles.concat,
    formula: 'vᵀ tanh(W [s; h])',
    weights: async (engine) =>
      (await engine.luongAttention(states, memory, { score: 'concat', ...luong.concat })).weights,
  },
  {
    name: 'luong-local',
    title: words.tenYears.titles.local,
    formula: words.tenYears.localFormula,
    weights: async (engine) => {
      const local = { ...luong.local, gaussian: true };
      return (await engine.luongAttention(states, memory, { score: 'dot', local })).weights;
    },
  },
  {
    name: 'transformer',
    title: words.tenYears.titles.transformer,
    formula: words.tenYears.transformerFormula,
    weights: async (engine) => {
      const options = { needWeights: true };
      const { weights } = await engine.scaledDotProductAttention(states, memory, memory, options);
      if (!weights) throw new Error('the engine returned no weights');
      return weights;
    },
  },
];
