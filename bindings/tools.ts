/**
 * `transformer-wasm/tools`: answers that call functions.
 * @module transformer-wasm/tools
 */

import type { LoadedModel } from './checkpoint/loaded.js';
import type { ChatMessage } from './tasks/chat.js';
import { answerParts, type ToolOptions } from './tools/answer.js';
import { AnswerParser, type AnswerPart, type ParserOptions, type ToolCall } from './tools/answer_parser.js';
import { fail } from './values/errors.js';

export type { ChatMessage } from './tasks/chat.js';
export type { ToolOptions } from './tools/answer.js';
export { AnswerParser, type AnswerPart, type ParserOptions, type ToolCall } from './tools/answer_parser.js';
export type { ToolFormat } from './tools/kinds.js';
export type { Tool } from './tools/schemas.js';

/** An answer that is complete. */
export interface ToolAnswer {
  text: string;
  /** What the model thought before it answered; empty: nothing. */
  reasoning: string;
  toolCalls: ToolCall[];
  /** The answer as the next turn of the conversation. */
  message: ChatMessage;
}

/**
 * Answers a conversation like `model.streamChat`, in parts: text, reasoning, and calls of tools with their arguments.
 * Leaving the loop ends the answer.
 *
 * @throws TransformerError like `model.chat`; `invalid_argument` for tools that are none, `unsupported` for a schema
 *   with keywords that `constrain` does not know (unless `strict` is false)
 * @example
 * for await (const part of streamAnswer(model, messages, { tools }))
 *   if (part.type === 'text') show(part.text);
 *   else if (part.type === 'call') call(part.call);
 */
export async function* streamAnswer(
  model: LoadedModel,
  messages: readonly ChatMessage[],
  options: ToolOptions = {},
): AsyncGenerator<AnswerPart, void, void> {
  yield* answerParts(model.loaded, messages, options);
}

/** Likewise, as a whole. */
export async function answer(
  model: LoadedModel,
  messages: readonly ChatMessage[],
  options: ToolOptions = {},
): Promise<ToolAnswer> {
  const parts: AnswerPart[] = [];
  for await (const part of streamAnswer(model, messages, options)) parts.push(part);
  return answerOf(parts);
}

/** The text of an answer as its parts, in a format of calls. */
export function parseAnswer(text: string, options: ParserOptions): ToolAnswer {
  const parser = new AnswerParser(options);
  return answerOf([...parser.push(text), ...parser.end()]);
}

function answerOf(parts: readonly AnswerPart[]): ToolAnswer {
  const textOf = (type: AnswerPart['type']) =>
    parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
  const toolCalls = parts.flatMap((part) => (part.type === 'call' ? part.call : []));
  const [text, reasoning] = [textOf('text'), textOf('reasoning')];
  const written = toolCalls.map(({ id, name, arguments: args }) => ({
    ...{ id, type: 'function', function: { name, arguments: args } },
  }));
  const message = {
    ...{ role: 'assistant', content: text },
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(written.length > 0 && { tool_calls: written }),
  };
  return { text, reasoning, toolCalls, message };
}

/**
 * Answers with the help of tools: calls those that the model asks for, and gives it their results, until it answers
 * without.
 *
 * @returns the last answer, and the conversation with it
 * @throws what a tool throws; TransformerError `invalid_argument` if the model still calls tools after `maxRounds`
 *   (default: 8)
 */
export async function chatWithTools(
  model: LoadedModel,
  messages: readonly ChatMessage[],
  { maxRounds = 8, ...options }: ToolOptions & { maxRounds?: number } = {},
): Promise<ToolAnswer & { messages: ChatMessage[] }> {
  const conversation = [...messages];
  for (let round = 0; round < maxRounds; round++) {
    const reply = await answer(model, conversation, options);
    conversation.push(reply.message);
    if (reply.toolCalls.length === 0) return { ...reply, messages: conversation };
    for (const { id, name, arguments: args } of reply.toolCalls) {
      const tool = options.tools?.find((one) => one.name === name);
      const result = tool?.run ? await tool.run(args) : { error: `there is no tool ${name}` };
      const content = typeof result === 'string' ? result : JSON.stringify(result ?? null);
      conversation.push({ role: 'tool', tool_call_id: id, name, content });
    }
  }
  return fail('invalid_argument', `the model still calls tools after ${maxRounds} rounds`);
}
