// Folders of translation models, registries of such folders, and journals of translated files, with any bytes changed: a typed error
// or what was meant, in time proportional to the bytes, nothing left behind, and the next sound folder is read as before.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Journal } from '../../../build/modules/cli/journal.js';
import { finderOf } from '../../../build/modules/translator/translation_models.js';
import { TransformerError as OwnError } from '../../../build/modules/values/errors.js';
import { createEngine, loadModel, TransformerError } from '../../../dist/index.js';
import { studentFiles } from '../../lib/students.mjs';
import { settings } from './settings.mjs';

const codes = new Set(['bad_checkpoint', 'unsupported', 'missing_file', 'out_of_memory', 'invalid_argument']);
// The modules that are tried by themselves have the package's class a second time.
const isTyped = (error) => {
  assert.ok(error instanceof TransformerError || error instanceof OwnError, String(error?.stack ?? error));
  assert.ok(codes.has(error.code), `${error.code}: ${error.message}`);
};

/** Changes of bytes: mostly where headers are. */
const changes = fc.array(
  fc.record({
    at: fc.oneof(fc.nat(400), fc.nat(400_000)),
    value: fc.nat(255),
    isCut: fc.constantFrom(false, false, true),
  }),
  { minLength: 1, maxLength: 4 },
);
function damaged(file, list) {
  let bytes = Uint8Array.from(file);
  for (const { at, value, isCut } of list) {
    if (bytes.length === 0) break;
    if (isCut) bytes = bytes.slice(0, at % bytes.length);
    else bytes[at % bytes.length] = value;
  }
  return bytes;
}

/** No more than this much of a processor's time for a byte, and what any load takes. */
const millisecondsOf = (bytes) => 2000 + bytes / 100;
async function inTime(bytes, work) {
  const begin = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(begin);
  const took = (user + system) / 1000;
  assert.ok(took < millisecondsOf(bytes), `took ${took} ms for ${bytes} bytes`);
  return result;
}

for (const pair of ['xxcc', 'yyzz']) {
  describe(`the student ${pair}`, () => {
    const files = studentFiles(pair);
    const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    let engine;
    let expected;
    const load = async (given) => {
      const heap = engine.info.heapBytes;
      const model = await loadModel(given, { engine }).catch(isTyped);
      const text = model && (await model.translate('a b').catch(isTyped))?.text;
      await model?.dispose();
      assert.ok(engine.info.heapBytes <= heap + 4096, 'memory is left behind');
      return text;
    };
    before(async () => {
      engine = await createEngine({ threads: 1 });
      expected = await load(files);
      assert.equal(typeof expected, 'string');
    });
    after(() => engine.dispose());

    for (const name of files.keys())
      test(`${name} with changed bytes`, async () => {
        await fc.assert(
          fc.asyncProperty(changes, async (list) => {
            await inTime(total, () => load(new Map(files).set(name, damaged(files.get(name), list))));
          }),
          settings(25),
        );
        assert.equal(await load(files), expected);
      });
  });
}

describe('small files that name others', () => {
  const files = studentFiles('yyzz');
  const [model] = [...files.keys()].filter((name) => name.startsWith('model.'));
  const asBytes = (text) => new TextEncoder().encode(text);
  const odd = fc.oneof(
    fc.constantFrom(
      '..',
      '../x',
      '/etc/hostname',
      'file:///etc',
      'a/b',
      '',
      '\0',
      '\ud800',
      'x'.repeat(5000),
      model,
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const refusesOrLoads = async (given, options = {}) => {
    const loaded = await inTime(1e6, () => loadModel(given, options).catch(isTyped));
    await loaded?.dispose();
  };

  test('config.yml', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc
            .tuple(odd, odd, odd)
            .map(
              ([one, other, rest]) => `models:\n  - ${one}\nvocabs:\n  - ${other}\nshortlist:\n  - ${rest}\n`,
            ),
          fc.nat(3000).map((depth) => `a: ${'['.repeat(depth)}`),
          fc.nat(20_000).map((items) => `models:\n${'  - a\n'.repeat(items)}`),
        ),
        (text) => refusesOrLoads(new Map([...files, ['config.yml', asBytes(text)]])),
      ),
      settings(60),
    ));

  test('registry.json and metadata.json', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('registry.json', 'metadata.json'),
        odd,
        odd,
        odd,
        (file, ...values) => {
          const [one, other, rest] = values;
          const value =
            file === 'registry.json'
              ? { yyzz: { model: { name: one }, vocab: { name: other }, lex: rest } }
              : { sourceLanguage: one, targetLanguage: other, rest };
          const given = new Map([[file, asBytes(JSON.stringify(value))]]);
          return refusesOrLoads(given, file === 'registry.json' ? { pair: ['yy', 'zz'] } : {});
        },
      ),
      settings(60),
    ));

  test('a registry of folders gives what is beside it, or nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-'));
    try {
      await fc.assert(
        fc.asyncProperty(odd, async (entry) => {
          writeFileSync(join(folder, 'registry.json'), JSON.stringify({ 'en-fr': entry }));
          const found = await finderOf(folder)('en', 'fr').catch(isTyped);
          if (typeof found?.source !== 'string') return;
          assert.ok(join(found.source, 'x').startsWith(`${folder}/`), found.source);
        }),
        settings(200),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('a journal gives back what was written, or nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const path = join(folder, 'one');
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 8 }),
        changes,
        async (entries, list) => {
          rmSync(path, { force: true });
          const journal = await Journal.open(path, 'key');
          const written = Object.entries(entries).map(([text, entry]) => [text, { entry }]);
          await journal.add(written);
          const whole = readFileSync(path);
          for (const bytes of [whole, damaged(whole, list)]) {
            writeFileSync(path, bytes);
            const read = await Journal.open(path, 'key');
            for (const [text, entry] of written) {
              const kept = read.get(text);
              if (bytes === whole || kept !== undefined)
                assert.deepEqual(kept, JSON.parse(JSON.stringify(entry)));
            }
          }
        },
      ),
      settings(200),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
