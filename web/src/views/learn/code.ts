/** What is learned here, in code. */

import type { CodeSample } from '../../page/frame.js';
import { settingsOf, tasks, type Variant } from './variants.js';

export function codeFor(variant: Variant): CodeSample {
  const { hasEncoder, steps } = tasks[variant.task];
  const { config, options } = settingsOf(variant, 1);
  const lines = Object.entries(config).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  const set = Object.entries(options).map(([name, value]) => `${name}: ${value}`);
  const { d_model, num_heads, d_ff } = config;
  const stack = hasEncoder
    ? `torch.nn.Transformer(${d_model}, ${num_heads}, 1, 1, ${d_ff}, 0, norm_first=True, batch_first=True)`
    : `torch.nn.TransformerEncoderLayer(${d_model}, ${num_heads}, ${d_ff}, 0, norm_first=True, batch_first=True)`;
  return {
    ours: `import { createTrainer } from 'transformer-wasm/train';
const trainer = await createTrainer({
${lines.join('\n')}
}, { ${set.join(', ')} });
for (let step = 0; step < ${steps}; step++) {
  const { loss } = await trainer.step(${hasEncoder ? '{ source, targets }' : '{ inputs, targets }'});
}
const { attentions } = await trainer.evaluate(batch, { attentions: true });`,
    pytorch: `model = ${stack}
optimizer = torch.optim.AdamW(parameters, lr=${options.learningRate})
for step in range(${steps}):
    loss = F.cross_entropy(logits(batch).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1)
    optimizer.step()`,
  };
}
