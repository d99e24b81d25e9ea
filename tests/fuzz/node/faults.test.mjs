// Loading and translating while everything fails that can: the network, the cache on disk, the worker, memory. A schedule of
// faults comes from the seed; each call ends in the right result or in a typed error, and once the faults are over, the next
// load works.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { createEngine, loadModel, TransformerError } from '../../../dist/index.js';
import { assertHeap } from '../../lib/heap.mjs';
import { startHub } from '../../lib/hub_server.mjs';
import { tinyModel } from '../../lib/tiny_model.mjs';
import { settings } from './settings.mjs';

const text = 'The cat sat on the mat.';
const id = 'owner/tiny';
const files = tinyModel();
const workerThreads = process.getBuiltinModule('node:worker_threads');
const ThreadWorker = workerThreads.Worker;

/** Every worker that an engine has started. */
const workers = [];
class Watched extends ThreadWorker {
  constructor(...args) {
    super(...args);
    workers.push(this);
  }
}

let expected;
let home;
before(async () => {
  // 50 MB, so that memory is soon full.
  setFlagsFromString('--wasm-max-mem-pages=800');
  workerThreads.Worker = Watched;
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  const engine = await createEngine({ threads: 1 });
  const model = await loadModel(files, { engine });
  expected = (await model.translate(text)).text;
  await model.dispose();
  await engine.dispose();
});
after(async () => {
  workerThreads.Worker = ThreadWorker;
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

/** What each call may fail with while faults last. */
const allowed = new Set([
  'missing_file',
  'bad_checkpoint',
  'out_of_memory',
  'internal',
  'disposed',
  'aborted',
]);

/** A hub, its cache and an engine; the methods are the faults and the calls. */
class Scene {
  #hub;
  #models = new Map([[id, { files }]]);
  #engine;
  #model;
  #ballast = [];
  #isDead = false;

  static async open() {
    const scene = new Scene();
    scene.#hub = await startHub(scene.#models);
    await scene.#start();
    return scene;
  }

  async #start() {
    workers.length = 0;
    this.#isDead = false;
    this.#engine = await createEngine({ threads: 1, worker: true });
  }

  async #attempt(work) {
    try {
      return await work();
    } catch (error) {
      assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
      assert.ok(allowed.has(error.code), `${error.code}: ${error.message}`);
      // Only what has died fails so.
      if (error.code === 'internal') assert.ok(this.#isDead, error.message);
      return undefined;
    }
  }

  busy(requests) {
    Object.assign(this.#hub.faults, { busy: requests, retryAfter: '0' });
  }
  cut(bytes) {
    this.#hub.faults.cuts.push(bytes);
  }
  down(isDown) {
    this.#hub.faults.isDown = isDown;
  }
  newVersion(version) {
    this.#models.get(id).version = `v${version}`;
  }

  /** Changes, shortens or deletes a file of the cache. */
  async damageCache({ which, place, how }) {
    const folder = join(home, 'transformer-wasm');
    const names = (await readdir(folder).catch(() => [])).sort();
    if (names.length === 0) return;
    const path = join(folder, names[which % names.length]);
    if (how === 'delete') return rm(path, { recursive: true });
    const bytes = await readFile(path);
    const at = Math.floor(place * bytes.length);
    if (how === 'cut') return writeFile(path, bytes.subarray(0, at));
    if (bytes.length > 0) bytes[at] ^= 1 << (which % 8);
    return writeFile(path, bytes);
  }

  async fillMemory() {
    for (let size = 1024; size >= 64; ) {
      const config = { inFeatures: size, outFeatures: size };
      const layer = await this.#attempt(() => this.#engine.linear(config, { seed: 1 }));
      if (layer) this.#ballast.push(layer);
      else size /= 2;
    }
  }
  async freeMemory() {
    for (const layer of this.#ballast.splice(0)) await layer.dispose();
  }

  /** Ends the worker, perhaps while it answers. */
  async killWorker(isBusy) {
    const call = isBusy ? this.#attempt(() => this.#engine.softmax([[1, 2]])) : undefined;
    this.#isDead = true;
    await Promise.all(workers.map((worker) => worker.terminate()));
    await call;
    await assert.rejects(this.#engine.softmax([1]), { code: 'internal' });
    await this.#restart();
  }
  async #restart() {
    await this.#engine.dispose();
    this.#model = undefined;
    this.#ballast = [];
    await this.#start();
  }

  async load({ cache, abortAfter }) {
    await this.#model?.dispose();
    const signal = abortAfter === null ? undefined : AbortSignal.timeout(abortAfter);
    const options = { engine: this.#engine, hub: { host: this.#hub.host }, cache, retries: 1, signal };
    this.#model = await loadModel(id, options).catch((error) => {
      if (error === signal?.reason) return undefined;
      return this.#attempt(() => Promise.reject(error));
    });
  }
  async translate() {
    if (!this.#model) return;
    const result = await this.#attempt(() => this.#model.translate(text));
    if (result) assert.equal(result.text, expected);
  }

  /** Without faults, everything works, and nothing of the faults is left in memory. */
  async recover() {
    Object.assign(this.#hub.faults, { busy: 0, isDown: false, cuts: [] });
    await this.freeMemory();
    await this.load({ cache: true, abortAfter: null });
    assert.ok(this.#model, 'the next load works');
    assert.equal((await this.#model.translate(text)).text, expected);
    await this.#model.dispose();
    this.#model = undefined;
    await this.#engine.softmax([1]);
    const heap = this.#engine.info.heapBytes;
    await this.load({ cache: true, abortAfter: null });
    await this.translate();
    await this.#model.dispose();
    this.#model = undefined;
    await this.#engine.softmax([1]);
    assertHeap(this.#engine, heap, 'memory is left behind');
  }

  async close() {
    await this.#engine.dispose();
    this.#hub.close();
    await rm(join(home, 'transformer-wasm'), { recursive: true, force: true });
  }
}

const step = (name, given = fc.constant(undefined)) => given.map((argument) => ({ name, argument }));
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: step('load', fc.record({ cache: fc.boolean(), abortAfter: fc.option(fc.nat(40)) })),
    },
    { weight: 3, arbitrary: step('translate') },
    step('busy', fc.integer({ min: 1, max: 4 })),
    step('cut', fc.nat(9000)),
    step('down', fc.boolean()),
    step('newVersion', fc.nat(3)),
    step(
      'damageCache',
      fc.record({
        which: fc.nat(20),
        place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        how: fc.constantFrom('delete', 'cut', 'garble'),
      }),
    ),
    step('fillMemory'),
    step('freeMemory'),
    step('killWorker', fc.boolean()),
  ),
  { minLength: 3, maxLength: 14 },
);

test('a schedule of faults', () =>
  fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const scene = await Scene.open();
      try {
        for (const { name, argument } of schedule) await scene[name](argument);
        await scene.recover();
      } finally {
        await scene.close();
      }
    }),
    settings(12),
  ));
