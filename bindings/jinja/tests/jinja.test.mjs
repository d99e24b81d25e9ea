// Templates as Python's jinja2 renders them (make_fixtures.py), and the bounds of what a template may take.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, mock, test } from 'node:test';
import { failuresOf, renderCase } from './cases.mjs';

const read = (name) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));
const { now, variables, cases } = read('cases');
const render = (template, given = variables) => renderCase(template, given);

mock.timers.enable({ apis: ['Date'], now: new Date(now) });

describe('as jinja2 renders it', () => {
  for (const [template, wanted] of cases)
    test(template, () => {
      if (wanted === null) assert.throws(() => render(template), Error);
      else if (wanted !== 0) assert.equal(render(template), wanted);
    });

  test('every filter, test, method and operator with every kind of value', () => {
    const { values, results } = read('matrix');
    const all = Object.entries(results).flatMap(([follow, row]) =>
      row.map((wanted, i) => [`{% set v = ${values[i]} %}{{ v${follow} }}`, wanted]),
    );
    assert.ok(all.length > 12_000);
    assert.deepEqual(failuresOf(all, variables), []);
  });

  test('random templates', () => {
    const { cases: made } = read('random');
    assert.ok(made.length > 1000);
    assert.deepEqual(failuresOf(made, variables), []);
  });
});

test('a template in the format of Windows has the results of the same one in that of Unix', () => {
  for (const [template, wanted] of cases)
    if (typeof wanted === 'string' && !/['"][^'"\n]*\r/.test(template))
      assert.equal(render(template.replace(/\r?\n/g, '\r\n')), wanted);
});

test('a list that is watched is heard of when a template goes through it, not when it is printed', () => {
  const list = ['a', 'b'];
  const readBy = (template) => {
    let count = 0;
    renderCase(
      template,
      { x: { list } },
      { watched: new Set([list]), onRead: (read) => (count += read === list) },
    );
    return count > 0;
  };
  for (const template of [
    '{% for y in x.list %}{{ y }}{% endfor %}',
    '{% set y = x.list %}{% macro m(z) %}{{ z[0] }}{% endmacro %}{{ m(y) }}',
    "{{ x.list | join('-') }}",
    '{{ x.list | map("upper") | list }}',
    '{{ x.list[1:] }}',
    '{{ x.list | first }}',
    '{{ x.list | tojson }}',
  ])
    assert.equal(readBy(template), true, template);
  for (const template of [
    '{{ x.list }}',
    "{{ 'a' in x.list }}",
    '{{ x.list is string }}',
    '{{ x.list | length }}',
  ])
    assert.equal(readBy(template), false, template);
});

/**
 * A clock that goes on by a millisecond whenever it is asked, which is every 2,000 steps: what ends a template is the
 * same on every machine.
 */
function withClockOfSteps(work) {
  let now = 0;
  const clock = mock.method(performance, 'now', () => now++);
  try {
    return work();
  } finally {
    clock.mock.restore();
  }
}

describe('stopped', () => {
  const doubling = (body) =>
    `{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ${body} %}{% endfor %}{{ ns.s }}`;
  const [time, memory, long, nested] = [
    'takes too long',
    'takes too much memory',
    'makes a text of',
    'nested',
  ];
  const hostile = {
    'a string that doubles': [doubling("ns.s | replace('a', 'aa')"), time],
    'a text that doubles': [doubling('ns.s ~ ns.s'), long],
    'lists of lists': [doubling('[ns.s, ns.s]'), time],
    'long texts, one after the other': [
      "{% for i in range(9) %}{% set x = 'a' * 30000000 %}{% endfor %}",
      memory,
    ],
    'a wide indentation': ["{{ 'a\nb' | indent(500000000) }}", long],
    'a wide format': ["{{ '%900000000d' % 1 }}", long],
    'loops in loops': [
      '{% set r = range(99999) %}{% for i in r %}{% for j in r %}{% set x = i * j %}{% endfor %}{% endfor %}',
      time,
    ],
    'a macro that calls itself': ['{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', nested],
    'a wide field': ["{{ '{:>900000000}'.format(1) }}", long],
    'a wide tab': ["{{ 'a\\tb'.expandtabs(900000000) }}", long],
    'a stream of a stream': [
      "{% set ns = namespace(s=[1]) %}{% for i in range(9999) %}{% set ns.s = ns.s | map('string') %}{% endfor %}{{ ns.s | list }}",
      nested,
    ],
    'a chosen one of a chosen one': [
      '{% set ns = namespace(s=[1]) %}{% for i in range(9999) %}{% set ns.s = ns.s | select %}{% endfor %}{% for x in ns.s %}{{ x }}{% endfor %}',
      nested,
    ],
    'a loop that asks for its length': [
      '{% for i in range(99999) %}{% for j in range(99999) | select %}{{ loop.length }}{% endfor %}{% endfor %}',
      time,
    ],
    'parentheses in parentheses': [`{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`, nested],
  };
  for (const [name, [template, why]] of Object.entries(hostile))
    test(name, () => {
      withClockOfSteps(() => assert.throws(() => render(template), { message: new RegExp(why) }));
    });

  test('streams of streams as deep as people write them', () => {
    assert.equal(render(`{{ [1]${" | map('string')".repeat(50)} | list }}`), "['1']");
  });

  test('200,000 spaces are no work', () => {
    const spaces = ' '.repeat(200_000);
    const rendered = withClockOfSteps(() => render(`${spaces}x${spaces}{{- 1 }}`, {}));
    assert.equal(rendered, `${spaces}x1`);
  });
});
