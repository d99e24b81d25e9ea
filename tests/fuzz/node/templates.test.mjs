// Chat templates from a grammar of Jinja, and real ones of which parts are left out, repeated or exchanged, over any conversation:
// rendering ends within the time that a template may take, in a text or in a typed error, and a second time in the same.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { renderMessages } from '../../../build/modules/tasks/chat_parts.js';
import { TransformerError } from '../../../build/modules/values/errors.js';
import { corpus, settings } from './settings.mjs';

const codes = new Set(['bad_checkpoint', 'invalid_argument', 'unsupported']);
/** Milliseconds: two seconds of the template's own, and as much for a busy machine. */
const longest = 4000;

const text = fc.oneof(
  fc.constantFrom(
    '',
    'Hello',
    ' a\n b ',
    '{{ 1 }}',
    '{% if %}',
    '</think>',
    '\r\n',
    '\ud800',
    '\u0000',
    '😀',
    "'",
    '\\',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const name = fc.constantFrom(
  ...[
    'messages',
    'message',
    'content',
    'role',
    'loop',
    'ns',
    'x',
    'm',
    'tools',
    'bos_token',
    'range',
    'namespace',
    'dict',
  ],
  ...[
    'cycler',
    'joiner',
    'strftime_now',
    'raise_exception',
    '__class__',
    'constructor',
    '__proto__',
    'add_generation_prompt',
  ],
);
const filter = fc.constantFrom(
  ...[
    'trim',
    'length',
    'tojson',
    'tojson(indent=4)',
    'upper',
    'title',
    'join',
    "join(', ')",
    "replace('a', 'aa')",
    'list',
  ],
  ...[
    'first',
    'last',
    'sort',
    'unique',
    'reverse',
    'indent(3)',
    'indent(900000000)',
    "map(attribute='role')",
    'int',
    'float',
  ],
  ...[
    "selectattr('role', 'equalto', 'user')",
    "rejectattr('content')",
    'items',
    'dictsort',
    'default(1)',
    'batch(2)',
    'safe',
  ],
  ...[
    'string',
    'abs',
    'sum',
    'min',
    'max',
    "groupby('role')",
    'wordcount',
    'truncate(3)',
    'center(1000000000)',
    'e',
    'nothing',
  ],
);
const method = fc.constantFrom(
  ...[
    'strip()',
    "split('a')",
    "lstrip('\\n')",
    'upper()',
    "replace('', 'ab')",
    "startswith('a')",
    'items()',
    "get('role')",
  ],
  ...[
    'keys()',
    'format(1)',
    "join(['a', 1])",
    'append(1)',
    'pop()',
    "count('')",
    "find('a')",
    'splitlines()',
    'title()',
    'none()',
  ],
);
const check = fc.constantFrom(
  ...[
    'defined',
    'none',
    'string',
    'mapping',
    'iterable',
    'odd',
    'divisibleby(0)',
    'in [1]',
    'not number',
    'sameas(x)',
    'a',
  ],
);
const operator = fc.constantFrom(
  ...['+', '-', '*', '/', '//', '%', '**', '~', '==', '<', '>=', 'and', 'or', 'in', 'not in'],
);
const literal = fc.oneof(
  fc.constantFrom(
    ...['0', '1', '-1', '2.5', '1e308', '99999999999999999999', 'true', 'none', "''", '[]', '{}', '()'],
  ),
  text.map((value) => JSON.stringify(value)),
);

const { expression, block } = fc.letrec((tie) => {
  const inner = tie('expression');
  const blocks = tie('block');
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      literal,
      name,
      fc.tuple(inner, operator, inner).map(([one, sign, other]) => `${one} ${sign} ${other}`),
      fc.tuple(inner, filter).map(([value, made]) => `(${value}) | ${made}`),
      fc.tuple(inner, method).map(([value, called]) => `(${value}).${called}`),
      fc.tuple(inner, check).map(([value, held]) => `(${value}) is ${held}`),
      fc.tuple(inner, inner).map(([value, index]) => `(${value})[${index}]`),
      fc.tuple(inner, inner, inner).map((places) => `messages[${places.join(':')}]`),
      fc.tuple(inner, name).map(([value, member]) => `(${value}).${member}`),
      fc.tuple(inner, inner, inner).map(([yes, when, no]) => `(${yes} if ${when} else ${no})`),
      fc.tuple(name, inner).map(([called, given]) => `${called}(${given})`),
      fc.tuple(inner, inner).map(([one, other]) => `[${one}, ${other}]`),
      fc.tuple(inner, inner).map(([key, value]) => `{${key}: ${value}}`),
    ),
    block: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      fc
        .tuple(fc.constantFrom('{{', '{{-'), inner, fc.constantFrom('}}', '-}}'))
        .map((parts) => parts.join(' ')),
      fc.tuple(name, inner).map(([target, value]) => `{% set ${target} = ${value} %}`),
      fc.tuple(name, inner).map(([target, value]) => `{% set ns.${target} = ${value} %}`),
      fc
        .tuple(inner, blocks, blocks)
        .map(([when, yes, no]) => `{% if ${when} %}${yes}{% else %}${no}{% endif %}`),
      fc
        .tuple(name, inner, blocks)
        .map(([each, list, body]) => `{%- for ${each} in ${list} %}${body}{% endfor -%}`),
      fc
        .tuple(fc.nat(100_000), blocks)
        .map(([count, body]) => `{% for i in range(${count}) %}${body}{% endfor %}`),
      fc
        .tuple(name, inner, blocks)
        .map(([called, given, body]) => `{% macro ${called}(x=${given}) %}${body}{% endmacro %}`),
      fc.tuple(filter, blocks).map(([made, body]) => `{% filter ${made} %}${body}{% endfilter %}`),
      fc.tuple(blocks, blocks).map(([one, other]) => one + other),
      fc.constantFrom(
        '{% break %}',
        '{% continue %}',
        '{# a #}',
        '{% generation %}',
        '{% endfor %}',
        '{%',
        '}}',
        '{{ m() }}',
      ),
    ),
  };
});

const stored = corpus('templates', '.jinja');
const pieces = stored.flatMap((template) => template.split(/(?=\{[{%#])|(?<=[}%#]\})/));
/** A real template in pieces, of which some are left out, repeated, or exchanged for others. */
const changed = fc
  .tuple(
    fc.constantFrom(...stored),
    fc.array(fc.tuple(fc.nat(200), fc.nat(3), fc.oneof(fc.constantFrom(...pieces), block)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([template, edits]) => {
    const parts = template.split(/(?=\{[{%#])|(?<=[}%#]\})/);
    for (const [at, gone, piece] of edits) parts.splice(at % (parts.length + 1), gone, piece);
    return parts.join('');
  });
/** One that repeats: what a step costs is paid for, however it is written. */
const repeated = fc
  .tuple(block, expression)
  .map(
    ([body, value]) =>
      `{% set ns = namespace(s='ab', x=[1]) %}{% for i in range(90) %}${body}{% set ns.s = ${value.replaceAll('ns', 'ns.s')} %}{% endfor %}{{ ns.s }}`,
  );

const content = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.array(fc.record({ type: fc.constantFrom('text', 'image'), text: fc.option(text) }), { maxLength: 3 }),
  fc.constantFrom(null, 7, true),
  fc.jsonValue({ maxDepth: 2 }),
);
const message = fc.record(
  {
    role: fc.constantFrom('system', 'user', 'assistant', 'tool', '', '__proto__'),
    content,
    tool_calls: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 2 }),
    name: text,
  },
  { requiredKeys: ['role', 'content'] },
);
const conversation = fc.array(message, { maxLength: 5 });
const tools = fc.option(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 2 }));

/** The text, or what is said instead of it. */
function outcome(template, messages, variables) {
  const begin = performance.now();
  try {
    const rendered = renderMessages(template, messages, variables);
    assert.equal(typeof rendered, 'string');
    return rendered;
  } catch (error) {
    assert.ok(error instanceof TransformerError && codes.has(error.code), String(error?.stack ?? error));
    return error.message;
  } finally {
    const took = performance.now() - begin;
    assert.ok(took < longest, `it took ${took} ms`);
  }
}

const isStopped = (said) => /takes too/.test(said);

const renders = (templates, runs) =>
  fc.assert(
    fc.property(templates, conversation, tools, fc.boolean(), (template, messages, given, prompted) => {
      const variables = {
        tools: given,
        add_generation_prompt: prompted,
        bos_token: '<s>',
        eos_token: '</s>',
      };
      const before = JSON.stringify(variables) + JSON.stringify(messages);
      const first = outcome(template, messages, variables);
      assert.equal(
        JSON.stringify(variables) + JSON.stringify(messages),
        before,
        'the conversation was changed',
      );
      const second = outcome(template, messages, variables);
      // The clock may stop one of them, on a busy machine.
      if (![first, second].some(isStopped)) assert.equal(second, first);
    }),
    settings(runs),
  );

describe('chat templates', () => {
  test('of the grammar', () => renders(block, 2000));
  test('real ones with other parts', () => renders(changed, 1000));
  test('that repeat', () => renders(repeated, 200));
  test('of any letters', () =>
    renders(fc.string({ unit: fc.constantFrom(...'{}%#-\'"()[]|.~ \n1ax:,='), maxLength: 40 }), 2000));
});
