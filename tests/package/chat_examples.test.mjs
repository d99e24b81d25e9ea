// Examples of chats, as they stand, with the released package: the AI SDK's provider, and the Prompt API.

import assert from 'node:assert/strict';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { generateObject, generateText, streamText, tool } from 'ai';
import { z } from 'zod';
import { byteModel } from '../lib/byte_model.mjs';
import { installPackage } from '../lib/installed_package.mjs';

const examples = fileURLToPath(new URL('../../web/examples', import.meta.url));
const chat_template = `{% for one in messages %}{{ one.role }}: {{ one.content }}
{% endfor %}{% if tools %}<tool_call>{{ tools | tojson }}</tool_call>{% endif %}`;

let installed;
let folder;
let load;
before(async () => {
  installed = await installPackage();
  folder = join(installed.app, 'chat');
  await mkdir(folder);
  for (const [file, bytes] of byteModel({ others: { 'tokenizer_config.json': { chat_template } } }))
    await writeFile(join(folder, file), bytes);
  for (const name of ['ai-sdk', 'prompt-api'])
    await cp(join(examples, name), join(installed.app, name), { recursive: true });
  const ai = fileURLToPath(new URL('../../node_modules/ai', import.meta.url));
  await symlink(ai, join(installed.app, 'node_modules/ai'));
  load = (path) => import(pathToFileURL(join(installed.app, path)).href);
});
after(() => installed?.remove());

describe('the AI SDK', () => {
  let model;
  before(async () => {
    const { transformerWasm } = await load('ai-sdk/provider.mjs');
    model = await transformerWasm(folder);
  });
  after(() => model.model.dispose());
  const question = { prompt: 'the cat', maxOutputTokens: 6 };

  test('a stream says what a whole answer says, and what the model says', async () => {
    const { text, finishReason } = await generateText({ model, ...question });
    const { textStream } = streamText({ model, ...question });
    let streamed = '';
    for await (const piece of textStream) streamed += piece;
    assert.equal(streamed, text);
    const { text: own } = await model.model.chat([{ role: 'user', content: 'the cat' }], { maxNewTokens: 6 });
    assert.equal(text, own);
    assert.equal(finishReason, 'stop');
  });

  test('an object keeps to its schema, and a tool that must be called is called', async () => {
    const schema = z.object({ kind: z.enum(['cat', 'dog']) });
    const { object } = await generateObject({ model, schema, prompt: 'the cat', maxOutputTokens: 60 });
    assert.ok(['cat', 'dog'].includes(object.kind));
    const tools = { find: tool({ inputSchema: schema, execute: async ({ kind }) => `a ${kind}` }) };
    const { toolCalls, toolResults } = await generateText({
      ...{ model, tools, prompt: 'the cat', toolChoice: 'required', maxOutputTokens: 200 },
    });
    assert.equal(toolCalls[0].toolName, 'find');
    assert.equal(toolResults[0].output, `a ${toolCalls[0].input.kind}`);
  });
});

test('the Prompt API: turns, a clone, a constraint, an end', async () => {
  const { LanguageModel } = await load('prompt-api/language_model.mjs');
  LanguageModel.source = folder;
  assert.equal(await LanguageModel.availability(), 'downloadable');
  const session = await LanguageModel.create({ initialPrompts: [{ role: 'system', content: 'the dog' }] });
  assert.equal(await LanguageModel.availability(), 'available');
  const before = session.inputUsage;
  const twin = await session.clone();
  let streamed = '';
  for await (const piece of session.promptStreaming('the cat')) streamed += piece;
  assert.equal(await twin.prompt('the cat'), streamed);
  assert.ok(session.inputUsage > before && before > 0);
  const kind = await session.prompt('the mat', {
    responseConstraint: { type: 'object', properties: { kind: { enum: ['cat'] } }, required: ['kind'] },
  });
  assert.deepEqual(JSON.parse(kind), { kind: 'cat' });
  session.destroy();
  await assert.rejects(session.prompt('the mat'), { name: 'InvalidStateError' });
});
