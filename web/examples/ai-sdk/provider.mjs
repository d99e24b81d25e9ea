// A provider for the AI SDK (https://ai-sdk.dev), of its version 3: models that run here, with streams, tools and objects.
import { loadModel } from 'transformer-wasm';
import { streamAnswer } from 'transformer-wasm/tools';

const textOf = (content) =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** What a tool gave back, as text. */
const resultOf = ({ type, value }) => (type === 'text' ? value : JSON.stringify(value));

/** A message of the SDK as those of chat templates: each result of a tool is a message of its own. */
function messagesOf({ role, content }) {
  if (role === 'tool')
    return content
      .filter(({ type }) => type === 'tool-result')
      .map(({ toolCallId, toolName, output }) => ({
        role,
        content: resultOf(output),
        name: toolName,
        tool_call_id: toolCallId,
      }));
  const calls = role === 'assistant' ? content.filter(({ type }) => type === 'tool-call') : [];
  const toolCalls = calls.map(({ toolCallId: id, toolName: name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: input },
  }));
  return [{ role, content: textOf(content), ...(calls.length > 0 && { tool_calls: toolCalls }) }];
}

const choices = { auto: 'auto', required: 'required' };

function optionsOf({ maxOutputTokens = 512, temperature, topP, topK, seed, stopSequences, abortSignal }) {
  const options = { maxNewTokens: maxOutputTokens, signal: abortSignal, stop: stopSequences, seed };
  const sampling = temperature > 0 && { doSample: true, temperature, topP, topK };
  return Object.fromEntries(Object.entries({ ...options, ...sampling }).filter(([, value]) => value !== undefined));
}

/** The answer's parts as the SDK names them. */
async function* partsOf(model, call) {
  const messages = call.prompt.flatMap(messagesOf);
  const schema = call.responseFormat?.type === 'json' && (call.responseFormat.schema ?? { type: 'object' });
  if (schema) {
    const constrain = { jsonSchema: schema };
    for await (const { text } of model.streamChat(messages, { ...optionsOf(call), constrain })) yield { type: 'text', text };
    return;
  }
  const { type, toolName: name } = call.toolChoice ?? { type: 'auto' };
  const tools = type === 'none' ? [] : (call.tools ?? []).filter((tool) => tool.type === 'function');
  const named = tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }));
  const toolChoice = type === 'tool' ? { name } : (choices[type] ?? 'auto');
  yield* streamAnswer(model, messages, { ...optionsOf(call), tools: named, ...(tools.length > 0 && { toolChoice }) });
}

/** Texts and thoughts between their beginning and end, then the calls. */
async function* streamed(model, call) {
  yield { type: 'stream-start', warnings: [] };
  let [open, id, calls] = ['', 0, 0];
  const ended = () => (open ? [{ type: `${open}-end`, id: `${id++}` }] : []);
  for await (const part of partsOf(model, call)) {
    if (part.type === 'text' || part.type === 'reasoning') {
      if (open !== part.type) {
        yield* ended();
        open = part.type;
        yield { type: `${open}-start`, id: `${id}` };
      }
      yield { type: `${open}-delta`, id: `${id}`, delta: part.text };
    } else if (part.type === 'call') {
      yield* ended();
      open = '';
      calls += 1;
      const { id: toolCallId, name: toolName, arguments: input } = part.call;
      yield { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) };
    }
  }
  yield* ended();
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
  yield { type: 'finish', usage, finishReason: { unified: calls > 0 ? 'tool-calls' : 'stop', raw: undefined } };
}

/** @param source what `loadModel` takes: a folder, a file, the id of a model on a hub */
export async function transformerWasm(source, options = {}) {
  const model = await loadModel(source, options);
  return {
    specificationVersion: 'v3',
    provider: 'transformer-wasm',
    modelId: String(source),
    supportedUrls: {},
    model,
    doStream: async (call) => ({ stream: ReadableStream.from(streamed(model, call)) }),
    async doGenerate(call) {
      const [content, texts] = [[], new Map()];
      let finish;
      for await (const part of streamed(model, call)) {
        if (/-start$/.test(part.type) && part.id !== undefined) {
          texts.set(part.id, { type: part.type.replace('-start', ''), text: '' });
          content.push(texts.get(part.id));
        } else if (/-delta$/.test(part.type)) texts.get(part.id).text += part.delta;
        else if (part.type === 'tool-call') content.push(part);
        else if (part.type === 'finish') finish = part;
      }
      return { content, finishReason: finish.finishReason, usage: finish.usage, warnings: [] };
    },
  };
}
