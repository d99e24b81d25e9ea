// Loading from a plain folder and from a hub while their servers answer with every fault there is: statuses, ranges, encodings,
// versions, cuts, answers that do not come, damage to the cache. A schedule of them comes from the seed. What a load reads
// without an error is what was published: each file of a folder bit by bit one version's, all files of a hub one commit's. And
// once the server is sound, the next load is right.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openFolder } from '../../../build/modules/files/open_folder.js';
import { TransformerError } from '../../../build/modules/index.js';
import { hurried } from '../../lib/mock_clock.mjs';
import { modelId, ScriptedServer, site } from '../../lib/scripted_server.mjs';
import { settings } from './settings.mjs';

const first = 'config.json';
const names = [first, 'weights.bin', 'small.json', 'sometimes.json'];

let home;
let endHurry;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  process.env.XDG_CACHE_HOME = home;
  endHurry = hurried();
});
after(async () => {
  endHurry();
  delete process.env.XDG_CACHE_HOME;
  await rm(home, { recursive: true });
});

const bytesOf = (length, seed) =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 17 + (i >> 8) * (seed + 3)) & 255);

/** A piece of the cache has four megabytes. */
const lengthsOf = { small: [3000, 3000, 3001], large: [(4 << 20) + 5000, (4 << 20) + 5000, 4 << 20] };

/** Three versions: files that are the same in two, of the same size, longer, and absent. */
const versionsOf = (lengths) =>
  lengths.map((length, version) => {
    const files = new Map([
      [first, bytesOf(200, version)],
      ['weights.bin', bytesOf(length, version)],
      ['small.json', bytesOf(50, version >> 1)],
    ]);
    return version === 1 ? files : files.set('sometimes.json', bytesOf(70, version));
  });

const same = (one, other) => one && other && Buffer.compare(one, other) === 0;

/** A server, the cache, and loads; the methods are what happens. */
class Scene {
  constructor({ isHub, isLarge }) {
    this.versions = versionsOf(isLarge ? lengthsOf.large : lengthsOf.small);
    this.server = new ScriptedServer(this.versions, { isHub });
    this.isHub = isHub;
    this.stop = this.server.start();
  }

  /** A server of a plain folder that answers with a page says that there is no such file. */
  script(faults) {
    this.server.script = faults.map((fault) => (this.isHub ? fault : { ...fault, isPage: false }));
  }

  /** Files and what they hold: bytes, `null` if absent, undefined if they could not be read. */
  async load({ isCached, isSeeking, endsAfter }) {
    const options = {
      cache: isCached,
      retries: 1,
      note: () => {},
      ...(this.isHub && { hub: { host: site } }),
    };
    const folder = await openFolder(this.isHub ? modelId : `${site}/${modelId}`, options);
    const read = async (name) => [
      name,
      await this.#attempt(() => readThrough(folder, name, { isSeeking, endsAfter })),
    ];
    const found = new Map([await read(first)]);
    // The loader goes no further without it.
    if (!found.get(first)) return found;
    for (const [name, bytes] of await Promise.all(names.slice(1).map(read))) found.set(name, bytes);
    return found;
  }

  async #attempt(work) {
    try {
      return await work();
    } catch (error) {
      assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
      assert.ok(['missing_file', 'bad_checkpoint'].includes(error.code), `${error.code}: ${error.message}`);
      return undefined;
    }
  }

  /** @param among indices of versions that may have been read */
  check(found, among = [...this.versions.keys()]) {
    const isOf = (version, name) => {
      const [bytes, wanted] = [found.get(name), this.versions[version].get(name)];
      return bytes === undefined || (bytes === null ? !wanted : same(bytes, wanted));
    };
    const said = [...found].map(([name, bytes]) => `${name}: ${bytes?.length ?? bytes}`).join(', ');
    for (const name of found.keys())
      assert.ok(
        among.some((version) => isOf(version, name)),
        `${name} is of no version: ${said}`,
      );
    if (this.isHub)
      assert.ok(
        among.some((version) => names.every((name) => isOf(version, name))),
        `two commits are mixed: ${said}`,
      );
  }

  async faulty({ faults, ...how }) {
    this.script(faults);
    this.check(await this.load(how));
  }

  async sound(how) {
    this.script([]);
    const found = await this.load({ ...how, endsAfter: null });
    for (const name of names) assert.notEqual(found.get(name), undefined, `${name} could not be read`);
    this.check(found, [this.server.current]);
  }

  /** Changes, shortens or deletes a file of the cache. */
  async damage({ which, place, how }) {
    const folder = join(home, 'transformer-wasm');
    const files = (await readdir(folder).catch(() => [])).sort();
    if (files.length === 0) return;
    const path = join(folder, files[which % files.length]);
    if (how === 'delete') return rm(path);
    const bytes = await readFile(path);
    const at = Math.floor(place * bytes.length);
    if (how === 'change') bytes[at] ^= 1 << (which % 8);
    await writeFile(path, how === 'change' ? bytes : bytes.subarray(0, at));
  }

  async close() {
    this.stop();
    await rm(join(home, 'transformer-wasm'), { recursive: true, force: true });
  }
}

/** Front to back or by ranges; a reader may leave early, which tells nothing of the file. */
async function readThrough(folder, name, { isSeeking, endsAfter }) {
  const file = await folder.open(name);
  if ('missing' in file) return null;
  const parts = [];
  let length = 0;
  const take = async (pieces) => {
    for await (const piece of pieces) {
      parts.push(piece.slice());
      length += piece.length;
      if (endsAfter !== null && length > endsAfter) return false;
    }
    return true;
  };
  if (!isSeeking) return (await take(file.bytes())) ? new Uint8Array(Buffer.concat(parts)) : undefined;
  const seekable = await file.seekable();
  try {
    const middle = seekable.size >> 1;
    const isAll =
      (await take(seekable.bytes(0, middle))) && (await take(seekable.bytes(middle, seekable.size)));
    return isAll ? new Uint8Array(Buffer.concat(parts)) : undefined;
  } finally {
    await seekable.close();
  }
}

/** Mostly inside the small files, at times inside the large ones. */
const place = fc.oneof(fc.nat(200), fc.nat(3000), fc.nat((4 << 20) + 5000));
const badPart = fc.record(
  {
    publish: fc.nat(2),
    cut: place,
    shift: fc.integer({ min: -3, max: 3 }),
    excess: fc.integer({ min: -3, max: 3 }),
    range: fc.constantFrom('', 'bytes 0-0/1', 'bytes 5-2/9', 'items 0-1/2', 'bytes 0-99/*', 'bytes */200'),
  },
  { requiredKeys: [] },
);
const fault = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.record({
    status: fc.constantFrom(204, 301, 400, 401, 403, 408, 416, 418, 425, 429, 451, 500, 502, 503, 504),
  }),
  fc.record({ isDown: fc.constant(true) }),
  fc.record({ isPage: fc.constant(true) }),
  badPart,
  fc.record(
    {
      publish: fc.nat(2),
      cut: place,
      isZipped: fc.boolean(),
      isBare: fc.boolean(),
      isWhole: fc.boolean(),
      isUnnamed: fc.boolean(),
      hasNoRanges: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  fc.record({ short: place }),
);
/** What follows a break is asked for as a part. */
const faults = fc
  .array(
    fc.oneof(
      fault.map((one) => [one]),
      fc.tuple(fc.record({ cut: place }), badPart),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((groups) => groups.flat());
const how = {
  isCached: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  isSeeking: fc.boolean(),
  endsAfter: fc.option(place, { freq: 4 }),
};
const step = (name, given) => given.map((argument) => ({ name, argument }));
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: step('faulty', fc.record({ ...how, faults })),
    },
    step('sound', fc.record(how)),
    step(
      'damage',
      fc.record({
        which: fc.nat(99),
        place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        how: fc.constantFrom('delete', 'change', 'cut'),
      }),
    ),
  ),
  { minLength: 1, maxLength: 8 },
);
const kind = fc.record({
  isHub: fc.boolean(),
  isLarge: fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.constant(true)),
});

test('servers and caches with faults', () =>
  fc.assert(
    fc.asyncProperty(kind, steps, async (given, schedule) => {
      const scene = new Scene(given);
      try {
        for (const { name, argument } of schedule) await scene[name](argument);
        await scene.sound({ isCached: true, isSeeking: false });
        await scene.sound({ isCached: true, isSeeking: true });
      } finally {
        await scene.close();
      }
    }),
    settings(40),
  ));
