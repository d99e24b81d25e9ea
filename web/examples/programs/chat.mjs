// node chat.mjs owner/name: a conversation, with the chat template that the model brings. An empty line ends it.
import { createInterface } from 'node:readline/promises';
import { loadModel } from 'transformer-wasm';

const model = await loadModel(process.argv[2] ?? 'HuggingFaceTB/SmolLM2-135M-Instruct', { dtype: 'int8' });
const messages = [{ role: 'system', content: 'You are a helpful assistant.' }];
for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') break;
  messages.push({ role: 'user', content: line });
  let answer = '';
  for await (const { text } of model.streamChat(messages, { maxNewTokens: 200 })) {
    process.stdout.write(text);
    answer += text;
  }
  messages.push({ role: 'assistant', content: answer });
  process.stdout.write('\n');
}
await model.dispose();
