// Models in a browser: from files, from a folder that the user opened, from a URL; in a worker, streamed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine, loadModel } from '../../dist/index.js';
import { tinyModel } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';
const files: Map<string, Uint8Array<ArrayBuffer>> = tinyModel();

let engine: Engine;
let expected: string;
beforeAll(async () => {
  engine = await createEngine();
  const model = await loadModel(files, { engine });
  expected = (await model.translate(text)).text;
  await model.dispose();
});
afterAll(() => engine.dispose());

async function translates(source: Parameters<typeof loadModel>[0]): Promise<void> {
  const model = await loadModel(source, { engine });
  expect((await model.translate(text)).text).toBe(expected);
  await model.dispose();
}

describe('loading a model', () => {
  test('from files', async () => {
    await translates([...files].map(([name, bytes]) => new File([bytes], name)));
    await translates(new Map([...files].map(([name, bytes]) => [name, new Blob([bytes])])));
  });

  // WebKitGTK writes such files in workers only.
  const mayWrite = 'createWritable' in (globalThis.FileSystemFileHandle?.prototype ?? {});
  test.skipIf(!mayWrite)('from a folder handle', async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('tiny', { create: true });
    for (const [name, bytes] of files) {
      const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await writable.write(bytes);
      await writable.close();
    }
    await translates(folder);
    const empty = await root.getDirectoryHandle('empty', { create: true });
    await expect(loadModel(empty, { engine })).rejects.toMatchObject({ code: 'missing_file' });
    await root.removeEntry('tiny', { recursive: true });
    await root.removeEntry('empty', { recursive: true });
  });

  test('not from a URL that does not exist', async () => {
    const nowhere = loadModel('/tests/nowhere', { engine });
    await expect(nowhere).rejects.toMatchObject({ code: 'missing_file' });
  });

  test('not when aborted during loading', async () => {
    const heap = engine.info.heapBytes;
    const controller = new AbortController();
    const onProgress = ({ phase, loaded }: { phase: string; loaded: number }) => {
      if (phase === 'weights' && loaded > 10_000) controller.abort(new Error('enough'));
    };
    const loading = loadModel(files, { engine, onProgress, signal: controller.signal });
    await expect(loading).rejects.toThrow('enough');
    expect(engine.info.heapBytes).toBeLessThanOrEqual(heap + 64); // see tests/lib/heap.mjs
  });
});

describe('a loaded model', () => {
  test('streams what it generates, and stops when the reader does', async () => {
    const model = await loadModel(files, { engine });
    let joined = '';
    for await (const chunk of model.stream(text)) joined += chunk.text;
    expect(joined).toBe(expected);
    const heap = engine.info.heapBytes;
    for await (const { token } of model.stream(text)) {
      expect(token.length).toBeGreaterThan(0);
      break;
    }
    expect(engine.info.heapBytes).toBeLessThanOrEqual(heap + 64); // see tests/lib/heap.mjs
    await model.dispose();
  });

  test('returns its attention weights', async () => {
    const model = await loadModel(files, { engine });
    const { crossAttentions, axes } = await model.translate(text, { outputAttentions: true });
    expect(crossAttentions?.[0]?.shape).toEqual([1, 2, axes?.written.length, axes?.source.length]);
    await model.dispose();
  });

  test('rejects calls once its engine is disposed', async () => {
    const own = await createEngine();
    const model = await loadModel(files, { engine: own });
    const waiting = model.translate(Array(400).fill(text), { numBeams: 4 });
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'disposed' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await own.dispose();
    await outcome;
    await expect(model.translate(text)).rejects.toMatchObject({ code: 'disposed' });
    await model.dispose();
  });
});
