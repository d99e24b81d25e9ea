// The filters of the command line with lines of any kind, which arrive in any pieces: as many records as lines, in their order,
// each of its own line, and the exit code that the failures ask for.

import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { asText, filter } from '../../../build/modules/cli/filter.js';
import { corpus, settings } from './settings.mjs';

const field = 'text';

/** A line of each kind; `id` becomes its number. Those of one kind are read, fail when read, or fail when computed. */
const textLine = fc.oneof(
  fc.constantFrom(
    'hello',
    '',
    '  ',
    '\r',
    'null',
    '{}',
    '{"text": 1',
    '[]',
    '"a"',
    '\u2028',
    '\u0085',
    '\ufeff{}',
    '{"text": "bad"}',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const objectLine = fc
  .record(
    {
      text: fc.oneof(
        fc.string(),
        fc.constantFrom('bad', 'a\nb', '😀', '\ud800'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
      id: fc.nat(),
      line: fc.jsonValue({ maxDepth: 1 }),
      error: fc.jsonValue({ maxDepth: 1 }),
      empty: fc.boolean(),
      ['__proto__']: fc.jsonValue({ maxDepth: 1 }),
      toJSON: fc.constant(1),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));
const line = fc
  .oneof(
    textLine,
    objectLine,
    objectLine.chain((whole) => fc.nat(whole.length).map((end) => whole.slice(0, end))),
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    fc.nat(3000).map((depth) => '['.repeat(depth)),
    fc
      .integer({ min: 1, max: 300 })
      .map((depth) => `{"text": "deep", "a": ${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc.bigInt().map((id) => `{"text": "numbered", "id": ${id}}`),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((id) => `{"text": "numbered", "id": ${id.toLocaleString('en', { useGrouping: false })}}`),
    fc
      .nat(400)
      .map((exponent) => `{"text": "numbered", "id": 1e${exponent}, "s": "1e999 12345678901234567890"}`),
  )
  .map((one) => one.replaceAll('\n', ''));
const input = fc
  .record({
    lines: fc.array(line, { maxLength: 80 }),
    end: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
  })
  .map(({ lines, end, isEnded }) => lines.join(end) + (isEnded && lines.length > 0 ? end : ''));
/** Whole inputs of the corpus with bytes that are changed. */
const damaged = fc
  .tuple(
    fc.constantFrom(...corpus('lines', '.jsonl')),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
  )
  .map(([whole, changes]) => {
    const bytes = Buffer.from(whole);
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    return bytes;
  });

/** A command that writes its input in capitals; it refuses what holds 'bad', and with it the whole batch. */
const work = {
  field,
  async run(inputs) {
    return inputs.map((value) => {
      const text = asText(value, field);
      if (text.includes('bad')) throw new Error('a bad line');
      return `>${text}`;
    });
  },
  text: (result) => result,
  json: (result, source) => ({ source, result }),
};

/** Runs the filter on bytes in pieces; what it wrote, and the exit code. */
async function filtered(bytes, sizes, values) {
  const streams = {
    stdin: Readable.from(piecesOf(bytes, sizes)),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const own = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)]);
  const { exitCode } = process;
  const written = Promise.all([streams.stdout, streams.stderr].map(textOf));
  for (const [name, stream] of Object.entries(streams))
    Object.defineProperty(process, name, { configurable: true, value: stream });
  process.exitCode = undefined;
  try {
    await filter(work, values);
    const code = process.exitCode ?? 0;
    for (const name of ['stdout', 'stderr']) streams[name].end();
    const [stdout, stderr] = await written;
    return { code, stdout, stderr };
  } finally {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor);
    process.exitCode = exitCode;
  }
}

const textOf = async (stream) => Buffer.concat(await stream.toArray()).toString();

function* piecesOf(bytes, sizes) {
  let begin = 0;
  for (let i = 0; begin < bytes.length; i++) {
    const size = sizes.length > 0 ? sizes[i % sizes.length] : bytes.length;
    yield bytes.subarray(begin, begin + size);
    begin += size;
  }
}

/** What the lines are, read the plain way; the mark of an encoding is no part of the first one. */
const linesOf = (bytes) => {
  // A byte is a letter here: no letter of UTF-8 has the byte of a line's end in it.
  const lines = bytes
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((one) => Buffer.from(one.replace(/\r$/, ''), 'latin1'));
};

/** What must become of a line: 'empty', 'error', or the text that is computed. */
function expectedOf(bytes, isJsonIn) {
  const text = bytes.toString();
  if (text.trim() === '') return { kind: 'empty' };
  if (!bytes.equals(Buffer.from(text))) return { kind: 'error' };
  const source = isJsonIn ? sourceOf(text) : text;
  return typeof source === 'string' && !source.includes('bad')
    ? { kind: 'result', source }
    : { kind: 'error' };
}

function sourceOf(text) {
  try {
    const value = JSON.parse(text);
    if (depthOf(value) > 200 || losesKeys(text, value) || !numbersOf(text).every(isKept)) return undefined;
    return typeof value === 'string' ? value : value?.text;
  } catch {
    return undefined;
  }
}

const depthOf = (value) =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** The numbers of a JSON text, as they are written in it. */
const numbersOf = (text) =>
  text
    .split(/("(?:[^"\\]|\\.)*")/)
    .filter((_, i) => i % 2 === 0)
    .flatMap((outside) => outside.match(/[-\d][-+.\deE]*/g) ?? []);

/** A decimal number as an integer without zeros at its end and a power of ten, exactly. */
function exactly(number) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    number,
  );
  let digits = BigInt(whole + fraction);
  let power = BigInt(exponent) - BigInt(fraction.length);
  for (; digits !== 0n && digits % 10n === 0n; power++) digits /= 10n;
  return `${sign}${digits}e${digits === 0n ? 0n : power}`;
}

/** Whether a number comes out as it went in: the same value, a zero with its sign. */
function isKept(number) {
  const value = Number(number);
  return Number.isFinite(value) && exactly(JSON.stringify(value)) === exactly(number);
}

/** Whether a key of an object is there twice, of which JSON.parse keeps one. */
const losesKeys = (text, value) =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length !== keysOf(value);

const keysOf = (value) =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce(
        (sum, one) => sum + keysOf(one),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      )
    : 0;

/** The record of each line is its own. */
function checkRecord(record, expected, number) {
  if (expected.kind === 'empty') assert.deepEqual(record, { line: number, empty: true });
  else if (expected.kind === 'result') {
    assert.deepEqual([record.source, record.result], [expected.source, `>${expected.source}`]);
    assert.ok(!Object.hasOwn(record, 'error'), 'a record of success holds an error');
  } else {
    assert.equal(record.line, number);
    assert.ok(['invalid_argument', 'internal'].includes(record.error.code));
    assert.equal(typeof record.error.message, 'string');
  }
}

function checkAll({ code, stdout, stderr }, bytes, { json, jsonl }, first) {
  const expected = linesOf(bytes).map((line) => expectedOf(line, jsonl));
  const written = stdout.split('\n');
  assert.equal(written.pop(), '');
  assert.equal(written.length, expected.length);
  for (const [i, one] of expected.entries())
    if (json || jsonl) checkRecord(JSON.parse(written[i]), one, first + i);
    else assert.equal(written[i], one.kind === 'result' ? `>${one.source}` : '');
  const count = (kind) => expected.filter((one) => one.kind === kind).length;
  const failed = count('error');
  assert.equal(code, failed === 0 ? 0 : count('result') === 0 ? 2 : 1);
  assert.equal(stderr.includes(`${failed} of ${expected.length} lines failed\n`), failed > 0);
}

test('lines of any kind, in any pieces', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: input.map((text) => Buffer.from(text)) }, damaged),
      fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 5 }),
      fc.record({ json: fc.boolean(), jsonl: fc.boolean() }),
      fc.integer({ min: 1, max: 1e6 }),
      async (bytes, sizes, format, first) => {
        const found = await filtered(bytes, sizes, { ...format, 'first-line': `${first}` });
        checkAll(found, bytes, format, first);
      },
    ),
    settings(1000),
  ));
