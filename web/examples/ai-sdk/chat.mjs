// node chat.mjs owner/name "a question": an answer, streamed by the AI SDK from a model that runs here.
import { streamText } from 'ai';
import { transformerWasm } from './provider.mjs';

const [source = 'HuggingFaceTB/SmolLM2-135M-Instruct', prompt = 'Who wrote Faust?'] = process.argv.slice(2);
const model = await transformerWasm(source);
const { textStream } = streamText({ model, prompt, maxOutputTokens: 100 });
for await (const text of textStream) process.stdout.write(text);
process.stdout.write('\n');
await model.model.dispose();
