"""Makes the files of `fixtures`: templates, and what Python's jinja2 makes of them under transformers' settings.

python3 bindings/jinja/tests/make_fixtures.py   (needs the module jinja2; Debian: python3-jinja2)
python3 bindings/jinja/tests/make_fixtures.py --random 5000 --seed 7   prints random templates with their results
"""

import argparse
import copy
import datetime
import json
import pathlib
import random
import re
import signal
import sys
import warnings

import jinja2
import jinja2.ext
import jinja2.sandbox

FOLDER = pathlib.Path(__file__).resolve().parent / "fixtures"

NOW = datetime.datetime(2024, 2, 9, 14, 5, 7, 123000)

VARIABLES = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "  Hello, <world> & 'you'\n"},
        {"role": "assistant", "content": "<think>\nwell\n</think>\n\n    indented\n        more\n"},
        {"role": "user", "content": "naïve 😀 \u4f60\u597d", "name": "Ann", "tags": ["b", "A", "c"]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"é": [1, 2.5, None, True], "x": {}}}}],
    "add_generation_prompt": True,
    "bos_token": "<s>",
    "text": "one two  three",
    "numbers": [3, 1, 2, 3],
    "empty": [],
    "nothing": None,
    "lines": "a\nb\n\n  c",
}

# One expression a line.
EXPRESSIONS = r"""
messages[2].content.split('</think>')[-1].lstrip('\n')
messages[2].content.split('</think>')[-1].lstrip('\n').rstrip()
messages[1].content | trim
messages[1].content.strip() + '|' + messages[1].content.rstrip('\n')
'a\
b'
'a\tb\x41\u00e9\\ \' \" \q'
"it's" 'joined'
numbers
[true, false, none, 1, 2.0, 1.5, 'a', "it's", 'both \' and "', 'line\n', '\x00é😀']
(1, 2)
(1,)
()
{'a': 1, 2: 'b', 'c': [none]}
{1: 'one', 2: 'two'}[1]
true
none
nothing
undefined_name
[undefined_name]
1 / 2
4 / 2
7 // 2
-7 // 2
-7 % 3
7.5 // 2
2 ** 10
2 ** -1
1e20
1e-5
1e15 * 10
100000.0
0.1 + 0.2
-3 | abs
2 + 3 * 4 - 1
-2 ** 2
'a' * 3
[1, 2] * 2
[1] + [2]
'a' ~ 1 ~ none ~ true ~ 1.0
1 < 2 < 3
1 < 2 > 3
1 == 1.0
1 == true
'a' < 'B'
'a' in 'cat'
'x' not in 'cat'
2 in numbers
'role' in messages[0]
not 1 == 2
1 if false else 2
1 if false
'x' if messages and not empty else 'y'
1 and 0 or 'z'
empty or 'fallback'
text[0] + text[-1]
text[1:5]
text[::-1]
text[-3:]
text[:-3:2]
numbers[1:]
numbers[::-1]
numbers[10:]
messages[3].content[6:8]
messages[3].content | length
messages[0].role
messages[0]['role']
messages[0].missing
messages[0].get('missing', 'd')
messages[0].get('missing')
messages[0].items() | list
messages[0].keys() | list
messages[3].tags.0
text.split()
text.split(' ')
text.split(' ', 1)
text.split(none, 1)
text.rsplit(' ', 1)
text.rsplit(none, 1)
'a,b,,c'.split(',')
'abc'.partition('b')
'abcbd'.rpartition('b')
lines.splitlines()
'a\r\nb\x0bc'.splitlines()
text.upper().lower().title().capitalize()
"they're bill's".title()
"they're bill's friends-here" | title
'x'.center(7, '*') ~ 'x'.ljust(4) ~ 'x'.rjust(4) ~ '-5'.zfill(4)
'xy'.center(7, '*')
'abcabc'.find('c') ~ 'abcabc'.rfind('c') ~ 'abc'.find('z') ~ 'abcabc'.count('bc') ~ 'abc'.index('b')
text.replace('o', '0')
text.replace('o', '0', 1)
text.replace('', '-')
text.startswith('one') and text.endswith(('x', 'three'))
'abc'.removeprefix('a').removesuffix('c')
'12'.isdigit() ~ 'a1'.isalnum() ~ 'ab'.isalpha() ~ ' '.isspace() ~ 'A1'.isupper() ~ 'a1'.islower() ~ ''.isdigit()
', '.join(messages[3].tags)
messages[3].tags | join(', ')
messages | map(attribute='role') | join(',')
messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list
messages | rejectattr('role', '==', 'user') | list | length
messages | selectattr('name') | list | length
messages | selectattr('name', 'defined') | map(attribute='name') | first
numbers | select('odd') | list
numbers | reject('greaterthan', 2) | list
numbers | map('string') | join('-')
numbers | sort
numbers | sort(reverse=true)
messages[3].tags | sort
messages[3].tags | sort(case_sensitive=true)
messages | sort(attribute='role') | map(attribute='role') | list
numbers | unique | list
numbers | sum
numbers | min ~ numbers | max
numbers | first ~ numbers | last
numbers | reverse | list
'abc' | reverse
numbers | batch(2) | list
numbers | batch(3, 0) | list
numbers | slice(2) | list
{'b': 1, 'a': 2} | dictsort
{'b': 1, 'a': 2} | items | list
messages | groupby('role') | list | length
numbers | length ~ messages[0] | count
undefined_name | default('d') ~ '' | default('e', true) ~ none | d('f')
none | default('x')
tools | tojson
tools | tojson(indent=2)
tools | tojson(indent=4, sort_keys=true)
tools | tojson(ensure_ascii=true)
{'a': 1} | tojson(separators=(',', ':'))
messages[1].content | tojson
[1.0, 1e20, 'x\x7f\u2028'] | tojson
{2: 2, none: 3, true: 4} | tojson
lines | indent
lines | indent(2, true)
lines | indent(2, first=true, blank=true)
lines | indent('> ')
text | truncate(8, true) ~ text | truncate(8, false, '!', 0)
text | wordcount
'<a href="x">' | e
'<a>' | safe
'a b/c?é' | urlencode
'%s is %d and %.2f%%' | format('x', 5, 1.234)
'%s-%s' % (1, 'b')
'%5d|%-5s|%05d|%x|%+d' % (42, 'ab', 7, 255, 3)
'%(a)s' % {'a': 1}
'3' | int + 1
'x' | int
'x' | int(7)
'3.9' | int
3.9 | int
'ff' | int(base=16)
'1.5' | float
2.5 | round
3.5 | round
2.345 | round(2)
2.1 | round(0, 'ceil')
3 is odd
4 is even
9 is divisibleby 3
9 is divisibleby(4)
1 is number and 1 is integer and 1.0 is float and true is boolean
'a' is string and messages is sequence and messages[0] is mapping and numbers is iterable
none is none
undefined_name is undefined
undefined_name is not defined
messages is defined and messages
1 is in numbers
1 is eq 1
'a' is lower and 'A' is upper
range is callable
true is true and false is false
'abc' is string
range(3) | list
range(5, 0, -2) | list
dict(a=1, b=2)
namespace(a=1).a
[1, 2, 3] | map('abs') | list
'  x ' | trim | upper | lower | capitalize
'xxhixx' | trim('x')
"a" if 1 is defined else "b"
1_000 + 0x10 + 0b11 + 0o7
messages[3]['tags'][1:] + ['z']
messages[0].content | replace('Be', 'Stay') | upper
not messages
(messages | length) - 1
-1 | abs
2 * 3 | string
numbers | select('in', [1, 2]) | list
messages[0] == {'content': 'Be brief.', 'role': 'system'}
[1, [2]] < [1, [3]]
empty | first
undefined_name.attribute
undefined_name + 'x'
undefined_name()
1 + 'a'
'a' + 1
'a' + none
'a' < 1
numbers.append(4)
messages[0].update({})
messages | nofilter
messages is notest
1 / 0
raise_exception('no ' ~ 'way')
range(1000000)
messages | map(attribute='content') | length
'a' | join('-')
none | length
nothing.x
'x'.nomethod()
[3, 'a'] | sort
'%d' % 'x'
int('3')
{} | tojson ~ [] | tojson(indent=2)
{1: 'a', true: 'b'}
{true: 'b', 1: 'a', 1.0: 'c', false: 0, 0: 5}
{1: 'a'}[true] ~ {1: 'a'}[1.0] ~ {1.0: 'a'}.get(true) ~ (true in {1: 2}) ~ (1 in {true: 1})
{1: 2} == {true: 2}, {1.0: 2} == {1: 2}, {1: 2} == {'1': 2}
{(1, 2): 3}[(true, 2.0)] ~ {(1, 2): 3}[('1', 2)]
{2.5: 1}[2.5] ~ {none: 1}[none] ~ {none: 1}[5] ~ {1: 'x'}['1']
{1: 'a', true: 'b'} | length
dict({1: 2}, a=3)
{[1]: 2}
{{}: 1}
[1] in {1: 2}
{1: 2}[[1]]
{'a': none}.get('a', 5) ~ {'a': none}.get('b', 5) ~ {'a': none}.get('b')
{1: {2: 3}}.copy()[1.0][2]
""".strip("\n").split("\n")

# A string literal goes over two lines.
EXPRESSIONS = "\0".join(EXPRESSIONS).replace("\\\0", "\\\n").split("\0")

TEMPLATES = [
    "{% for m in messages %}\n  {% if loop.first %}\nfirst\n  {% elif loop.last %}\nlast {{ loop.index }}\n  {% else %}\n{{ loop.index0 }} {{ loop.revindex }} {{ loop.length }} {{ loop.cycle('a', 'b') }}\n  {% endif %}\n{% endfor %}\nend\n",
    "{%- for m in messages -%}\n  {{- m.role -}}  \n {%- endfor +%}\n x {#- c -#} y {# d #}\nz",
    "a\r\nb {{ 'c\r\nd' }}\r\n{% if true %}\r\n  x\r\n{% endif %}\r\n",
    "a\n  {%+ if true %}\nb\n  {%+ endif +%}\nc\n\n",
    "{% set x = 1 %}{% for i in [1, 2] %}{% set x = i %}{{ x }}{% endfor %}{{ x }}",
    "{% set ns = namespace(found=false, n=0) %}{% for i in range(5) %}{% if i == 3 %}{% set ns.found = true %}{% break %}{% endif %}{% if i % 2 %}{% continue %}{% endif %}{% set ns.n = ns.n + i %}{{ i }}{% endfor %}{{ ns.found }}{{ ns.n }}",
    "{% for k, v in messages[0].items() %}{{ k }}={{ v }};{% endfor %}{% for k in messages[0] %}{{ k }}{% endfor %}",
    "{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}{% set a, b = 1, 2 %}{{ a + b }}",
    "{% for i in [] %}x{% else %}none{% endfor %}{% for i in undefined_name %}x{% else %}nothing{% endfor %}",
    "{% for i in numbers if i > 1 %}{{ loop.index }}/{{ loop.length }}:{{ i }}{{ ',' if not loop.last }}{% endfor %}",
    "{% for i in numbers %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem if loop.nextitem is defined }}{{ loop.changed(i) }} {% endfor %}",
    "{% macro m(a, b='x', c) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(a=3, c=4) }}{{ m(1, none) }}",
    "{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}body {{ bos_token }}{% endcall %}",
    "{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(5) }}",
    "{% macro m(xs) %}{% for x in xs %}({{ caller(x) }}){% endfor %}{% endmacro %}{% call(x) m([1, 2]) %}{{ x * 2 }}{% endcall %}",
    "{% set x %}a {{ bos_token }} b{% endset %}{{ x | upper }}{% set y | upper | replace('A', 'z') %}aba{% endset %}{{ y }}",
    "{% filter upper %}a{{ bos_token }}{% endfilter %}{% with a=1, b=2 %}{{ a + b }}{% endwith %}{{ a }}",
    "{% raw %}{{ x }} {% if %}{% endraw %}|\n  {%- raw -%}  y {% endraw %}\nz",
    "{% for item in [{'n': 1, 'c': [{'n': 2, 'c': []}]}] recursive %}{{ item.n }}{% if item.c %}({{ loop(item.c) }}){% endif %}{% endfor %}",
    "{% if 1, %}a{% endif %}{{ 1, 2 }}{% set t = 1, 2 %}{{ t }}{% for x in 1, 2 %}{{ x }}{% endfor %}",
    "{% set gen = messages | selectattr('role', 'equalto', 'nobody') %}{% if gen %}true{% endif %}{{ gen | list }}{% set g = numbers | map('abs') %}{{ g | list }}{{ g | list }}",
    "{{ {'a': {'b': 1}}.a.b }}{{ {'}}': '{{'} }}{{ '%}' }}{{ \"#}\" }}",
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner(';') %}{{ j() }}x{{ j() }}y",
    "{% for m in messages %}{% for t in m.tags %}{{ loop.index }}{{ t }}{% endfor %}{{ loop.index }}{% endfor %}",
    "{% if messages[0].role == 'system' and messages | length > 1 -%}\n    yes\n{%- else -%}\n    no\n{%- endif %}\n\n",
    "{% generation %}{{ bos_token }}{% endgeneration %}",
    "x {% if",
    "{{ 'a",
    "{% endfor %}",
    "{% for x in %}{% endfor %}",
    "{{ 1 + }}",
    "{% nothing %}",
    "{{ ) }}",
    "{# never closed",
    "{% if true %}a",
    "{% block a %}{% endblock %}{% include 'x' %}",
    "{%- for message in messages %}\n    {%- if message.role == 'assistant' %}\n        {%- set content = message.content %}\n        {%- if '</think>' in content %}\n            {%- set reasoning = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}\n            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}\n        {%- endif %}\n        {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}\n        {{- '<|im_end|>\\n' }}\n    {%- elif message.content is string %}\n        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n    {%- endif %}\n{%- endfor %}\n{%- for message in messages[::-1] %}\n    {%- set index = (messages|length - 1) - loop.index0 %}{{ index }}\n{%- endfor %}",
]


# Every filter, test, method and operator on every kind of value: one template for each pair.
VALUES = r"""
none
true
false
0
7
-3
2.5
-0.5
1e20
''
'abc'
'  Two words\n'
'12'
'-4.75'
'<b>&"'
'ÄßΣ é😀'
[]
[3, 1, 2, 3]
['b', 'A', 'c', 'a']
[none, 1, 'x']
[{'a': 1, 'b': {'c': 'x'}}, {'a': none}, {}]
(1, 2)
('a',)
()
{}
{'b': 1, 'a': none}
{2: 'x', 'k': [1]}
range(3)
missing
{'a': 1}.items()
{'a': 1}.keys()
messages[3].tags
""".strip("\n").split("\n")

RIGHT = ["none", "true", "0", "2", "1.5", "'abc'", "[1]", "[3, 1, 2, 3]", "(1, 2)", "{'b': 1, 'a': none}", "missing"]

# Lines of what follows a value; what prints an address, or is random, is left out.
FILTERS = r"""
abs
attr('upper')
batch(2) | list
batch(2, 'x') | list
batch(0) | list
capitalize
center(9)
count
default('d')
default(none)
default('d', true)
d
dictsort
dictsort(true)
dictsort(by='value')
dictsort(reverse=true)
e
filesizeformat
filesizeformat(true)
first
float
float(1.5)
float(default=none)
forceescape
format(1)
format(a=1)
groupby(0) | list
groupby('a') | list
groupby('a', default=0) | list
indent
indent(2, true)
indent('> ', blank=true)
int
int(9)
int(base=8)
int(default=none)
items | list
join
join('-')
join('-', attribute='a')
join('-', attribute=none)
last
length
list
lower
map('string') | list
map('int', 5) | list
map('int', default=5) | list
map('nothing') | list
map(attribute='a') | list
map(attribute='a', default='d') | list
map(attribute='b.c') | list
map(attribute=0) | list
map() | list
max
max(attribute='a')
max(case_sensitive=true)
min
min(attribute='a')
min(true)
reject('none') | list
reject('odd') | list
reject | list
rejectattr('a') | list
rejectattr('a', 'none') | list
replace('a', 'x')
replace('b', 'xx', 1)
replace('', '-')
reverse | list
round
round(1)
round(1, 'floor')
round(-1)
round(0, 'ceil')
safe
select('string') | list
select('equalto', 1) | list
select | list
select('nothing') | list
selectattr('a') | list
selectattr('a', 'defined') | list
selectattr('b.c') | list
slice(2) | list
slice(3, 'x') | list
sort
sort(true)
sort(attribute='a')
sort(attribute='a,b')
sort(case_sensitive=true)
string
striptags
sum
sum(attribute='a')
sum(start=10)
sum(start=[])
title
tojson
tojson(indent=2)
tojson(indent=0)
tojson(sort_keys=true)
tojson(ensure_ascii=true)
tojson(separators=('; ', ' = '))
trim
trim('a')
trim(none)
truncate(5)
truncate(4, true, '~', 0)
unique | list
unique(true) | list
unique(attribute='a') | list
upper
urlencode
wordcount
wordwrap(4)
wordwrap(3, false)
wordwrap(2, wrapstring='|')
nothing
""".strip("\n").split("\n")

TESTS = r"""
boolean
callable
defined
divisibleby 3
divisibleby(0)
eq 7
equalto('abc')
even
escaped
false
filter
float
ge 2
gt 2
greaterthan(1)
in [7, 'abc', none]
in 'xabcx'
in {}
integer
iterable
le 7
lt 'b'
lessthan 2.5
lower
mapping
ne none
none
number
odd
sameas none
sameas true
sequence
string
test
true
undefined
upper
not none
== 7
!= 'abc'
nothing
""".strip("\n").split("\n")

SUFFIXES = r"""
[0]
[-1]
[9]
['a']
['upper']
[none]
[1.0]
[true]
[1:]
[:-1]
[::-1]
[5:1:-2]
[none:none]
['x':]
[::0]
.a
.b.c
.0
.missing
.missing.more
.items() | list
.items()
.keys()
.keys() | list
.values()
.values() | list
.get('a')
.get('a', 5)
.get('zz', 5)
.get(none)
.get()
.copy()
.count('a')
.count(3)
.count('a', 1)
.index('b')
.index(3)
.index(1, 2)
.append(1)
.pop()
.update({})
.fromkeys([1, 2], 0)
.upper()
.lower()
.title()
.capitalize()
.swapcase()
.casefold()
.strip()
.strip(' b')
.strip(none)
.lstrip()
.lstrip('a')
.rstrip()
.rstrip('\n')
.split()
.split('b')
.split(none, 1)
.split(' ', maxsplit=1)
.split(sep='a')
.split('')
.rsplit('b', 1)
.rsplit(maxsplit=1)
.splitlines()
.splitlines(true)
.partition('b')
.rpartition('b')
.partition('zz')
.rpartition('zz')
.startswith('a')
.startswith(('x', 'a'))
.startswith('b', 1)
.startswith('b', 1, 2)
.startswith(['a'])
.endswith('c')
.endswith('b', 0, 2)
.endswith(('x', 'c'))
.removeprefix('a')
.removesuffix('c')
.replace('a', 'x')
.replace('a', 'x', 1)
.replace('', '-', 2)
.replace('a')
.join(['x', 'y'])
.join('xy')
.join([1])
.join({'k': 1})
.find('b')
.find('b', 2)
.find('')
.rfind('b', 0, 2)
.rindex('b')
.index('zz')
.center(8)
.center(8, '*')
.ljust(8, '.')
.rjust(8, '.')
.ljust(8, 'ab')
.zfill(8)
.expandtabs(4)
.isalnum()
.isalpha()
.isascii()
.isdecimal()
.isdigit()
.isidentifier()
.islower()
.isnumeric()
.isprintable()
.isspace()
.istitle()
.isupper()
.format(1, a=2)
.format_map({})
.is_integer()
.bit_length()
.real
.__class__
.__len__()
._hidden
()
""".strip("\n").split("\n")

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]

FORMATS = r"""
'{}'.format(x)
'{0} {0!r} {0!s}'.format('é')
'{!a}'.format('é\n')
'{:>6}|{:<6}|{:^6}|{:*^7}'.format('a', 'b', 'c', 'd')
'{:6}|{:6}|{:06}|{:+}|{: }'.format('a', 1, 2, 3, 4)
'{:x} {:X} {:o} {:b} {:#x} {:#b} {:c} {:d} {:n}'.format(255, 255, 8, 5, 255, 5, 65, 7, 8)
'{:,} {:_} {:,.2f} {:_x}'.format(1234567, 1234567, 1234567.891, 1234567)
'{:.2f} {:.0f} {:e} {:.3e} {:g} {:G} {:%} {:.1%}'.format(3.14159, 2.5, 12345.678, 12345.678, 0.00001, 1e20, 0.5, 0.256)
'{:g} {:g} {:.3g} {:#.3g} {:g}'.format(100000, 1000000, 1234.5, 1.0, 1.50)
'{:.3} {:.1f} {:10.2f} {:<10.2f}|{:=+8}'.format('abcdef', 0.25, 1.005, 2.675, 5)
'{:} {:.2} {:.10}'.format(1.0, 1234.5, 0.1)
'{a} {b[0]} {b[k]} {c.k}'.format(a=1, b={'k': 2}, c={'k': 3})
'{b[k]} {b[0]}'.format(b={'k': 2, 0: 3})
'{0[1]} {0[x]}'.format({'x': 1, 1: 2})
'{0[1]}'.format([1, 2])
'{0.upper}'.format('a') | length > 0
'{0.__class__}'.format('a')
'{0.nothing}'.format('a')
'{:{}}|{:{w}.{p}f}'.format('a', 4, 3.14159, w=8, p=2)
'{{}} {{{}}}'.format(1)
'{'.format(1)
'}'.format(1)
'{} {0}'.format(1)
'{0} {}'.format(1)
'{}'.format()
'{a}'.format(1)
'{:d}'.format(1.5)
'{:d}'.format('a')
'{:s}'.format(1)
'{:z}'.format(1)
'{:5}'.format(none)
'{} {} {}'.format(none, true, [1, 'a'])
'{:5}|{:d}'.format(true, true)
'{:>5}'.format([1])
'{!x}'.format(1)
'{x} {y}'.format_map({'x': 1, 'y': 2})
'{:<5}{:>5}'.format('😀', '😀')
'{:f} {:F} {:e}'.format(1e20, 1e-7, 0)
'{:.3f}'.format(1)
'{:010.3f}|{:-8d}|{:^+9.1f}'.format(-3.14159, -5, 2.25)
'{:09,}|{:010,}|{:011,}|{:08_x}|{:012,.1f}|{:0,}|{:,}'.format(1234, 1234, 1234, 255, 1234.5, 1, 123)
'%s' % none
'%s %r %a' % ('é', 'é', 'é')
'%d %i %u' % (1, 2.9, true)
'%5s|%-5s|%.2s|%5.1s|' % ('a', 'b', 'cde', 'fgh')
'%o %x %X %#x %#o %c %c' % (8, 255, 255, 255, 8, 'a', 66)
'%e %E %.2e %g %G %.3g' % (12345.678, 0.00012, 5, 1e-5, 1e20, 1234.5)
'%f %.0f %.1f %05.1f %+.2f % d' % (1.5, 2.5, 0.25, -1.25, 3, 4)
'%*d|%-*d|%.*f' % (5, 1, 5, 2, 2, 3.14159)
'%(a)s %(b)d' % {'a': 1, 'b': 2}
'%(a)s' % {'b': 1}
'%s' % {'a': 1}
'%s' % [1, 2]
'%s %s' % [1, 2]
'%s' % (1, 2)
'%s %s' % (1,)
'%d' % '1'
'%q' % 1
'%' % 1
'%%' % ()
'%s%%' % 5
'a' % ()
'a' % {}
'a' % 1
'%s' % missing
'%d' % missing
'%5%|' % ()
'%s' | format('a', 'b')
'%s-%s' | format('a', 'b')
'%(k)s' | format(k=1)
'%s' | format(missing)
""".strip("\n").split("\n")

STATEMENTS = [
    "{% set ns = namespace(a=none) %}{{ ns.a is none }}{{ ns.b is defined }}{{ ns }}",
    "{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns['a'] }}",
    "{% set ns = namespace([('a', 1)]) %}{{ ns.a }}{% set ns.c %}x{{ ns.a }}{% endset %}{{ ns.c }}",
    "{% set ns = namespace() %}{% set ns.a, x = 1, 2 %}{{ ns.a }}{{ x }}",
    "{% set ns = {} %}{% set ns.a = 1 %}",
    "{% set x.a = 1 %}",
    "{% set true = 1 %}",
    "{% for loop in [1] %}{% endfor %}",
    "{% for x in [none, 1] %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{{ loop.nextitem }}{% endfor %}",
    "{{ [none] | first }}{{ [none] | last }}{{ [none, none] | first is none }}",
    "{% for a, b in ['xy', 'zw'] %}{{ a }}{{ b }}{% endfor %}{% for k, v in [{'p': 1, 'q': 2}] %}{{ k }}{{ v }}{% endfor %}",
    "{% set a, b = 'xy' %}{{ a }}{{ b }}{% set c, d = {'k': 1, 'l': 2}.items() %}{{ c }}{{ d }}",
    "{% set a, b = 1 %}",
    "{% set a, b = [1] %}",
    "{% set (a, b), c = [[1, 2], 3] %}{{ a }}{{ b }}{{ c }}",
    "{% for x in 'héy😀' %}{{ x }}-{% endfor %}",
    "{% for x in {'a': 1} %}{{ x }}{% endfor %}{% for x in 5 %}{% endfor %}",
    "{% for x in none %}{% endfor %}",
    "{% for x in missing %}a{% else %}b{% endfor %}",
    "{% for x in [1, 2, 3] %}{{ loop }}{% endfor %}",
    "{% for x in [1, 2] %}{% for y in [1, 2] %}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}{{ loop.depth }}{% endfor %}",
    "{% for x in [[1, [2]], [3]] recursive %}{{ loop.depth }}{{ loop.depth0 }}{{ loop.index }}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}{% endif %}{% endfor %}",
    "{% for x in [[[]]] recursive %}{{ loop.depth }}<{{ loop(x) }}>{% else %}none{% endfor %}",
    "{% for x in [1, 2, 3] if x != 2 %}{{ loop.index }}{{ x }}{{ loop.last }}{% else %}e{% endfor %}",
    "{% for x in [1, 2, 3] if x > 5 %}{{ x }}{% else %}e{% endfor %}",
    "{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{{ loop.changed() }}{% endfor %}",
    "{% for x in [1, 2, 3] %}{{ loop.cycle('a', 'b') }}{{ loop.cycle('x') }}{% endfor %}",
    "{% for x in [1] %}{{ loop.cycle() }}{% endfor %}",
    "{% for x in [1, 2, 3] | map('string') %}{{ loop.length }}{{ loop.revindex }}{{ loop.last }}{{ x }}{% endfor %}",
    "{% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% else %}e{% endfor %}",
    "{% for x in [1, 2, 3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% else %}e{% endfor %}",
    "{% for x in [1] %}{% break %}{% else %}e{% endfor %}",
    "{% break %}",
    "{% for x in [] %}{% else %}{{ loop is defined }}{% endfor %}",
    "{% for x in [1, 2] %}{% set y = x %}{% endfor %}{{ y is defined }}{{ x is defined }}",
    "{% set y = 0 %}{% for x in [1, 2] %}{{ y }}{% set y = y + x %}{{ y }};{% endfor %}{{ y }}",
    "{% if true %}{% set y = 1 %}{% endif %}{{ y }}{% if false %}{% set text = 1 %}{% endif %}{{ text }}",
    "{% with %}{% set y = 1 %}{{ y }}{% endwith %}{{ y is defined }}",
    "{% with a=1, b=a %}{{ a }}{{ b }}{% endwith %}",
    "{% set a = 5 %}{% with a=1, b=a %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% with a, b = 1, 2 %}{{ a }}{% endwith %}",
    "{% filter upper %}{% set y = 'a' %}{{ y }}{% endfilter %}{{ y is defined }}",
    "{% filter replace('a', 'b') | upper %}abc{% endfilter %}",
    "{% set x %}{% set y = 1 %}{{ y }}{% endset %}{{ x }}{{ y is defined }}{{ x is string }}",
    "{% set x | trim | length %}  abc {% endset %}{{ x + 1 }}",
    "{% generation %}{% set y = 1 %}{{ y }}{% endgeneration %}{{ y is defined }}",
    "{% for m in messages %}{% generation %}{{ loop.index }}{{ m.role }}{% endgeneration %}{% endfor %}",
    "{%- generation -%}  x  {%- endgeneration -%}  y",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, a=3) }}{{ m() }}",
    "{% macro m(a) %}{{ a }}{{ varargs | join }}{% endmacro %}{{ m(1, 2, 3) }}{{ m(a=1) }}",
    "{% macro m(a) %}{{ a }}{{ kwargs.b }}{% endmacro %}{{ m(1, b=2) }}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}",
    "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, none) }}{{ m() }}",
    "{% macro m(a=1, b) %}{% endmacro %}",
    "{% macro m(a, a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(none) }}{{ m(missing) }}",
    "{% macro m(a='x') %}{{ a }}{% endmacro %}{{ m(missing) }}|{{ m() }}",
    "{% macro m() %}{% endmacro %}{{ m }}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}",
    "{% macro m(a, b=1) %}{{ kwargs }}{{ caller }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}",
    "{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}{% endcall %}",
    "{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}",
    "{% macro m(caller) %}{{ caller() }}{% endmacro %}{% call m() %}y{% endcall %}",
    "{% macro m(caller=none) %}{{ caller() if caller else 'no' }}{% endmacro %}{% call m() %}y{% endcall %}{{ m() }}",
    "{% macro m() %}{{ caller(1, b=2) }}{% endmacro %}{% call(a, b=3, c=4) m() %}{{ a }}{{ b }}{{ c }}{% endcall %}",
    "{% macro m() %}{{ caller(1) }}{% endmacro %}{% call m() %}y{% endcall %}",
    "{% macro m(n) %}[{{ n }}{{ caller() }}]{% endmacro %}{% call m(1) %}{% call m(2) %}x{% endcall %}{% endcall %}",
    "{% macro m() %}{% set y = 1 %}{{ y }}{% endmacro %}{{ m() }}{{ y is defined }}",
    "{% macro m() %}{{ z }}{% endmacro %}{{ m() }}{% set z = 5 %}{{ m() }}",
    "{% for x in [1] %}{% macro m() %}{{ x }}{{ loop is defined }}{% endmacro %}{{ m() }}{% endfor %}{{ m is defined }}",
    "{% macro m() %}{{ x is defined }}{% endmacro %}{% for x in [1] %}{{ m() }}{% endfor %}",
    "{% macro m() %}{% for x in [1, 2] %}{% if x == 2 %}{{ m2(x) }}{% endif %}{% endfor %}{% endmacro %}{% macro m2(a) %}<{{ a }}>{% endmacro %}{{ m() }}",
    "{% macro m() %}  x  {% endmacro %}{{ m() | trim }}|{{ m() ~ 'y' }}|{{ m() | length }}|{{ m() + 'z' }}|{{ m() is string }}",
    "{% macro m(x) %}{% if x %}{{ x }}{{ m(x[1:]) }}{% endif %}{% endmacro %}{{ m('abc') }}",
    "{{ dict([('a', 1), ['b', 2]]) }}{{ dict({'a': 1}, b=2) }}{{ dict() }}{{ dict(['xy']) }}",
    "{{ dict([1]) }}",
    "{{ dict(['xyz']) }}",
    "{{ dict(none) }}",
    "{{ range(3) }}{{ range(1, 7, 2) }}{{ range(3)[1] }}{{ range(5)[1:3] }}{{ range(3) == range(3) }}{{ range(3) | length }}{{ 2 in range(3) }}",
    "{{ range(0) | list }}{{ range(-3) | list }}{{ range(3, 0) | list }}{{ range(3) | last }}{{ range(3) | sum }}",
    "{{ range() }}",
    "{{ range(1.5) }}",
    "{{ range(1, 2, 0) }}",
    "{{ range(3) + [1] }}",
    "{{ range(100001) | length }}",
    "{% set c = cycler('a', 'b', 'c') %}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.next() }}",
    "{{ cycler() }}",
    "{% set j = joiner() %}{{ j() }}{{ j() }}{{ j() }}{% set k = joiner('|') %}{{ k() }}{{ k() }}",
    "{% set g = messages | groupby('role') %}{% for x in g %}{{ x.grouper }}{{ x.list | length }}{{ x[0] }}{% endfor %}{% for k, v in g %}{{ k }}{{ v | length }}{% endfor %}",
    "{% set g = [1, 2, 3] | select %}{{ g | first }}{{ g | first }}{{ g | list }}{{ g | list }}",
    "{% set g = [1, 2, 3] | map('string') %}{{ '2' in g }}{{ g | list }}",
    "{% set g = [1, 2, 3] | map('string') %}{% for x in g %}{{ x }}{% break %}{% endfor %}{{ g | list }}",
    "{{ [1, 2] | select | length }}",
    "{{ ([1] | select)[0] }}",
    "{{ [3, 1] | select | sort }}{{ [3, 1] | select | join('-') }}{{ [3, 1] | select | last }}",
    "{{ [3, 1] | select | tojson }}",
    "{{ [1, 2, 3] | reverse | first }}{{ 'abc' | reverse }}{{ {'a': 1, 'b': 2} | reverse | list }}{{ (1, 2) | reverse | list }}",
    "{{ none | selectattr('a') | list }}{{ none | map('upper') | list }}{{ none | select | list }}{{ none | reject | list }}{{ none | rejectattr('a') | list }}{{ 0 | map() | list }}",
    "{{ none | list }}",
    "{{ none | join }}",
    "{{ none | sort }}",
    "{{ [1, 2] | map('pow', 2) | list }}",
    "{{ [[1, 2], [3]] | map('first') | list }}{{ [[1, 2], [3]] | map('join', '+') | list }}{{ ['a'] | map('replace', 'a', 'b') | list }}",
    "{{ [1, 2] | map('default', x=1) | list }}",
    "{{ [1, 2] | map(attribute='a', other=1) | list }}",
    "{{ 'abc' | map('upper') | join('-') }}{{ {'a': 1} | map('upper') | list }}",
    "{{ [{'a': 1}, {'a': 2}] | selectattr('a', 'gt', 1) | list }}{{ [{'a': 1}, {'a': 2}] | selectattr('a', '>', 1) | list }}",
    "{{ [{'a': {'b': 1}}, {'a': {}}] | selectattr('a.b', 'defined') | list }}{{ [{'a': [5]}] | map(attribute='a.0') | list }}",
    "{{ [1] | selectattr() | list }}",
    "{{ raise_exception('a' ~ 1) }}",
    "{{ raise_exception() }}",
    "{{ strftime_now('%Y-%m-%d %H:%M:%S %d %b %Y %B %A %a %j %y %I %p %% %e %F %T %D %R %U %W %w %u %V %G %C %h %n%t| %k %l %c| %x| %X| %f %Z|%z|%-d %-m %q') }}",
    "{{ 'a' if false }}|{{ ('a' if false) is defined }}|{{ ('a' if false) | default('x') }}",
    "{{ missing is defined }}{{ missing | length }}{{ missing | list }}{{ missing | default('x') }}{{ missing == missing }}{{ missing == none }}{{ not missing }}{{ missing ~ 'a' }}{{ missing in [1] }}{{ 1 in missing }}{{ missing | join }}{{ missing | first is defined }}",
    "{{ missing | int }}",
    "{{ missing | float }}",
    "{{ missing.a }}",
    "{{ missing['a'] }}",
    "{{ missing() }}",
    "{{ missing + 1 }}",
    "{{ -missing }}",
    "{{ missing < 1 }}",
    "{{ missing | tojson }}",
    "{{ [missing] }}{{ {'a': missing} }}{{ [missing] | join('-') }}",
    "{{ missing | upper }}{{ missing | trim }}{{ missing | string | length }}{{ missing | e }}{{ missing | replace('a', 'b') }}",
    "{{ none ~ 1 }}{{ none | string }}{{ none | upper }}{{ none | trim }}{{ none | length }}",
    "{{ none + 'a' }}",
    "{{ none == false }}{{ none == 0 }}{{ none == none }}{{ none != 1 }}{{ none in [none] }}{{ none and 1 }}{{ none or 1 }}",
    "{{ none < 1 }}",
    "{{ none.a }}|{{ none['a'] }}|{{ none[0] }}|{{ none.a is defined }}",
    "{{ None is none }}{{ True }}{{ False }}{{ None }}{{ true and false }}",
    "{{ true + true }}{{ true * 3 }}{{ -true }}{{ true == 1 }}{{ true in [1] }}{{ 'x' * true }}{{ true | int }}{{ true | float }}{{ true | string }}",
    "{{ 7 / 2 }}{{ 7 // 2 }}{{ -7 // 2 }}{{ 7 % -3 }}{{ -7.5 % 2 }}{{ 5.5 % 0.1 }}{{ 7.5 // 0.1 }}{{ 2 ** 3 ** 2 }}{{ 2 ** -2 }}{{ 2 ** 0.5 }}{{ 4 ** 0.5 }}",
    "{{ 0 ** -1 }}",
    "{{ 10.0 ** 400 }}",
    "{{ 1e308 * 10 }}{{ -1e308 * 10 }}{{ 1e308 * 10 == 1e309 }}{{ (1e308 * 10) | int }}",
    "{{ 0.1 + 0.2 }}{{ 1e16 }}{{ 1e15 }}{{ 123456789012345680.0 }}{{ 1e-4 }}{{ 1e-5 }}{{ 1.0 }}{{ -0.0 }}{{ 1.50 }}{{ 1e2 }}{{ 1_0.5_0 }}{{ 1E5 }}",
    "{{ 1.5 | round }}{{ 2.5 | round }}{{ 0.125 | round(2) }}{{ 2.675 | round(2) }}{{ 1.005 | round(2) }}{{ 42 | round }}{{ 1234 | round(-2) }}{{ 1250.0 | round(-2) }}{{ 42.4 | round(method='ceil') }}{{ 1e20 | round(1) }}{{ -2.5 | round }}{{ true | round }}",
    "{{ 2.5 | round(1, 'nothing') }}",
    "{{ '0x1f' | int(base=16) }}{{ '0x1f' | int }}{{ '0b11' | int(0, 2) }}{{ '1e3' | int }}{{ ' 12 ' | int }}{{ '1_000' | int }}{{ '1__0' | int }}{{ '12a' | int }}{{ '-5' | int }}{{ '+5' | int }}{{ 'inf' | int }}{{ 'z' | int(base=36) }}{{ '9' | int(7, 8) }}{{ '' | int }}{{ '٣' | int }}{{ '0o7' | int(base=8) }}{{ '12' | int(base=0) }}{{ [] | int }}{{ none | int }}",
    "{{ '1.5' | float }}{{ ' 1.5 ' | float }}{{ '1e3' | float }}{{ '0x1' | float }}{{ 'inf' | float }}{{ '-Infinity' | float }}{{ 'nan' | float }}{{ '1_0.5' | float }}{{ '.5' | float }}{{ '5.' | float }}{{ '' | float }}{{ 'a' | float(2) }}{{ none | float }}",
    "{{ 'a\\tb' }}{{ '\\x41\\u00e9\\U0001F600\\101\\q' }}{{ \"it's\" }}{{ 'say \"x\"' }}{{ '\\\\n' }}",
    "{{ '\\x4' }}",
    "{{ '\\u12' }}",
    "{{ ['\\\\', '\\n', '\\x00', '\\x7f', '\\xa0', '\\u200b', 'é', '\\ud7ff', '\\'', '\"', '\\'\"', '😀', '\\u0378'] }}",
    "{{ 1 if true else 2 if false else 3 }}{{ (1 if false else 2) if true else 3 }}",
    "{{ 1 is odd and 2 is even or false }}{{ not 1 is even }}{{ 1 is not even }}{{ 3 is divisibleby 3 and true }}{{ 2 in [1, 2] and 3 not in [1] }}{{ not 2 in [1] }}",
    "{{ 1 < 2 == true }}{{ 1 < 2 < 3 > 2 != 5 }}{{ 'a' in 'abc' in ['abc'] }}{{ (1 < 2) == true }}",
    "{{ 1 + 2 * 3 ~ 4 - 5 }}{{ 1 ~ 2 + 3 }}{{ 2 * 3 ~ 4 }}{{ -1 | abs }}{{ (-1) | abs }}{{ -1 ** 2 }}{{ 2 + 3 | string + '4' }}",
    "{{ 2 + 3 | string }}",
    "{{ 'a' 'b' ~ 'c' }}{{ 'a' + 'b' * 2 }}{{ ('a', 'b') + ('c',) }}{{ [1] + [2] * 2 }}{{ (1,) * 2 }}",
    "{{ (1, 2) + [3] }}",
    "{{ {'a': 1} + {'b': 2} }}",
    "{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }}{{ [1, 2] == (1, 2) }}{{ [1, 2.0] == [1.0, 2] }}{{ 'a' == ['a'] }}{{ [1, 2] < [1, 3] }}{{ (1, 'a') < (1, 'b') }}{{ 'a' < 'b' }}{{ 'Z' < 'a' }}{{ '😀' > '\\uffff' }}",
    "{{ [1] < (1,) }}",
    "{{ {} < {} }}",
    "{{ {'b': 1, 'a': 2}.keys() | sort }}{{ 'a' in {'a': 1}.keys() }}{{ ('a', 1) in {'a': 1}.items() }}{{ 1 in {'a': 1}.values() }}{{ {'a': 1}.keys() == {'a': 2}.keys() }}{{ {'a': 1}.items() | length }}{{ {'a': 1}.items() is sequence }}{{ {'a': 1}.items() is iterable }}",
    "{{ {'a': 1}.items()[0] is defined }}",
    "{{ {'a': 1}.items() | tojson }}",
    "{{ {'items': 5}.items }}{{ {'items': 5}['items'] }}",
    "{{ {'a': {'b': [1, {'c': 2}]}}.a.b[1].c }}{{ {'a-b': 1}['a-b'] }}{{ [[1, 2], [3, 4]][1][0] }}{{ 'abc'[1] }}{{ 'abc'[-1] }}{{ 'abc'[5] }}{{ (1, 2)[1] }}",
    "{{ {'a': 1} | tojson }}{{ [1.0, 1.5, 1e20, 1e-7] | tojson }}{{ {'b': [], 'a': {}} | tojson(indent=2, sort_keys=true) }}{{ 'é😀\\u2028</script>' | tojson }}{{ 'é😀' | tojson(true) }}{{ (1, 2) | tojson }}{{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}{{ '\\x7f\\x1f\\t' | tojson }}",
    "{{ {'é': 1, 'z': 2, 'a': 3, '😀': 4, '\\uffff': 5} | tojson(sort_keys=true) }}{{ {10: 1, 9: 2} | tojson(sort_keys=true) }}{{ {'a': [1, {'b': 2}]} | tojson(indent='--') }}{{ [[], {}] | tojson(indent=1) }}{{ [1, 2] | tojson(indent=1, separators=(',', ':')) }}",
    "{{ {1: 1, 'a': 2} | tojson(sort_keys=true) }}",
    "{{ {(1, 2): 3} | tojson }}",
    "{{ range | tojson }}",
    "{{ 'a b' | urlencode }}{{ {'a': 'b c', 'd': '/&é'} | urlencode }}{{ [('a', 1), ('b', '~')] | urlencode }}{{ \"~a/b!*'()\" | urlencode }}{{ 5 | urlencode }}",
    "{{ 0 | filesizeformat }}|{{ 1 | filesizeformat }}|{{ 999 | filesizeformat }}|{{ 1000 | filesizeformat }}|{{ 1234567 | filesizeformat }}|{{ 1234567 | filesizeformat(true) }}|{{ 1e15 | filesizeformat }}|{{ '5000' | filesizeformat }}|{{ 1.5 | filesizeformat }}|{{ -5000 | filesizeformat }}",
    "{{ 'the quick brown fox' | wordwrap(10) }}|{{ 'abcdefghij klm' | wordwrap(4) }}|{{ 'abcdefghij klm' | wordwrap(4, false) }}|{{ 'a\\n\\nb c' | wordwrap(3) }}|{{ 'well-known facts-of-life' | wordwrap(7) }}|{{ 'well-known' | wordwrap(6, break_on_hyphens=false) }}|{{ 'a  b   c' | wordwrap(4) }}",
    "{{ '<p>a  <b>b</b></p>\\n<!-- c -->d &amp; e &lt;' | striptags }}|{{ 'a < b > c' | striptags }}",
    "{{ 'foo bar baz qux' | truncate(9) }}|{{ 'foo bar baz qux' | truncate(9, true) }}|{{ 'foo bar baz qux' | truncate(11) }}|{{ 'foo bar baz qux' | truncate(11, false, '...', 0) }}|{{ 'foobarbazqux' | truncate(5, end='') }}",
    "{{ 'foo bar' | truncate(2, leeway=0) }}",
    "{{ 'a\\r\\nb\\x0bc\\x85d' | indent }}|{{ 'a\\n' | indent(2, blank=true) }}|{{ '' | indent(2, true) }}|{{ 'a\\n\\nb\\n' | indent(2) }}|{{ 'a\\nb' | indent('\\t', true) }}",
    "{{ 'hello world' | title }}{{ \"o'neil-smith (foo) [bar] {baz} <qux>\" | title }}{{ 'ǆabc ßeta' | title }}{{ 'a1b 1st' | title }}{{ 'x' | capitalize }}{{ 'ABC dEF' | capitalize }}",
    "{{ \"it's 1st a中b\".title() }}{{ 'ßa'.upper() }}{{ 'ΑΣ ΑΣΑ'.lower() }}{{ 'ß'.casefold() }}{{ 'Σς'.casefold() }}{{ 'aBc ß'.swapcase() }}{{ 'éA'.capitalize() }}",
    "{{ '①²٣一Ⅷ½'.isnumeric() }}{{ '①²٣'.isdigit() }}{{ '٣'.isdecimal() }}{{ '²'.isdecimal() }}{{ '½'.isdigit() }}{{ 'a中'.isalpha() }}{{ 'á'.isalpha() }}{{ 'ªA'.isupper() }}{{ 'aª'.islower() }}{{ 'Ⅷ'.isupper() }}{{ 'ǅ'.istitle() }}{{ 'Aa Bb 1'.istitle() }}{{ 'AA'.istitle() }}{{ 'a_1'.isidentifier() }}{{ '1a'.isidentifier() }}{{ 'a\\n'.isprintable() }}{{ ''.isprintable() }}",
    "{{ 'a\\tb\\n\\tc'.expandtabs() }}|{{ 'a\\tb'.expandtabs(4) }}|{{ 'ab\\tc'.expandtabs(0) }}",
    "{{ 'a,b;c'.replace(',', ';').split(';') }}{{ 'aXbXc'.split('X', 1) }}{{ 'aXbXc'.rsplit('X', 1) }}{{ '  a  b '.split() }}{{ '  a  b '.split(' ') }}{{ ' a b  c '.split(none, 1) }}{{ ' a b  c '.rsplit(none, 1) }}{{ ''.split() }}{{ ''.split(',') }}{{ 'a b c'.split(maxsplit=0) }}{{ ' a '.split(maxsplit=0) }}{{ ' a b '.rsplit(maxsplit=0) }}",
    "{{ 'aaa'.count('a') }}{{ 'aaa'.count('aa') }}{{ 'aaa'.count('') }}{{ 'aaa'.count('a', 1) }}{{ 'aaa'.count('a', 0, 1) }}{{ 'aaa'.find('a', 1) }}{{ 'aaa'.rfind('a', 0, -1) }}{{ 'abc'.find('c', -1) }}{{ 'abc'.find('', 3) }}{{ 'abc'.find('', 4) }}{{ '😀a'.find('a') }}{{ 'abc'.index('c', 0, 3) }}",
    "{{ 'aaa'.replace('a', 'b', 2) }}{{ 'aaa'.replace('a', 'b', -1) }}{{ 'aaa'.replace('a', 'b', 0) }}{{ 'abc'.replace('', '-') }}{{ 'abc'.replace('', '-', 2) }}{{ '😀'.replace('', '-') }}{{ 'aaaa'.replace('aa', 'b') }}{{ ''.replace('', 'x') }}{{ ''.replace('a', 'x') }}",
    "[{{ '\\n  x\\n'.lstrip('\\n') }}|{{ 'xyx'.strip('x') }}|{{ ' \\t\\u2003\\x1f a \\xa0'.strip() }}|{{ 'abcba'.rstrip('ab') }}|{{ 'a'.strip('') }}|{{ '😀a😀'.strip('😀') }}]",
    "{{ 'abc'.startswith('') }}{{ 'abc'.startswith(('x', 'ab')) }}{{ 'abc'.endswith('bc', 1) }}{{ 'abc'.endswith('bc', 2) }}{{ 'abc'.startswith('c', -1) }}{{ 'abc'.startswith(()) }}{{ ''.startswith('') }}{{ 'abc'.startswith('', 3) }}{{ 'abc'.startswith('', 4) }}",
    "{{ '-'.join('abc') }}{{ ','.join({'a': 1, 'b': 2}) }}{{ ''.join([]) }}{{ ','.join(messages | map(attribute='role')) }}{{ ', '.join(('a', 'b')) }}",
    "{{ '\\ta\\n b'.splitlines() }}{{ 'a\\n\\nb\\n'.splitlines() }}{{ 'a\\r\\nb\\rc'.splitlines(true) }}{{ ''.splitlines() }}{{ 'a\\x1cb\\u2028c\\x0cd'.splitlines() }}{{ 'a\\n'.splitlines(keepends=true) }}",
    "{{ '7'.zfill(3) }}{{ '-7'.zfill(4) }}{{ '+7'.zfill(1) }}{{ ''.zfill(2) }}{{ 'ab'.center(5) }}|{{ 'abc'.center(6, '*') }}|{{ 'a'.center(4, '*') }}|{{ '😀'.ljust(3, '-') }}",
    "{{ [1, 2, 1].count(1) }}{{ [1, 2, 1].index(2) }}{{ [1, 2, 1].index(1, 1) }}{{ (1, 2).count(1) }}{{ [1].copy() }}{{ {'a': 1}.copy() }}",
    "{{ [].index(1) }}",
    "{{ [].pop() }}",
    "{{ {'a': 1}.setdefault('b', 2) }}",
    "{{ {}.get('a', {}).get('b') }}{{ {'a': none}.get('a', 1) }}{{ {'a': 1}.get('a', default=2) }}",
    "{{ [1, [2, 3]] | list }}{{ 'héé' | list }}{{ {'a': 1} | list }}{{ 'abc' | first }}{{ 'abc' | last }}{{ {'a': 1} | first }}{{ '' | first is defined }}{{ 'abc' | length }}{{ {'a': 1} | length }}",
    "{{ ['b', 'a', 'C'] | sort }}{{ ['b', 'a', 'C'] | sort(case_sensitive=true) }}{{ ['b', 'a', 'C'] | sort(true) }}{{ [[2, 1], [1, 2]] | sort(attribute=1) }}{{ [{'a': 2}, {'a': 1}] | sort(attribute='a') }}{{ 'cab' | sort }}{{ {'b': 1, 'a': 2} | sort }}{{ [{'a': 1, 'b': 2}, {'a': 1, 'b': 1}] | sort(attribute='a,b') }}{{ [2, true, 1.5] | sort }}",
    "{{ ['a', 'A', 'b'] | unique | list }}{{ ['a', 'A', 'b'] | unique(case_sensitive=true) | list }}{{ [1, 1.0, true, '1'] | unique | list }}{{ [{'a': 1}, {'a': 1}] | unique(attribute='a') | list }}{{ [(1, 2), (1, 2)] | unique | list }}",
    "{{ [[1], [1]] | unique | list }}",
    "{{ [] | min is defined }}{{ [] | max }}{{ ['b', 'A'] | min }}{{ ['b', 'A'] | max }}{{ ['b', 'A'] | min(case_sensitive=true) }}{{ [none] | min }}{{ 'cab' | max }}{{ [{'a': 2}, {'a': 1}] | min(attribute='a') }}",
    "{{ [1, 'a'] | min }}",
    "{{ [1, 2, 3] | sum(start=10) }}{{ [1.5, 2] | sum }}{{ [] | sum }}{{ [[1], [2]] | sum(start=[]) }}{{ [{'a': 1}, {'a': 2}] | sum(attribute='a') }}{{ [true, 2] | sum }}",
    "{{ ['a'] | sum(start='') }}",
    "{{ [1, 2, 3, 4, 5] | batch(2) | list }}{{ [1, 2, 3] | batch(2, 0) | list }}{{ [1, 2, 3, 4, 5] | slice(3) | list }}{{ [1, 2, 3, 4] | slice(3, 'x') | list }}{{ [] | batch(2) | list }}{{ [] | slice(2) | list }}{{ [1] | slice(2, none) | list }}",
    "{{ {'b': 1, 'A': 3, 'c': 2} | dictsort }}{{ {'b': 1, 'A': 3} | dictsort(true) }}{{ {'b': 1, 'a': 3} | dictsort(false, 'value') }}{{ {'b': 1, 'a': 3} | dictsort(by='value', reverse=true) }}",
    "{{ {} | dictsort(by='nothing') }}",
    "{{ [] | dictsort }}",
    "{{ '' | default('x') }}{{ '' | default('x', true) }}{{ none | default('x') }}{{ none | default('x', boolean=true) }}{{ 0 | d('x', true) }}{{ missing | d }}{{ missing | default(none) }}{{ messages[0].zz | default('y') }}{{ false | default('x', true) }}",
    "{{ '%s' | e }}{{ '<a href=\"x\">' | escape }}{{ \"'\" | e }}{{ 5 | e }}{{ none | e }}{{ '&amp;' | forceescape }}{{ '<x>' | safe }}",
    "{{ 'abc' | attr('upper') is callable }}{{ {'a': 1} | attr('a') is defined }}{{ ({'a': 1} | attr('keys'))() | list }}",
    "{{ 5 | wordcount }}{{ \"don't a-b c_d é 中文\" | wordcount }}",
    "{% block a %}x{{ bos_token }}{% endblock %}{% block b %}y{% endblock b %}",
    "{% set x = 1 %}{% block a %}{{ x }}{% endblock %}{% for i in [1] %}{% block c %}{{ i is defined }}{% endblock %}{% endfor %}{{ self.a() }}",
    "{% block a %}{% endblock %}{% block a %}{% endblock %}",
    "{% extends 'x' %}",
    "{% import 'x' as y %}",
    "{% from 'x' import y %}",
    "{% include 'x' %}",
    "{% include 'x' ignore missing %}a",
    "{% do 1 %}",
    "{% autoescape false %}{{ '<' }}{% endautoescape %}",
    "{% raw %}{{ a }}{% endraw %}{%raw%} x {%endraw%}{%- raw -%} y {%- endraw -%} z",
    "  {% raw %}\n  a\n  {% endraw %}\nb",
    "{# a #}x{#- b -#} y {#+ c +#}\nz\n  {# d #}\n  w",
    "a \n  {%- if true %}\n b \n{%- endif -%}\n c",
    "a\n  {% if true %}  \nb\n  {% endif %}\nc\n  ",
    "a\n  {{ 1 }}\n  {{- 2 -}}  \n  b\n",
    "a\n\n", "a\n \n  ", "  ", "\n", "\n\n", "", " {% if true %} {% endif %} ",
    "{% if true %}\n\n{% endif %}\n\n", "{% if true -%}\n a {%+ endif %}\nb", "x{% if true +%}\na{% endif %}", "\t {%+ if true %}a{% endif %}",
    "a {#- x #}\n {# y -#}\n b", "{{ 1 -}}\n\n{{- 2 }}", "{{- 1 }}", "a {{+ 1 }}", "{% if true %}a{% elif true %}b{% else %}c{% endif %}", "{% if false %}a{% elif 0 %}b{% elif 1 %}c{% else %}d{% endif %}",
    "{{ '}}' }}{{ \"{%\" }}{{ {'a': {'b': 1}} }}{{ {'a':{'b':{}}}}}", "{{ [1,2,3,] }}{{ {'a':1,} }}{{ (1,) }}{{ () }}{{ (1) }}{{ 1, }}", "{{ [,] }}", "{{ {,} }}", "{{ f(,) }}", "{{ dict(a=1,) }}", "{{ dict(a=1, a=2) }}", "{{ dict(*[[('a', 1)]], **{'b': 2}) }}", "{{ range(*[1, 4]) | list }}", "{{ range(**{}) }}",
    "{{}}", "{{ 1 2 }}", "{{ a b }}", "{{ a. }}", "{{ a.'b' }}", "{{ a[ }}", "{{ a[] }}", "{{ (1 }}", "{{ 1) }}", "{{ [1} }}", "{{ a | }}", "{{ a is }}", "{{ a is not }}", "{{ not }}", "{{ 1 if }}", "{{ if 1 }}", "{{ a = 1 }}", "{{ a ? b : c }}", "{{ a && b }}", "{{ !a }}", "{{ a | b.c }}", "{{ 'a }}", "{{ 'a' 1 }}", "{{ 0x }}", "{{ 01 }}", "{{ 1__0 }}", "{{ 1.e5 }}", "{{ .5 }}", "{{ 1.foo }}", "{{ 5.0.is_integer() }}", "{{ @ }}", "{{ a; b }}",
    "{% %}", "{% if %}{% endif %}", "{% if a %}", "{% if a %}{% else %}{% else %}{% endif %}", "{% if a %}{% endfor %}", "{% else %}", "{% endif %}", "{% for %}{% endfor %}", "{% for a %}{% endfor %}", "{% for a in %}{% endfor %}", "{% for a in b %}", "{% for 1 in b %}{% endfor %}", "{% for a.b in [1] %}{% endfor %}", "{% set %}", "{% set a %}", "{% set a = %}", "{% set a b %}", "{% set 1 = 2 %}", "{% set a = 1, 2 %}{{ a }}", "{% macro %}{% endmacro %}", "{% macro a %}{% endmacro %}", "{% macro a( %}{% endmacro %}", "{% macro a(1) %}{% endmacro %}", "{% macro a() %}", "{% call %}{% endcall %}", "{% call a %}{% endcall %}", "{% filter %}{% endfilter %}", "{% filter nothing %}{% endfilter %}", "{% raw %}", "{# ", "{{ a", "{% a", "{% if true %}{% endif a %}", "{% for a in [1] %}{% endfor a %}", "{% macro m() %}{% endmacro m %}{{ m() }}",
    "{% for x in [3, 1, 2] | sort %}{{ x }}{% endfor %}{% for x in (1, 2) %}{{ x }}{% endfor %}{% for x in 'ab' + 'c' %}{{ x }}{% endfor %}{% for x in [1] + [2] if x %}{{ x }}{% endfor %}",
    "{% for x in a if true else [1, 2] %}{{ x }}{% endfor %}", "{% for x in ([1] if true else [2]) %}{{ x }}{% endfor %}", "{% if 1 if true else 0 %}a{% endif %}", "{% set x = [1] if missing else [2] %}{{ x }}",
    "{% for i in range(3) %}{% for j in range(2) %}{{ loop.index }}{{ i }}{{ j }} {% endfor %}{{ loop.index }}{% endfor %}",
    "{% for i in range(3) %}{% set outer = loop %}{% for j in range(2) %}{{ outer.index }}{{ loop.index }}{% endfor %}{% endfor %}",
    "{% for i in [1, 2] %}{{ loop.nothing is defined }}{{ loop.nothing }}{% endfor %}", "{{ loop is defined }}", "{% for x in [1, 2] if loop.index > 1 %}{{ x }}{% endfor %}",
    "{% set ns = namespace(l=[]) %}{% for i in range(3) %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.l }}", "{% set l = [] %}{% set _ = l.append(1) %}", "{% set l = [1] %}{% if l.append is defined %}x{% endif %}",
    "{% set x = messages[1:] if messages[0].role == 'system' else messages %}{{ x | length }}{% for m in x %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ loop.index0 }}{% endif %}{% endfor %}",
]


# What is escaped is a text of its own kind in Python, which escapes what is joined with it: a page's matter.
PLAIN_FILTERS = [line for line in FILTERS if line not in ("e", "forceescape", "safe", "nothing")]
# Jinja also refuses filters and tests that do not exist where they are not reached.
KNOWN_TESTS = [line for line in TESTS if line != "nothing"]

# Templates put together at random, as the same ones by the same seed.
class Random:
    """A generator of random templates over the values, filters, tests and statements above."""

    ATOMS = VALUES + ["x", "ns.v", "m", "m.role", "messages", "text", "numbers", "lines", "loop.index", "'%s-%s'", "'{} {a}'", "tools[0]", "f(1)"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, items):
        return self.random.choice(items)

    def expression(self, depth=3):
        pick = self.random.random()
        if depth == 0 or pick < 0.22:
            return self.one(self.ATOMS)
        inner = lambda: self.expression(depth - 1)
        if pick < 0.42:
            return f"({inner()}) | {self.one(PLAIN_FILTERS)}"
        if pick < 0.5:
            return f"({inner()}) is {self.one(KNOWN_TESTS)}"
        if pick < 0.68:
            return f"({inner()}){self.one(SUFFIXES)}"
        if pick < 0.84:
            return f"{inner()} {self.one(OPERATORS)} {inner()}"
        if pick < 0.88:
            return f"({inner()} if {inner()} else {inner()})"
        if pick < 0.92:
            return f"[{inner()}, {inner()}]"
        if pick < 0.95:
            return "{'a': " + inner() + ", 'k': " + inner() + "}"
        return f"({inner()})[{inner()}]" if pick < 0.97 else f"not {inner()}"

    def tag(self, content):
        return "{%" + self.one(["", "", "", "-", "+"]) + f" {content} " + self.one(["", "", "", "-", "+"]) + "%}"

    def block(self, depth=3):
        return "".join(self.statement(depth) for _ in range(self.random.randint(1, 3)))

    def statement(self, depth):
        pick = self.random.random()
        if depth == 0 or pick < 0.2:
            return self.one(["a", " b\n", "\n", "  ", "\n\n  c ", "\t", "{# d #}", "{#- e -#}", "{%- raw %} {{ x }} {% endraw +%}"])
        tag, block, value = self.tag, lambda: self.block(depth - 1), lambda: self.expression(2)
        if pick < 0.5:
            return tag(f"set q = {value()}") + "{{" + self.one(["", "", "-"]) + " q " + self.one(["", "", "-"]) + "}}"
        if pick < 0.6:
            return tag(f"set {self.one(['x', 'y', 'ns.v', 'x, y'])} = {value()}")
        if pick < 0.7:
            return tag(f"if {value()}") + block() + self.one(["", tag("else") + block(), tag(f"elif {value()}") + block()]) + tag("endif")
        if pick < 0.82:
            end = self.one(["", "", tag("break"), tag("continue"), tag("else") + block()])
            return tag(f"for {self.one(['x', 'm', 'x, y'])} in {value()}{self.one(['', '', ' if x', ' recursive'])}") + block() + end + tag("endfor")
        if pick < 0.88:
            return tag(f"set {self.one(['x', 'ns.v'])}{self.one(['', ' | upper', ' | trim'])}") + block() + tag("endset")
        if pick < 0.93:
            return tag(f"macro f({self.one(['', 'x', 'x=1', 'x, y=2'])})") + block() + self.one(["", "{{ caller() }}", "{{ varargs }}{{ kwargs }}"]) + tag("endmacro") + self.one(["{{ f(1) }}", "{{ f() }}", "{{ f(x=2) }}", "{{ f(1, 2) }}"])
        if pick < 0.96:
            return tag(f"call {self.one(['', '(x) '])}f({value()})") + block() + tag("endcall")
        return self.one([lambda: tag("generation") + block() + tag("endgeneration"), lambda: tag(f"with x={value()}") + block() + tag("endwith"), lambda: tag(f"filter {self.one(PLAIN_FILTERS)}") + block() + tag("endfilter")])()

    def template(self):
        if self.random.random() < 0.5:
            return "{% set q = " + self.expression() + " %}{{ q }}"
        return "{% set ns = namespace(v=none) %}" + self.block()


class Generation(jinja2.ext.Extension):
    """transformers' block {% generation %}, which marks what the assistant says."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def strftime_now(form):
        return NOW.strftime(form)

    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = strftime_now
    return made


ENVIRONMENT = environment()


def rendered(template):
    """A text; None if Python fails; 0 if the result is nobody else's: an address, an integer beyond 53 bits, too long."""
    signal.alarm(2)
    try:
        text = ENVIRONMENT.from_string(template).render(**copy.deepcopy(VARIABLES))
    except TimeoutError:
        return 0
    except Exception:  # whatever Python says, the template fails
        return None
    finally:
        signal.alarm(0)
    return 0 if len(text) > 4000 or re.search(r" at 0x|<class|<bound|<built-in|\d{16}(?!\d*[.e])", text) else text


def stop(_signal, _frame):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)


def random_cases(count, seed):
    made = Random(seed)
    templates = [made.template() for _ in range(count)]
    return [[template, rendered(template)] for template in templates]


def matrix():
    """Results by what follows the value, in the order of VALUES."""
    follows = [f" | {line}" for line in FILTERS] + [f" is {line}" for line in TESTS] + SUFFIXES
    follows += [f" {operator} ({right})" for operator in OPERATORS for right in RIGHT]
    # As variables: what fails with a constant is left for later by Jinja's optimiser.
    return {
        follow: [0 if is_ours(value, follow) else rendered("{% set v = " + value + " %}{{ v" + follow + " }}") for value in VALUES]
        for follow in follows
    }


def is_ours(value, follow):
    """Python's sets, and powers that are no real numbers, or are rounded by the C library, are not compared."""
    return follow.endswith("** (1.5)") or (follow.startswith(" - ") and re.search(r"keys|items", value))


def save(name, content):
    """One case a line."""
    dumped = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    parts = []
    for key, value in content.items():
        if key == "cases":
            value = "[\n" + ",\n".join(map(dumped, value)) + "\n]"
        elif key == "results":
            value = "{\n" + ",\n".join(f"{dumped(follow)}:{dumped(row)}" for follow, row in value.items()) + "\n}"
        else:
            value = dumped(value)
        parts.append(f"{dumped(key)}:{value}")
    (FOLDER / name).write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


# Python's compiler warns of templates that index numbers.
warnings.simplefilter("ignore", SyntaxWarning)
parser = argparse.ArgumentParser()
parser.add_argument("--random", type=int)
parser.add_argument("--seed", type=int, default=1)
given = parser.parse_args()
shared = {"jinja2": jinja2.__version__, "now": NOW.isoformat(), "variables": VARIABLES}
if given.random:
    json.dump({**shared, "cases": random_cases(given.random, given.seed)}, sys.stdout, ensure_ascii=True)
else:
    FOLDER.mkdir(exist_ok=True)
    templates = ["{{ " + line + " }}" for line in EXPRESSIONS + FORMATS] + TEMPLATES + STATEMENTS
    save("cases.json", {**shared, "cases": [[template, rendered(template)] for template in templates]})
    save("matrix.json", {"values": VALUES, "results": matrix()})
    save("random.json", {"cases": random_cases(1200, 1)})
