// Sharded weights: read like a single file, and rejected if the index and the shards disagree.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { refusesToLoad } from '../lib/refuses.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { readWeights } from '../lib/stored_weights.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';
import { writeTorch } from '../lib/torch_save.mjs';

const text = 'The cat sat on the mat.';
const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const formats = {
  safetensors: { stem: 'model', ending: 'safetensors', write: writeSafetensors },
  'torch.save': { stem: 'pytorch_model', ending: 'bin', write: writeTorch },
};
// More than the number of connections of a browser to one server.
const shardCount = 9;
const indexOf = ({ stem, ending }) => `${stem}.${ending}.index.json`;
const shardName = ({ stem, ending }, i) => `${stem}-0000${i + 1}-of-0000${shardCount}.${ending}`;

/** The tiny model with its weights in many files; `change` may modify the index's weight_map and the shards' tensors. */
function sharded(format = formats.safetensors, change = () => {}) {
  const shards = Array.from({ length: shardCount }, () => new Map());
  const map = {};
  for (const [i, [name, tensor]] of [...tinyTensors(tinyConfig)].entries()) {
    shards[i % shardCount].set(name, tensor);
    map[name] = shardName(format, i % shardCount);
  }
  change(map, shards);
  const files = tinyModel();
  files.delete('model.safetensors');
  files.set(indexOf(format), json({ metadata: { total_size: 5 }, weight_map: map }));
  for (const [i, tensors] of shards.entries())
    if (tensors) files.set(shardName(format, i), format.write(tensors));
  return files;
}

let engine;
let expected;
before(async () => {
  engine = await createEngine({ threads: 1 });
  const model = await loadModel(tinyModel(), { engine });
  expected = await model.translate(text);
  await model.dispose();
});
after(() => engine.dispose());

const refuses = (files, code, message) => refusesToLoad(engine, files, { code, message });

async function translates(source, options = {}) {
  const model = await loadModel(source, { engine, ...options });
  assert.deepEqual(await model.translate(text), expected);
  const { info } = model;
  await model.dispose();
  return info;
}

describe('a model in nine files', () => {
  for (const [name, format] of Object.entries(formats)) {
    test(`${name}: from a Map, a path and a server, with progress over all files`, async () => {
      const files = sharded(format);
      const total = Array.from(
        { length: shardCount },
        (_, i) => files.get(shardName(format, i)).length,
      ).reduce((a, b) => a + b);
      const folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
      for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
      const server = createServer((request, response) => {
        const bytes = files.get(request.url.slice(1));
        if (bytes) response.setHeader('content-length', bytes.length);
        response.writeHead(bytes ? 200 : 404).end(bytes);
      }).listen(0);
      await new Promise((resolve) => server.once('listening', resolve));
      try {
        for (const source of [files, folder, `http://localhost:${server.address().port}`]) {
          const events = [];
          const info = await translates(source, { onProgress: (event) => events.push(event) });
          assert.equal(info.bytes, total);
          assert.deepEqual(info.unusedTensors, []);
          const weights = events.filter(({ phase }) => phase === 'weights');
          assert.equal(new Set(weights.map((event) => event.file)).size, shardCount);
          assert.ok(
            events.every((event) => event.total === total),
            'the total is known from the first event on',
          );
          for (const [i, { loaded }] of weights.entries()) {
            assert.ok(loaded <= total && loaded >= (weights[i - 1]?.loaded ?? 0), `${loaded} of ${total}`);
          }
          assert.deepEqual(events.at(-1), { phase: 'ready', file: indexOf(format), loaded: total, total });
        }
        const { weights, refusals } = await inspectCheckpoint(folder);
        assert.deepEqual(weights, { file: indexOf(format), bytes: total, dtypes: ['F32'] });
        assert.deepEqual(refusals, []);
      } finally {
        server.close();
        server.closeAllConnections();
        await rm(folder, { recursive: true });
      }
    });

    test(`${name}: an abort at every step frees everything`, async () => {
      const files = sharded(format);
      const heap = engine.info.heapBytes;
      let steps = 0;
      await translates(files, { onProgress: () => steps++ });
      assert.ok(steps > shardCount);
      for (let step = 0; step < steps; step++) {
        const controller = new AbortController();
        let seen = 0;
        const onProgress = () => seen++ === step && controller.abort(new Error('enough'));
        await assert.rejects(loadModel(files, { engine, onProgress, signal: controller.signal }), {
          message: 'enough',
        });
        assertHeap(engine, heap);
      }
    });
  }

  test("transformers' own: bfloat16 in three files", async () => {
    const folder = new URL('../fixtures/reference/t5_sharded_bf16/', import.meta.url);
    const index = JSON.parse(readFileSync(new URL('model.safetensors.index.json', folder)));
    const found = await readWeights(folder);
    assert.deepEqual([...found.keys()].sort(), Object.keys(index.weight_map).sort());
    let bytes = 0;
    for (const [name, tensor] of found) {
      assert.equal(tensor.dtype, 'BF16');
      assert.equal(tensor.file, index.weight_map[name]);
      bytes += tensor.bytes.length;
    }
    assert.equal(bytes, index.metadata.total_size);
  });

  test('a single file takes precedence over shards, and shards over torch.save', async () => {
    const files = new Map([...sharded(formats['torch.save']), ...sharded(), ...tinyModel()]);
    const { info } = await loadModel(files, { engine }).then(async (model) => {
      await model.dispose();
      return model;
    });
    assert.equal(info.bytes, files.get('model.safetensors').length);
    files.delete('model.safetensors');
    assert.equal((await inspectCheckpoint(files)).weights.file, 'model.safetensors.index.json');
    files.delete('model.safetensors.index.json');
    assert.equal((await inspectCheckpoint(files)).weights.file, 'pytorch_model.bin.index.json');
    files.set('pytorch_model.bin', writeTorch(tinyTensors(tinyConfig)));
    assert.equal((await inspectCheckpoint(files)).weights.file, 'pytorch_model.bin');
    assert.equal((await translates(files)).bytes, files.get('pytorch_model.bin').length);
  });
});

describe('an invalid index', () => {
  const index = indexOf(formats.safetensors);
  const first = shardName(formats.safetensors, 0);
  const lies = (code, message, change) => refuses(sharded(formats.safetensors, change), code, message);
  const withIndex = (content) => sharded().set(index, content);

  test('that names a missing file', async () => {
    await lies('missing_file', new RegExp(`${index}.*${first}`), (_, shards) => {
      shards[0] = null;
    });
    await lies('missing_file', /model-nowhere\.safetensors/, (map) => {
      map['projection.bias'] = 'model-nowhere.safetensors';
    });
  });

  test('that names a file outside of the folder', async () => {
    for (const outside of [
      '../model.safetensors',
      '/etc/passwd',
      'a/b',
      'a\\b',
      'C:x',
      '..',
      '.',
      '',
      'a\0b',
      5,
      null,
    ]) {
      await lies('bad_checkpoint', /'projection\.bias' must be in a file of this folder/, (map) => {
        map['projection.bias'] = outside;
      });
    }
  });

  test('that names a tensor that its file lacks, or that is in another file', async () => {
    await lies('bad_checkpoint', new RegExp(`${first}.*'decoder\\.nothing'`), (map) => {
      map['decoder.nothing'] = first;
    });
    await lies('bad_checkpoint', /'projection\.bias' is in model-.*but also belongs to model-/, (map) => {
      map['projection.bias'] = map['projection.bias'] === first ? shardName(formats.safetensors, 1) : first;
    });
  });

  test('with a tensor in two files; a tensor that the index omits', async () => {
    await lies('bad_checkpoint', /'embedding\.weight' is in/, (_, shards) => {
      shards[3].set('embedding.weight', shards[0].get('embedding.weight'));
    });
    await lies('bad_checkpoint', /'extra' is in/, (_, shards) => {
      for (const shard of shards.slice(2, 4)) shard.set('extra', { shape: [1], data: new Float32Array(1) });
    });
    const extra = sharded(formats.safetensors, (_, shards) => {
      shards[2].set('extra', { shape: [1], data: new Float32Array(1) });
    });
    assert.deepEqual((await translates(extra)).unusedTensors, ['extra']);
  });

  test('that is not an index', async () => {
    const bad = (content, message) => refuses(withIndex(content), 'bad_checkpoint', message);
    await bad(new TextEncoder().encode('{'), /index\.json is not JSON/);
    await bad(json([]), /index\.json must contain a JSON object/);
    for (const map of [undefined, null, [], 'x', 7])
      await bad(json({ weight_map: map }), /weight_map must be/);
    await bad(json({ weight_map: {} }), /names no tensors/);
    const twice = `{"weight_map": {"a": "${first}", "a": "${first}"}}`;
    await bad(new TextEncoder().encode(twice), /names 'a' twice/);
    const deep = `{"weight_map": {"a": ${'['.repeat(1e5)}${']'.repeat(1e5)}}}`;
    await bad(new TextEncoder().encode(deep), /nested too deeply/);
    await bad(
      json({ weight_map: { a: [1, 'x'.repeat(1e5)] } }),
      /'a' must be in a file of this folder, got \[1,"x+\.\.\.$/,
    );
  });

  test('a truncated shard is named in the error', async () => {
    for (const [name, format] of Object.entries(formats)) {
      const files = sharded(format);
      const shard = shardName(format, 4);
      files.set(shard, files.get(shard).slice(0, -70));
      await refuses(files, 'bad_checkpoint', new RegExp(shard), name);
    }
  });
});
