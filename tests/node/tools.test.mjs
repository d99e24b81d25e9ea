// Answers that call tools: what models of each kind write, in parts, and calls that keep to the tools' schemas.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatOf, toolFormats } from '../../build/modules/tools/kinds.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { AnswerParser, answer, chatWithTools, parseAnswer, streamAnswer } from '../../dist/tools.js';
import { byteLevel, byteModel } from '../lib/byte_model.mjs';
import { randomNumbers } from '../lib/random.mjs';

const call = (name, args) => ({ name, arguments: args });
const weather = call('get_weather', { city: 'Paris', days: 3 });
const clock = call('clock', {});
const json = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}';
const parameters = json.replace('arguments', 'parameters');

/** What a model wrote, in its format, and what it is: text, calls, reasoning. */
const written = [
  ['hermes', `<tool_call>\n${json}\n</tool_call>`, '', [weather]],
  [
    'hermes',
    `I look it up.\n\n<tool_call>\n${json}\n</tool_call>\n<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>`,
    'I look it up.',
    [weather, clock],
  ],
  ['hermes', `<think>\nHm, <b>?\n</think>\n\nYes.`, 'Yes.', [], 'Hm, <b>?'],
  ['hermes', `<think>\n\n</think>\n\n<tool_call>\n${json}\n</tool_call>`, '', [weather]],
  [
    'hermes',
    `<tool_call>{"arguments": {"a": "</tool_call> \\"}"}, "name": "f"}</tool_call>`,
    '',
    [call('f', { a: '</tool_call> "}' })],
  ],
  [
    'hermes',
    '<tool_call>{"name": "f", "arguments": "{\\"a\\": [1, 2]}"}</tool_call>',
    '',
    [call('f', { a: [1, 2] })],
  ],
  [
    'hermes',
    'See <tool_call>{"name": oops}</tool_call> there',
    'See <tool_call>{"name": oops}</tool_call> there',
    [],
  ],
  [
    'hermes',
    '<tool_call>\n{"name": "f", "arguments": {"a": 1',
    '<tool_call>\n{"name": "f", "arguments": {"a": 1',
    [],
  ],
  ['hermes', ' 1 < 2 </tool_call> <think> \n', ' 1 < 2 </tool_call> <think> \n', []],
  ['llama3', parameters, '', [weather]],
  ['llama3', `<|python_tag|>${parameters}; {"name": "clock", "parameters": {}}`, '', [weather, clock]],
  ['llama3', `{"type": "function", ${parameters.slice(1)}`, '', [weather]],
  ['llama3', '{"name": "Ada", "age": 36}', '{"name": "Ada", "age": 36}', []],
  ['llama3', '{"temperature": [20, {"unit": "C"}]}', '{"temperature": [20, {"unit": "C"}]}', []],
  ['mistral', `[TOOL_CALLS][${json}, {"name": "clock", "arguments": {}}]`, '', [weather, clock]],
  ['mistral', `[TOOL_CALLS] [${json}]`, '', [weather]],
  [
    'mistral',
    '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}[TOOL_CALLS]clock[CALL_ID]a1b2c3d4e[ARGS]{}',
    '',
    [weather, clock],
  ],
  ['mistral', `[THINK]So.[/THINK]A list: [1, 2]`, 'A list: [1, 2]', [], 'So.'],
  [
    'lfm2',
    `<|tool_call_start|>[get_weather(city="Paris", days=3), clock()]<|tool_call_end|>Checking.`,
    'Checking.',
    [weather, clock],
  ],
  [
    'lfm2',
    `<|tool_call_start|>[f(a='it\\'s "x"\\n', b=[1, -2.5, None], c={'k': True, "l": (1,)})]<|tool_call_end|>`,
    '',
    [call('f', { a: 'it\'s "x"\n', b: [1, -2.5, null], c: { k: true, l: [1] } })],
  ],
  [
    'lfm2',
    '<|tool_call_start|>[f(a="<|tool_call_end|> \\"", b=\'"\')]<|tool_call_end|>',
    '',
    [call('f', { a: '<|tool_call_end|> "', b: '"' })],
  ],
  [
    'functionGemma',
    '<start_function_call>call:f{a:<escape>"<end_function_call><escape>}<end_function_call>',
    '',
    [call('f', { a: '"<end_function_call>' })],
  ],
  [
    'lfm2',
    '<|tool_call_start|>[f(2 + 2)]<|tool_call_end|>',
    '<|tool_call_start|>[f(2 + 2)]<|tool_call_end|>',
    [],
  ],
  ['gemma', '```tool_code\nget_weather(city="Paris", days=3)\n```', '', [weather]],
  [
    'functionGemma',
    '<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}<end_function_call>',
    '',
    [weather],
  ],
  [
    'functionGemma',
    '<start_function_call>call:f{a:{b:[<escape>x"y<escape>,true]}}<end_function_call>',
    '',
    [call('f', { a: { b: ['x"y', true] } })],
  ],
  ['json', json, '', [weather]],
  ['json', `[${json}, {"name": "clock", "arguments": {}}]`, '', [weather, clock]],
  ['json', '[1, 2]', '[1, 2]', []],
];
const names = new Set(['get_weather', 'clock', 'f']);

/** The parts with texts and arguments that follow each other joined. */
function joined(parts) {
  const result = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last?.type === part.type && 'text' in part) last.text += part.text;
    else result.push({ ...part });
  }
  return result;
}

describe('what models write', () => {
  for (const [format, text, expected, calls, reasoning = ''] of written)
    test(`${format}: ${JSON.stringify(text).slice(0, 70)}`, () => {
      const reply = parseAnswer(text, { format, names });
      assert.equal(reply.text, expected);
      assert.equal(reply.reasoning, reasoning);
      assert.deepEqual(
        reply.toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
        calls,
      );
      assert.equal(new Set(reply.toolCalls.map(({ id }) => id)).size, calls.length);
      assert.deepEqual(reply.message.tool_calls?.map((one) => one.function) ?? [], calls);
    });

  test('splitting the stream anywhere gives the same parts', () => {
    const random = randomNumbers(3);
    for (const [format, text] of written) {
      const read = (pieces) => {
        const parser = new AnswerParser({ format, names });
        return joined([...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]);
      };
      const whole = read([text]);
      assert.deepEqual(read([...text]), whole, text);
      for (let place = 1; place < text.length; place++)
        assert.deepEqual(read([text.slice(0, place), text.slice(place)]), whole, text);
      for (let round = 0; round < 20; round++) {
        const pieces = [];
        for (let at = 0; at < text.length; ) {
          const size = 1 + random.below(7);
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        assert.deepEqual(read(pieces), whole, text);
      }
      // The arguments that were told piece by piece are those of the call.
      for (const part of whole.filter(({ type }) => type === 'call')) {
        const { text: told } = whole.find(({ type, index }) => type === 'arguments' && index === part.index);
        assert.deepEqual(JSON.parse(told), part.call.arguments);
      }
    }
  });

  test('arguments are told while they are written', () => {
    const parser = new AnswerParser({ format: 'hermes' });
    const parts = [...'<tool_call>{"name": "f", "arguments": {"text": "a long'].flatMap((letter) =>
      parser.push(letter),
    );
    assert.deepEqual(joined(parts), [
      { type: 'begin', index: 0, name: 'f' },
      { type: 'arguments', index: 0, text: '{"text": "a long' },
    ]);
  });

  test('an answer may begin in the middle of a thought', () => {
    const prompt = '<|im_start|>assistant\n<think>\n';
    const reply = parseAnswer('Hm.\n</think>\nYes.', { format: 'hermes', prompt });
    assert.deepEqual([reply.reasoning, reply.text], ['Hm.', 'Yes.']);
    assert.equal(reply.message.reasoning_content, 'Hm.');
  });

  test('parts of any text are all of it', () => {
    const random = randomNumbers(8);
    const pieces = [
      '<tool_call>',
      '</tool_call>',
      '{"name": "f", "arguments": {',
      '}',
      '"',
      '\\',
      'a',
      '<think>',
      '[',
      '(',
      'f(a=',
      ')',
      '```',
    ];
    for (let round = 0; round < 400; round++) {
      const text = Array.from({ length: 12 }, () => pieces[random.below(pieces.length)]).join('');
      for (const format of ['hermes', 'mistral', 'lfm2', 'json']) {
        const reply = parseAnswer(text, { format, names });
        if (reply.toolCalls.length === 0 && reply.reasoning === '' && !text.includes('<think>'))
          assert.equal(reply.text, text, format);
      }
    }
  });

  test('deep and long texts take time in proportion', () => {
    for (const format of ['hermes', 'lfm2', 'json']) {
      const open = { hermes: '<tool_call>', lfm2: '<|tool_call_start|>', json: '' }[format];
      for (const letter of ['{', '[', '(', '"', '<', ' ', 'f(a='])
        assert.deepEqual(parseAnswer(open + letter.repeat(20_000), { format }).toolCalls, []);
    }
  });

  test('templates show their kind', () => {
    const templates = {
      hermes: 'return a json object within <tool_call></tool_call> XML tags',
      llama3: '{{- "Environment: ipython" }}{{- "<|python_tag|>" + message.tool_call }}',
      mistral: '{{- "[TOOL_CALLS] [" }}',
      lfm2: 'List of tools: <|tool_list_start|>[<|tool_call_start|>',
      functionGemma: '<start_function_call>call:',
      json: '{{ tools | tojson }}',
    };
    for (const [format, template] of Object.entries(templates)) assert.equal(formatOf(template), format);
  });
});

describe('a model with tools', () => {
  const marks = ['<tool_call>', '</tool_call>'];
  const vocab = Object.keys(byteLevel.model.vocab).length;
  const tokenizer = structuredClone(byteLevel);
  for (const [i, content] of marks.entries()) {
    tokenizer.model.vocab[content] = vocab + i;
    tokenizer.added_tokens.push({ ...byteLevel.added_tokens[0], id: vocab + i, content, special: false });
  }
  const template =
    "{% if tools %}{{ tools | tojson }} <tool_call>{% endif %}{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  const others = {
    'tokenizer_config.json': { chat_template: template },
    'generation_config.json': { eos_token_id: 5, max_new_tokens: 200 },
  };
  const schema = {
    type: 'object',
    properties: { unit: { $ref: '#/$defs/unit' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
    required: ['unit', 'days'],
    $defs: { unit: { enum: ['C', 'F'] } },
  };
  const tools = [
    { name: 'get_weather', description: 'The weather.', parameters: schema },
    { name: 'add', parameters: { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] } },
  ];
  const messages = [{ role: 'user', content: 'How is the weather?' }];
  const check = ({ name, arguments: args }) => {
    if (name === 'add') assert.deepEqual([Object.keys(args), typeof args.a], [['a'], 'boolean']);
    else {
      assert.equal(name, 'get_weather');
      assert.ok(['C', 'F'].includes(args.unit) && args.days >= 1 && args.days <= 9);
    }
  };
  let engine;
  let model;
  before(async () => {
    engine = await createEngine({ threads: 2 });
    model = await loadModel(byteModel({ tokenizer, others }), { engine });
  });
  after(async () => engine.dispose());

  test('a required call keeps to the schema of its tool, in every format', async () => {
    for (const toolFormat of toolFormats) {
      for (let seed = 0; seed < 3; seed++) {
        const options = { tools, toolFormat, toolChoice: 'required', doSample: true, temperature: 2, seed };
        const { toolCalls, text } = await answer(model, messages, options);
        assert.equal(text, '');
        assert.ok(toolCalls.length > 0);
        toolCalls.forEach(check);
      }
    }
    const { toolCalls } = await answer(model, messages, { tools, toolChoice: { name: 'add' } });
    assert.deepEqual(
      toolCalls.map(({ name }) => name),
      ['add'],
    );
  });

  test('a call that the model begins itself keeps to it, too', async () => {
    const sequenceBias = [[[vocab], 100]]; // <tool_call>, wherever it may stand
    const parts = [];
    for await (const part of streamAnswer(model, messages, { tools, sequenceBias, maxNewTokens: 150 }))
      parts.push(part);
    const calls = parts.filter(({ type }) => type === 'call');
    assert.ok(calls.length > 1, JSON.stringify(parts));
    for (const { call: one } of calls) check(one);
    assert.deepEqual(
      calls.map(({ index }) => index),
      calls.map((_, i) => i),
    );
    const free = await answer(model, messages, { tools, strict: false, maxNewTokens: 20 });
    assert.deepEqual(free.toolCalls, []);
    assert.ok(free.text.length > 0);
  });

  test('the loop calls tools until there is an answer', async () => {
    const seen = [];
    const run = (args) => seen.push(args);
    const own = tools.map((tool) => ({ ...tool, run }));
    const options = { tools: own, toolChoice: 'required', maxNewTokens: 60 };
    await assert.rejects(chatWithTools(model, messages, { ...options, maxRounds: 2 }), {
      code: 'invalid_argument',
    });
    assert.equal(seen.length, 2);
    const reply = await chatWithTools(model, messages, { tools: own, maxNewTokens: 10 });
    assert.deepEqual(reply.messages, [...messages, reply.message]);
    const failing = [{ ...tools[1], run: () => Promise.reject(new RangeError('mine')) }];
    await assert.rejects(chatWithTools(model, messages, { ...options, tools: failing }), RangeError);
  });

  test('what cannot be is refused by a typed error', async () => {
    const refused = (options, code = 'invalid_argument') =>
      assert.rejects(answer(model, messages, options), { code }, JSON.stringify(options));
    await refused({ tools: [{ name: '' }] });
    await refused({ tools: [tools[0], tools[0]] });
    await refused({ tools: 3 });
    await refused({ tools, toolChoice: { name: 'other' } });
    await refused({ tools, toolFormat: 'xml' });
    const spaced = { name: 'f', parameters: { type: 'object', properties: { 'a b': {} } } };
    for (const toolFormat of ['lfm2', 'gemma', 'functionGemma'])
      await refused({ tools: [spaced], toolFormat, toolChoice: 'required' }, 'unsupported');
    await refused(
      { tools: [{ name: 'f', parameters: { type: 'object', unevaluatedItems: 1 } }], toolChoice: 'required' },
      'unsupported',
    );
    const odd = [{ name: 'f', parameters: { type: 'object', unevaluatedItems: 1 } }];
    await refused({ tools: odd }, 'unsupported');
    assert.ok(await answer(model, messages, { tools: odd, strict: false, maxNewTokens: 3 }));
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(answer(model, messages, { tools, signal }), /enough/);
  });
});
