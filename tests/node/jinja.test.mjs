// Chat templates: results of Python's jinja2, and the bounds of what a template may take.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { renderChatTemplate } from '../../dist/pipeline.js';

const { variables, cases } = JSON.parse(
  readFileSync(new URL('../fixtures/jinja/cases.json', import.meta.url), 'utf8'),
);
const codes = ['bad_checkpoint', 'invalid_argument'];

describe('as rendered by jinja2 with the settings of transformers', () => {
  for (const { template, rendered } of cases)
    test(template, () => {
      const render = () => renderChatTemplate(template, variables);
      if (rendered !== undefined) assert.equal(render(), rendered);
      else assert.throws(render, (error) => error.name === 'TransformerError' && codes.includes(error.code));
    });
});

test('a template in the format of Windows has the results of the same one in that of Unix', () => {
  for (const { template, rendered } of cases)
    if (rendered !== undefined && !/['"][^'"\n]*\r/.test(template))
      assert.equal(renderChatTemplate(template.replace(/\r?\n/g, '\r\n'), variables), rendered);
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
    'parentheses in parentheses': `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`,
  };
  for (const [name, template] of Object.entries(hostile))
    test(name, () => {
      const begin = performance.now();
      const code = 'bad_checkpoint';
      const message = /takes too|makes a text of|nested/;
      assert.throws(() => renderChatTemplate(template, variables), {
        name: 'TransformerError',
        code,
        message,
      });
      assert.ok(performance.now() - begin < 3000);
    });

  test('200,000 spaces are no work', () => {
    const spaces = ' '.repeat(200_000);
    const begin = performance.now();
    assert.equal(renderChatTemplate(`${spaces}x${spaces}{{- 1 }}`, {}), `${spaces}x1`);
    assert.ok(performance.now() - begin < 3000);
  });
});
