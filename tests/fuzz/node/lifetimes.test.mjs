// Engines, models and calls that begin, end and are left pending in any order: each call ends in the right bits, in the reason of
// its signal or in `disposed`, and all that was made is given back.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, loadModel, TransformerError } from '../../../dist/index.js';
import { engineKinds } from '../../lib/engine_turns.mjs';
import { tinyModel } from '../../lib/tiny_model.mjs';
import { settings } from './settings.mjs';

const files = tinyModel();
const text = 'the cat sat';
const tasks = {
  generate: (model, options) => model.generate(text, { maxNewTokens: 6, ...options }),
  embed: (model, options) => model.embed(text, options),
  stream: async (model, options) => {
    const parts = [];
    for await (const part of model.stream(text, { maxNewTokens: 6, ...options })) parts.push(part.text);
    return parts.join('');
  },
  beams: (model, options) => model.generate([text, 'a dog'], { numBeams: 3, maxNewTokens: 5, ...options }),
};

/** Steps of a schedule: which of the things that are there they mean is drawn, too. */
const step = fc.record({
  what: fc.constantFrom(
    ...['engine', 'load', 'load', 'call', 'call', 'call', 'call'],
    ...['abort', 'wait', 'end model', 'end engine', 'end twice'],
  ),
  which: fc.nat(1000),
  task: fc.constantFrom(...Object.keys(tasks)),
  kind: fc.constantFrom(...engineKinds),
});

const reference = await createEngine({ threads: 1, worker: false });
after(() => reference.dispose());
const whole = await loadModel(files, { engine: reference });
const expected = new Map();
for (const [name, task] of Object.entries(tasks)) {
  const outcome = await task(whole, {}).then(
    (result) => ({ result }),
    (error) => ({ code: error.code }),
  );
  expected.set(name, outcome);
}

class Schedule {
  engines = [];
  models = [];
  calls = [];

  #pick(list, which) {
    return list[which % list.length];
  }

  async #engine(kind) {
    if (this.engines.length >= 4) return;
    this.engines.push({ engine: await createEngine(kind), ended: false });
  }

  /** Left pending: an engine may end while a model is loaded into it. */
  #load(which) {
    const owner = this.#pick(this.engines, which);
    if (!owner) return;
    const wasEnded = owner.ended;
    const record = { owner, ended: false };
    const model = loadModel(files, { engine: owner.engine }).catch((error) => {
      assert.ok(error instanceof TransformerError && error.code === 'disposed', String(error.stack));
      assert.ok(owner.ended || wasEnded);
      return null;
    });
    this.models.push(Object.assign(record, { model }));
  }

  #call(which, name) {
    const record = this.#pick(this.models, which);
    if (!record) return;
    const abort = new AbortController();
    const reason = new Error('aborted');
    const done = (async () => {
      const model = await record.model;
      if (!model) return;
      try {
        const result = await tasks[name](model, { signal: abort.signal });
        assert.deepEqual({ result }, expected.get(name));
      } catch (error) {
        if (error === reason) return;
        if (error.code === expected.get(name).code && error.code) return;
        assert.ok(error instanceof TransformerError && error.code === 'disposed', String(error.stack));
        assert.ok(record.ended || record.owner.ended, error.message);
      }
    })();
    done.catch(() => undefined); // awaited at the end
    this.calls.push({ done, abort: () => abort.abort(reason) });
  }

  async run({ what, which, task, kind }) {
    if (what === 'engine' || this.engines.length === 0) return this.#engine(kind);
    if (what === 'load') return this.#load(which);
    if (what === 'call') return this.#call(which, task);
    if (what === 'abort') return this.#pick(this.calls, which)?.abort();
    if (what === 'wait') return this.#pick(this.calls, which)?.done;
    if (what === 'end model') {
      const record = this.#pick(this.models, which);
      if (!record) return;
      record.ended = true;
      await (await record.model)?.dispose();
      return;
    }
    const owner = this.#pick(this.engines, which);
    owner.ended = true;
    const ends = [owner.engine.dispose()];
    if (what === 'end twice') ends.push(owner.engine.dispose());
    await Promise.all(ends);
  }

  async end() {
    await Promise.all(this.calls.map(({ done }) => done));
    for (const record of this.models) {
      record.ended = true;
      await (await record.model)?.dispose();
    }
    for (const owner of this.engines) {
      owner.ended = true;
      await owner.engine.dispose();
    }
  }
}

test('engines, models and calls end in any order', async () => {
  const heap = reference.info.heapBytes;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const schedule = new Schedule();
      for (const one of steps) await schedule.run(one);
      await schedule.end();
    }),
    settings(12),
  );
  assert.deepEqual(await tasks.generate(whole, {}), expected.get('generate').result);
  assert.ok(reference.info.heapBytes <= heap + 4096);
});
