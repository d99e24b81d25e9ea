// The time to the first token of a conversation's next turn, with what was computed before and without it, in turns; and of each
// turn of a chat: npm run bench:turns [-- --tokens 2000 --width 384 --layers 8].

import { parseArgs } from 'node:util';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteModel } from '../../tests/lib/byte_model.mjs';
import { runMain, say } from '../lib/console.mjs';
import { median } from './timing.mjs';

const rounds = 5;

async function firstTokenTime(model, ids) {
  const begin = performance.now();
  await model.generate(ids, { maxNewTokens: 1 });
  return performance.now() - begin;
}

await runMain(async () => {
  const number = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    options: { tokens: number('2000'), width: number('384'), layers: number('8') },
  });
  const width = Number(values.width);
  const sizes = { d_model: width, d_ff: 4 * width, num_heads: 6, num_decoder_layers: Number(values.layers) };
  const engine = await createEngine();
  const load = (prefixCacheBytes) =>
    loadModel(byteModel({ config: { ...sizes, max_length: 8192 } }), { engine, prefixCacheBytes });
  const [cold, warm] = [await load(0), await load(1 << 28)];
  const tokens = Number(values.tokens);
  const times = { cold: [], warm: [] };
  for (let round = 0; round < rounds; round++) {
    const turn = Array.from({ length: tokens }, (_, i) => 10 + ((i * 7 + round * 31) % 200));
    await warm.generate(turn, { maxNewTokens: 1 });
    const next = [...turn, ...turn.slice(0, 30)];
    times.cold.push(await firstTokenTime(cold, next));
    times.warm.push(await firstTokenTime(warm, next));
  }
  const [c, w] = [median(times.cold), median(times.warm)];
  say(
    `The next turn after ${tokens} tokens: ${w.toFixed(0)} ms instead of ${c.toFixed(0)}, ${(w / c).toFixed(3)} of it.`,
  );
  const turns = [];
  let ids = [];
  for (let turn = 0; turn < 50; turn++) {
    ids = [...ids, ...Array.from({ length: 40 }, (_, i) => 10 + ((i * 13 + turn * 7) % 200))];
    turns.push(await firstTokenTime(warm, ids));
  }
  const [early, late] = [median(turns.slice(1, 11)), median(turns.slice(-10))];
  say(
    `Turns 2 to 11 of a chat: ${early.toFixed(0)} ms to the first token; turns 41 to 50: ${late.toFixed(0)} ms.`,
  );
  await engine.dispose();
});
