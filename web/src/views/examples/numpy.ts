/** Each worked example as NumPy: what is copied runs as it is, and prints what stands on the page. */

import type { ExampleName } from './compute.js';
import inputs from './inputs.json';

type Nested = number | readonly Nested[];

/** `name = np.array(...)` */
const array = (name: string, values: Nested) =>
  `${name} = np.array(${JSON.stringify(values).replaceAll('],[', '],\n  [')})`;

const arrays = (values: Readonly<Record<string, Nested>>) =>
  Object.entries(values).map(([name, value]) => array(name, value));

const softmax = `def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)`;

const attention = (mask: string) => `q, k, v = x @ W_q, x @ W_k, x @ W_v
s = q @ k.T / np.sqrt(k.shape[-1])${mask}
w = softmax(s)
for values in q, k, v, s, w, w @ v:
    print(values)`;

const causal = '\ns = np.where(mask == 1, s, -np.inf)';

const multiHead = (mask: string) => `def split(y):  # [batch, time, 8] -> [batch, 2 heads, time, 4]
    return y.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)
q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(4)${mask}
w = softmax(s)
joined = (w @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8)
for values in q, k, v, s, w, joined @ W_o:
    print(values)`;

const look = `w = softmax(scores)
print(w)
print(w @ memory)`;

const local = (bell: string) => `j = np.arange(len(memory))
scores = states @ memory.T
near = np.abs(j - centers[:, None]) <= D
w = softmax(np.where(near, scores, -np.inf))${bell}
print(w)
print(w @ memory)`;

const bell = '\nw = w * np.exp(-(j - centers[:, None]) ** 2 / (2 * (D / 2) ** 2))';

/** The arrays of an example, and what is computed of them. */
const bodies: Record<ExampleName, () => readonly string[]> = {
  four_inputs_seed25: () => {
    const { inputs: x, W_Q, W_K, W_V } = inputs.four_inputs_seed25;
    return [...arrays({ x, W_q: W_Q, W_k: W_K, W_v: W_V }), softmax, attention('')];
  },
  three_tokens_seed42: () => [
    'np.random.seed(42)\nW_q, W_k, W_v = (np.random.randn(4, 2) * 0.1 for _ in range(3))',
    array('x', inputs.three_tokens_seed42.inputs),
    softmax,
    attention(''),
  ],
  three_tokens_causal: () => [
    'np.random.seed(42)\nW_q, W_k, W_v = (np.random.randn(4, 2) * 0.1 for _ in range(3))',
    ...arrays({ x: inputs.three_tokens_causal.inputs, mask: inputs.three_tokens_causal.mask }),
    softmax,
    attention(causal),
  ],
  multi_head: () => [...arrays(inputs.multi_head), softmax, multiHead('')],
  multi_head_causal: () => [
    ...arrays(inputs.multi_head),
    softmax,
    multiHead('\ns = np.where(np.tril(np.ones((5, 5))) == 1, s, -np.inf)'),
  ],
  positional_encoding_100x64: () => [
    `position = np.arange(100)[:, None]
frequency = 10000.0 ** (-np.arange(0, 64, 2) / 64)
p = np.zeros((100, 64))
p[:, 0::2] = np.sin(position * frequency)
p[:, 1::2] = np.cos(position * frequency)
print(p)`,
  ],
  layer_norm_std_plus_eps: () => [
    ...arrays(inputs.layer_norm_std_plus_eps),
    'print((x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-6))',
  ],
  feed_forward_relu: () => [
    ...arrays(inputs.feed_forward_relu),
    'print(np.maximum(0, x @ W1 + b1) @ W2 + b2)',
  ],
  additive_bahdanau: () => [
    ...arrays(inputs.additive_bahdanau),
    softmax,
    'scores = np.tanh((states @ W_s.T)[:, None] + (memory @ W_h.T)[None]) @ v\nprint(scores)',
    look,
  ],
  luong_dot: () => [...arrays(inputs.luong_dot), softmax, 'scores = states @ memory.T\nprint(scores)', look],
  luong_general: () => [
    ...arrays(inputs.luong_general),
    softmax,
    'scores = states @ W @ memory.T\nprint(scores)',
    look,
  ],
  luong_concat: () => [
    ...arrays(inputs.luong_concat),
    softmax,
    `pairs = np.concatenate(np.broadcast_arrays(states[:, None], memory[None]), -1)
scores = np.tanh(pairs @ W.T) @ v
print(scores)`,
    look,
  ],
  luong_local_monotonic_window: () => [...arrays(inputs.luong_local_monotonic_window), softmax, local('')],
  luong_local_predictive: () => [...arrays(inputs.luong_local_predictive), softmax, local(bell)],
};

/** The whole program. */
export const numpyOf = (name: ExampleName): string =>
  ['import numpy as np', 'np.set_printoptions(precision=4, suppress=True)', ...bodies[name](), ''].join('\n');
