// Chat templates, rendered exactly as by the Python library, and conversations with a model.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { renderChatTemplate } from '../../dist/pipeline.js';
import { folderWithWords } from '../lib/tiny_folder.mjs';

const about = JSON.parse(
  readFileSync(new URL('../fixtures/reference/chat_templates/expected.json', import.meta.url), 'utf8'),
);
const template =
  "{% for message in messages %}{{ message['role'] + ' ' + message['content'] + ' . ' }}{% endfor %}{{ eos_token }}";
const messages = [{ role: 'user', content: 'the cat sat' }];

describe('templates as rendered by the Python library', () => {
  for (const { template: name, conversation, add_generation_prompt, ...expected } of about.results) {
    test(`${name}, ${conversation}${add_generation_prompt ? ', with a prompt' : ''}`, () => {
      const { bos_token, eos_token, templates, conversations } = about;
      const variables = {
        messages: conversations[conversation],
        add_generation_prompt,
        bos_token,
        eos_token,
      };
      const render = () => renderChatTemplate(templates[name], variables);
      if ('error' in expected)
        assert.throws(render, (error) => expected.error_kind === undefined || error.message.length > 0);
      else assert.equal(render(), expected.rendered);
    });
  }
});

describe('templates that fail', () => {
  const fails = (text, code, message) =>
    assert.throws(
      () => renderChatTemplate(text, { messages }),
      (error) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      },
    );

  test('by refusing the conversation', () => {
    const text = "{{ raise_exception('Roles must alternate') }}";
    fails(text, 'invalid_argument', /refuses this conversation: Roles must alternate/);
  });

  test('by their syntax, or by what they use', () => {
    fails('{% if %}', 'bad_checkpoint', /the chat template failed/);
    fails('{{ nothing() }}', 'bad_checkpoint', /the chat template failed/);
  });

  test('by not ending', () => {
    fails(
      '{% for i in range(1000000000) %}x{% endfor %}',
      'bad_checkpoint',
      /range of 1000000000 is too long/,
    );
    const loops = '{% for i in range(99999) %}{% for j in range(99999) %}{{ j }}{% endfor %}{% endfor %}';
    fails(loops, 'bad_checkpoint', /takes too (long|much memory)/);
  });

  test('dates', () => {
    assert.match(renderChatTemplate("{{ strftime_now('%d %b %Y %%') }}", {}), /^\d\d [A-Z][a-z]{2} \d{4} %$/);
  });
});

describe('a model', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const tokenizerConfig = (extra) => {
    const files = folderWithWords('llama');
    return { ...JSON.parse(new TextDecoder().decode(files.get('tokenizer_config.json'))), ...extra };
  };
  const load = (extra, others = {}, name = 'llama') =>
    loadModel(folderWithWords(name, {}, { 'tokenizer_config.json': tokenizerConfig(extra), ...others }), {
      engine,
    });

  test('answers, whole and streamed', async () => {
    const model = await load({ chat_template: template, eos_token: { content: '[SEP]' } });
    const options = { maxNewTokens: 12 };
    const { text, message, prompt, ids, score } = await model.chat(messages, options);
    assert.equal(prompt, 'user the cat sat . [SEP]');
    const inputIds = model.tokenizer.encode(prompt, { addSpecialTokens: false }).ids;
    const [best] = (await model.generate(inputIds, options)).sequences;
    assert.deepEqual(ids, best.ids.slice(inputIds.length));
    assert.equal(score, best.score);
    assert.deepEqual(message, { role: 'assistant', content: text });
    assert.ok(text.length > 0);
    assert.equal(model.tokenizer.decode(inputIds) + text, best.text);
    let streamed = '';
    for await (const chunk of model.streamChat(messages, options)) streamed += chunk.text;
    assert.equal(streamed, text);
  });

  test('the template of a file, one of several, or of the caller', async () => {
    const list = [
      { name: 'default', template: 'a{{ bos_token }}' },
      { name: 'tool_use', template: 'b {{ tools | length }}' },
    ];
    const options = { maxNewTokens: 1 };
    const promptOf = async (model, more = {}) => (await model.chat(messages, { ...options, ...more })).prompt;
    const several = await load({ chat_template: list, bos_token: '[CLS]' });
    assert.equal(await promptOf(several), 'a[CLS]');
    assert.equal(await promptOf(several, { tools: [{}] }), 'b 1');
    assert.equal(await promptOf(several, { chatTemplate: 'tool_use', tools: [] }), 'b 0');
    assert.equal(await promptOf(several, { chatTemplate: 'c {{ x }}', templateVariables: { x: 1 } }), 'c 1');
    const file = new TextEncoder().encode('d {{ messages[0].content }}\n');
    assert.equal(
      await promptOf(await load({ chat_template: 'e' }, { 'chat_template.jinja': file })),
      'd the cat sat',
    );
  });

  test('what a template does not show is refused, not left out', async () => {
    const model = await load({ chat_template: template });
    const refused = (options, code, message) =>
      assert.rejects(model.chat(messages, options), { code, message });
    await refused({ tools: [{ name: 'now' }] }, 'unsupported', /does not show tools/);
    await refused({ documents: [{ text: 'a cat' }] }, 'unsupported', /does not show documents/);
    const templateVariables = { messages: [] };
    await refused({ templateVariables }, 'invalid_argument', /templateVariables cannot set messages/);
  });

  test('a content of parts: texts for a template of texts, the parts for one that goes through them', async () => {
    const model = await load({ chat_template: template });
    const parts = ['the cat', 'sat'].map((text) => ({ type: 'text', text }));
    const promptOf = async (chatTemplate, content = parts) =>
      (await model.chat([{ role: 'user', content }], { maxNewTokens: 1, chatTemplate })).prompt;
    for (const text of [
      template,
      "{{ messages | map(attribute='content') | join }}",
      '{{ messages[0].content }}',
    ])
      assert.equal(await promptOf(text), await promptOf(text, 'the cat\nsat'), text);
    for (const loop of [
      "{% for part in messages[0]['content'] %}{{ part.text }}|{% endfor %}",
      "{% set content = messages[0].content %}{% for part in content %}{{ part['text'] }}|{% endfor %}",
      "{% for part in messages[0].get('content') %}{{ part.text }}|{% endfor %}",
      "{{ messages[0].content | map(attribute='text') | join('|') }}|",
      '{% macro show(content) %}{% for part in content %}{{ part.text }}|{% endfor %}{% endmacro %}{{ show(messages[0].content) }}',
    ])
      assert.equal(await promptOf(loop), 'the cat|sat|', loop);
    // Under another name, in a macro that also takes texts.
    const renamed =
      "{% macro show(m) -%}{%- set c = m.get('content') -%}{%- if c is string -%}{{ c }}{%- else -%}{% for x in c -%}{{ x['text'] }}|{%- endfor -%}{%- endif -%}{%- endmacro %}{% for m in messages %}{{ show(m) }}{% endfor %}";
    assert.equal(await promptOf(renamed), 'the cat|sat|');
    const onlyTexts =
      "{% if messages[0].content is not string %}{{ raise_exception('no text') }}{% endif %}{{ messages[0].content }}";
    assert.equal(await promptOf(onlyTexts), 'the cat\nsat');
    const tool = [...messages, { role: 'tool', content: [{ type: 'cat', age: 3 }] }];
    const asJson = { maxNewTokens: 1, chatTemplate: '{{ messages[1].content | tojson }}' };
    assert.equal((await model.chat(tool, asJson)).prompt, '[{"type": "cat", "age": 3}]');
    for (const part of [{ type: 'image', url: 'x' }, { type: 'text' }, 'sat', null])
      await assert.rejects(promptOf(template, [parts[0], part]), {
        code: 'unsupported',
        message: /takes texts only.*part 2 of message 1 is/,
      });
  });

  test('without a template, or with messages that are none', async () => {
    const none = await load({});
    await assert.rejects(none.chat(messages), { code: 'unsupported', message: /has no chat template/ });
    const model = await load({ chat_template: template });
    const code = 'invalid_argument';
    await assert.rejects(model.chat([]), { code, message: /at least one entry/ });
    await assert.rejects(model.chat('hello'), { code, message: /must be a list/ });
    await assert.rejects(model.chat([{ content: 'x' }]), { code, message: /message 1 must have a role/ });
    await assert.rejects(model.chat(messages, { maxNewToken: 3 }), {
      code,
      message: /did you mean 'maxNewTokens'/,
    });
  });

  test('an answer may be longer than 20 tokens where nobody says how long', async () => {
    const model = await load({ chat_template: template });
    const { ids } = await model.chat(messages, { minNewTokens: 40, chatTemplate: 'a' });
    assert.ok(ids.length >= 40, `${ids.length}`);
  });
});
