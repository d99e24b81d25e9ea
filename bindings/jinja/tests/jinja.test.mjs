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

describe('stopped within three seconds', () => {
  const double =
    "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = BODY %}{% endfor %}{{ ns.s }}";
  const hostile = {
    'a string that doubles': double.replace('BODY', "ns.s | replace('a', 'aa')"),
    'a text that doubles': double.replace('BODY', 'ns.s ~ ns.s'),
    'lists of lists': double.replace('BODY', '[ns.s, ns.s]'),
    'a wide indentation': "{{ 'a\nb' | indent(500000000) }}",
    'a wide format': "{{ '%900000000d' % 1 }}",
    'loops in loops':
      '{% set r = range(99999) %}{% for i in r %}{% for j in r %}{% set x = i * j %}{% endfor %}{% endfor %}',
    'a macro that calls itself': '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    'a wide field': "{{ '{:>900000000}'.format(1) }}",
    'a wide tab': "{{ 'a\\tb'.expandtabs(900000000) }}",
    'a stream that reads itself':
      "{% set ns = namespace(s=[1]) %}{% for i in range(99999) %}{% set ns.s = ns.s | map('string') %}{% endfor %}{{ ns.s | list }}",
    'a loop that asks for its length':
      '{% for i in range(99999) %}{% for j in range(99999) | select %}{{ loop.length }}{% endfor %}{% endfor %}',
    'parentheses in parentheses': `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`,
  };
  for (const [name, template] of Object.entries(hostile))
    test(name, () => {
      const begin = performance.now();
      assert.throws(() => render(template), { message: /takes too|makes a text of|nested/ });
      assert.ok(performance.now() - begin < 3000);
    });

  test('200,000 spaces are no work', () => {
    const spaces = ' '.repeat(200_000);
    const begin = performance.now();
    assert.equal(render(`${spaces}x${spaces}{{- 1 }}`, {}), `${spaces}x1`);
    assert.ok(performance.now() - begin < 3000);
  });
});
