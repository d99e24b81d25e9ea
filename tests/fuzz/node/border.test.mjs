// Every public function and method with a hostile value anywhere in its arguments: it ends soon, in a result or in a
// TransformerError that is not about a bug of ours; what the caller's own functions throw passes as it is; and everything
// computes the same bits afterwards.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, loadModel, Tensor, TransformerError } from '../../../dist/index.js';
import { pipeline } from '../../../dist/pipeline.js';
import { hostileValues, placesIn, Sprung, withAt } from '../../lib/hostile_values.mjs';
import { methodsOf, publicCalls } from '../../lib/public_calls.mjs';
import { readSpeechCase } from '../../lib/speech.mjs';
import { folderWithWords } from '../../lib/tiny_folder.mjs';
import { tinyModel } from '../../lib/tiny_model.mjs';
import { settings } from './settings.mjs';

let engine;
let calls;
let owners;
before(async () => {
  engine = await createEngine({ threads: 1 });
  ({ calls, owners } = await publicCalls(engine));
});
after(() => engine.dispose());

/** Calls that measure time: their results differ. */
const isMeasured = ({ method }) => ['profile', 'machineLimits'].includes(method);

/** A result as text in which equal bits, and only these, look equal. */
function bitsOf(value) {
  if (value instanceof Tensor)
    return `${value.shape} ${Buffer.from(new Uint8Array(value.data.buffer)).toString('hex')}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value).join();
  return `{${Object.entries(value).map(([key, inner]) => `${key}: ${bitsOf(inner)}`)}}`;
}
const resultsOf = () =>
  Promise.all(
    calls.filter((one) => !isMeasured(one)).map(async ({ call, args }) => bitsOf(await call(args()))),
  );

/** Calls with arguments that may be refused. */
async function survives({ name, call }, args, what) {
  const begin = process.cpuUsage().user;
  try {
    await call(args);
  } catch (error) {
    if (error instanceof Sprung) return;
    assert.ok(error instanceof TransformerError, `${name}, ${what}: ${error?.stack ?? String(error)}`);
    assert.notEqual(error.code, 'internal', `${name}, ${what}: ${error.message}`);
    assert.ok(error.message.length > 10, `${name}, ${what}: ${error.message}`);
  }
  const took = (process.cpuUsage().user - begin) / 1000;
  assert.ok(took < 5000, `${name}, ${what}: took ${took} ms`);
}

describe('the border', () => {
  test('every public method is tried', () => {
    const internal = ['alive', 'encodeLong', 'loaded', 'marksFor', 'tolist', 'withoutSpecial', 'writing'];
    for (const [name, owner] of Object.entries(owners))
      for (const method of methodsOf(owner)) {
        const isTried = calls.some((one) => one.method === method && typeof owner[method] === 'function');
        assert.ok(isTried || internal.includes(method), `${name}.${method} is not tried`);
      }
  });

  test('hostile values in the place of each argument', async () => {
    const before = await resultsOf();
    for (const one of calls.filter((call) => !isMeasured(call))) {
      const args = one.args();
      for (const [hostile, make] of Object.entries(hostileValues)) {
        if (args.length === 0) await survives(one, [make()], hostile);
        for (const place of args.keys()) await survives(one, withAt(args, [place], make()), hostile);
      }
    }
    assert.deepEqual(await resultsOf(), before);
  });

  test('hostile values anywhere in the arguments', async () => {
    const before = await resultsOf();
    const change = fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(hostileValues)));
    const cases = fc.tuple(fc.nat(calls.length - 1), fc.array(change, { minLength: 1, maxLength: 2 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([which, changes]) => {
        const one = calls[which];
        const places = placesIn(one.args()).filter((place) => place.length > 0);
        // Two places of which neither is inside of the other.
        const chosen = changes.map(([at, hostile]) => [places[at % places.length] ?? ['0'], hostile]);
        const apart = chosen.filter(([place], i) => i === 0 || `${place}`[0] !== `${chosen[0][0]}`[0]);
        const args = apart.reduce(
          (all, [place, hostile]) => withAt(all, place, hostileValues[hostile]()),
          one.args(),
        );
        await survives(one, args, JSON.stringify(changes));
      }),
      settings(1500),
    );
    assert.deepEqual(await resultsOf(), before);
  });

  test('messages name the argument, what was expected and what was given', async () => {
    const { bert, sentences, tiny, tokenizer } = owners;
    const refuses = (call, message) =>
      assert.rejects(async () => call(), { name: 'TransformerError', code: 'invalid_argument', message });
    await refuses(() => bert.classify(null), /^the text must be a string or \{ text, textPair \}, got null$/);
    await refuses(() => sentences.embed(7), /^the text must be a string, got number$/);
    await refuses(() => pipeline(Symbol('s')), /^task is a symbol$/);
    await refuses(() => loadModel('data:,'), /'data:,' is not the address of a folder/);
    await refuses(() => tiny.generate('the cat', null), /^options must be an object, got null$/);
    await refuses(
      () => tiny.generate('the cat', { stop: [Symbol('s')] }),
      /^options\.stop\[0\] is a symbol$/,
    );
    await refuses(() => tokenizer.decode([1], null), /^options must be an object, got null$/);
    await refuses(() => tokenizer.decode(new Array(9)), /^ids has 9 elements, but element 0 is undefined$/);
    await refuses(() => engine.softmax(hostileValues.detached()), /^x is a detached buffer$/);
    await refuses(() => engine.softmax(hostileValues.revoked()), /^x cannot be read: .*revoked/);
    await refuses(
      () => engine.layerNorm([1], hostileValues.cyclic()),
      /^options\.list\[1\] contains itself$/,
    );
    await refuses(() => engine.softmax(new Array(2 ** 32 - 1)), /^x holds more than 134217728 values$/);
  });
});

describe('what the caller throws passes as it is', () => {
  const mine = () => new TypeError('mine');
  const throws = (error) => () => {
    throw error;
  };
  const passes = async (error, call) =>
    assert.rejects(call, (thrown) => {
      assert.equal(thrown, error);
      return true;
    });

  for (const error of [mine(), 'a text', undefined]) {
    const shown = String(error);
    test(`from onProgress: ${shown}`, () =>
      passes(error, () => loadModel(tinyModel(), { engine, onProgress: throws(error) })));

    test(`from progress_callback: ${shown}`, () =>
      passes(error, () =>
        pipeline('translation', tinyModel(), { engine, progress_callback: throws(error) }),
      ));

    test(`from prefixAllowedTokens: ${shown}`, () =>
      passes(error, () => owners.tiny.generate('the cat', { prefixAllowedTokens: throws(error) })));

    test(`from onSegment: ${shown}`, () => {
      const samples = new Float32Array(16000).map((_, i) => Math.sin(i / 9));
      const options = {
        language: 'en',
        maxNewTokens: 4,
        onSegment: throws(error),
        onProgress: throws(error),
      };
      return passes(error, () => owners.speech.transcribe(samples, options));
    });
  }

  test('as the reason of a signal', async () => {
    const error = mine();
    const signal = AbortSignal.abort(error);
    await passes(error, () => loadModel(tinyModel(), { engine, signal }));
    await passes(error, () => owners.tiny.translate('the cat', { signal }));
    await passes(error, () => owners.tiny.stream('the cat', { signal }).next());
    await passes(error, () => owners.bert.classify('the cat', { signal }));
    const run = await pipeline('text-classification', folderWithWords('bert_seqcls'), { engine });
    await passes(error, () => run('the cat', { signal }));
  });

  test('from an iterable, a getter and a rejected promise', async () => {
    const error = mine();
    await passes(error, () => loadModel({ [Symbol.iterator]: throws(error) }, { engine }));
    const trap = new Sprung('a getter');
    await passes(trap, () =>
      loadModel(tinyModel(), Object.defineProperty({}, 'dtype', { get: throws(trap), enumerable: true })),
    );
    await passes(error, () => loadModel(tinyModel(), { engine: Promise.reject(error) }));
  });

  test('and speech goes on afterwards', async () => {
    const model = await loadModel(readSpeechCase('whisper_e2e').files(), { engine });
    assert.equal(
      typeof (await model.transcribe(new Float32Array(800), { language: 'en', maxNewTokens: 2 })).text,
      'string',
    );
    await model.dispose();
  });
});
