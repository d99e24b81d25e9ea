/** Messages whose content is a list of parts, such as `[{ type: 'text', text: 'Hello' }]`. */

import { fail } from '../values/errors.js';
import type { ChatMessage } from './chat_template.js';
import { loopsOver } from './jinja/loops_over.js';

interface Part {
  readonly type: string;
  readonly text?: unknown;
}

/**
 * The messages as the template takes them: a template that does not go through the parts of a content gets their texts,
 * joined by line breaks.
 *
 * @throws TransformerError `unsupported` for parts that are not texts, which no model here reads in a conversation.
 */
export function withPartsFor(template: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(hasParts)) return messages;
  for (const [i, message] of messages.entries()) checkParts(message, i + 1);
  if (takesParts(template)) return messages;
  return messages.map((message) =>
    hasParts(message) ? { ...message, content: message.content.map(({ text }) => text).join('\n') } : message,
  );
}

/** The result of a tool may be any list. */
const hasParts = (message: ChatMessage): message is ChatMessage & { content: Part[] } =>
  message.role !== 'tool' && Array.isArray(message.content);

function checkParts(message: ChatMessage, number: number): void {
  if (!hasParts(message)) return;
  for (const [i, part] of message.content.entries()) {
    if (part?.type === 'text' && typeof part.text === 'string') continue;
    const given = typeof part?.type === 'string' ? `of the type '${part.type}'` : 'something else';
    fail(
      'unsupported',
      `a conversation takes texts only, { type: 'text', text }: part ${i + 1} of message ${number} is ${given}`,
    );
  }
}

/** A template that is wrong says so when it is rendered. */
function takesParts(template: string): boolean {
  try {
    return loopsOver(template, 'content');
  } catch {
    return true;
  }
}
