// What a user writes. The test reads the result from the page's title.

import { createEngine } from '../../../../dist/index.js';

async function use(worker: boolean) {
  const engine = await createEngine({ threads: 2, worker });
  const { variant, threads } = engine.info;
  const [row] = (await engine.softmax([[5, 5]])).tolist() as number[][];
  await engine.dispose();
  return { variant, threads, row, worker: engine.info.worker };
}

try {
  document.title = JSON.stringify([await use(true), await use(false)]);
} catch (error) {
  document.title = JSON.stringify(String(error));
}
