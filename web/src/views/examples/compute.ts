/** The worked examples, each computed by the engine: its inputs, the steps between, and what comes out. */

import type { Engine, Tensor } from 'transformer-wasm';
import { words } from '../../words/words.js';
import inputs from './inputs.json';
import { multiHead } from './multi_head.js';
import { type Matrix, type Part, part, scoresOf, transpose } from './parts.js';

export interface Example {
  readonly title: string;
  readonly compute: (engine: Engine) => Promise<readonly Part[]>;
}

async function selfAttention(engine: Engine, x: Matrix, weights: readonly Matrix[], mask?: Matrix) {
  const [q, k, v] = await Promise.all(weights.map((matrix) => engine.matmul(x, matrix)));
  if (!q || !k || !v) throw new Error('an attention has three matrices');
  const result = await engine.scaledDotProductAttention(q, k, v, {
    needWeights: true,
    ...(mask && { mask }),
  });
  return [
    part('x', x),
    part('q', q),
    part('k', k),
    part('v', v),
    part('scores', await scoresOf(engine, { q, k, mask })),
    part('weights', result.weights ?? undefined),
    part('output', result.output),
  ];
}

async function feedForward(engine: Engine): Promise<Part[]> {
  const { x, W1, b1, W2, b2 } = inputs.feed_forward_relu;
  const layer = await engine.feedForward(
    { dModel: 8, dFf: 16 },
    {
      'linear1.weight': transpose(W1),
      'linear1.bias': b1,
      'linear2.weight': transpose(W2),
      'linear2.bias': b2,
    },
  );
  try {
    return [part('x', x), part('output', await layer.forward(x))];
  } finally {
    await layer.dispose();
  }
}

type Scores = { scores?: Tensor; weights: Tensor; context: Tensor };

const looked = (states: Matrix, memory: Matrix, { scores, weights, context }: Scores): Part[] => [
  part('states', states),
  part('memory', memory),
  ...(scores ? [part('scores', scores)] : []),
  part('weights', weights),
  part('context', context),
];

async function local(engine: Engine, gaussian: boolean): Promise<Part[]> {
  const { states, memory, centers, D } =
    inputs[gaussian ? 'luong_local_predictive' : 'luong_local_monotonic_window'];
  const result = await engine.luongAttention(states, memory, {
    score: 'dot',
    local: { D, centers, gaussian },
  });
  const { weights, context } = result;
  return [part('centers', [centers]), ...looked(states, memory, { weights, context })];
}

const seed25 = inputs.four_inputs_seed25;
const seed42 = inputs.three_tokens_seed42;

export const examples = {
  four_inputs_seed25: {
    title: words.examples.titles.fourInputs,
    compute: (engine) => selfAttention(engine, seed25.inputs, [seed25.W_Q, seed25.W_K, seed25.W_V]),
  },
  three_tokens_seed42: {
    title: words.examples.titles.threeTokens,
    compute: (engine) => selfAttention(engine, seed42.inputs, [seed42.W_q, seed42.W_k, seed42.W_v]),
  },
  three_tokens_causal: {
    title: words.examples.titles.causal,
    compute: (engine) => {
      const { W_q, W_k, W_v, mask } = inputs.three_tokens_causal;
      return selfAttention(engine, inputs.three_tokens_causal.inputs, [W_q, W_k, W_v], mask);
    },
  },
  multi_head: { title: words.examples.titles.twoHeads, compute: (engine) => multiHead(engine, false) },
  multi_head_causal: {
    title: words.examples.titles.twoHeadsCausal,
    compute: (engine) => multiHead(engine, true),
  },
  positional_encoding_100x64: {
    title: words.examples.titles.positions,
    compute: async (engine) => [part('positions', await engine.positionalEncoding(100, 64))],
  },
  layer_norm_std_plus_eps: {
    title: words.examples.titles.layerNorm,
    compute: async (engine) => {
      const { x } = inputs.layer_norm_std_plus_eps;
      return [part('x', x), part('output', await engine.layerNorm(x, { eps: 0 }))];
    },
  },
  feed_forward_relu: { title: words.tour.feedForward, compute: feedForward },
  additive_bahdanau: {
    title: words.examples.titles.additive,
    compute: async (engine) => {
      const { states, memory, W_s: Ws, W_h: Wh, v } = inputs.additive_bahdanau;
      return looked(states, memory, await engine.additiveAttention(states, memory, { Ws, Wh, v }));
    },
  },
  luong_dot: {
    title: words.examples.titles.dot,
    compute: async (engine) => {
      const { states, memory } = inputs.luong_dot;
      return looked(states, memory, await engine.luongAttention(states, memory, { score: 'dot' }));
    },
  },
  luong_general: {
    title: words.examples.titles.general,
    compute: async (engine) => {
      const { states, memory, W } = inputs.luong_general;
      return looked(states, memory, await engine.luongAttention(states, memory, { score: 'general', W }));
    },
  },
  luong_concat: {
    title: words.examples.titles.concat,
    compute: async (engine) => {
      const { states, memory, W, v } = inputs.luong_concat;
      return looked(states, memory, await engine.luongAttention(states, memory, { score: 'concat', W, v }));
    },
  },
  luong_local_monotonic_window: {
    title: words.examples.titles.localWindow,
    compute: (engine) => local(engine, false),
  },
  luong_local_predictive: {
    title: words.examples.titles.localBell,
    compute: (engine) => local(engine, true),
  },
} as const satisfies Record<string, Example>;

export type ExampleName = keyof typeof examples;

export const isExample = (name: string): name is ExampleName => Object.hasOwn(examples, name);
