/** Messages whose content is a list of parts, such as `[{ type: 'text', text: 'Hello' }]`. */

import { fail } from '../values/errors.js';
import { type ChatMessage, renderTemplate } from './chat_template.js';

interface Part {
  readonly type: string;
  readonly text?: unknown;
}

/**
 * Renders a conversation. A content that the template does not go through, such as one that it joins with a text, is
 * given as the texts of its parts, with line breaks between them. Whether it does is seen while it is rendered: a
 * template may well call the content something else.
 *
 * @throws TransformerError like `renderChatTemplate`; `unsupported` for parts that are not texts, which no model here
 *   reads in a conversation.
 */
export function renderMessages(
  template: string,
  messages: readonly ChatMessage[],
  variables: Readonly<Record<string, unknown>>,
): string {
  for (const [i, message] of messages.entries()) checkParts(message, i + 1);
  const unread = new Set<unknown>(messages.filter(hasParts).map(({ content }) => content));
  const watch = { watched: new Set(unread), onRead: (list: unknown) => unread.delete(list) };
  const asGiven = () => renderTemplate(template, { ...variables, messages }, watch);
  if (unread.size === 0) return asGiven();
  let rendered: () => string;
  try {
    const text = asGiven();
    rendered = () => text;
  } catch (error) {
    rendered = () => {
      throw error;
    };
  }
  if (unread.size === 0) return rendered();
  const joined = messages.map((message) =>
    hasParts(message) && unread.has(message.content)
      ? { ...message, content: message.content.map(({ text }) => text).join('\n') }
      : message,
  );
  return renderTemplate(template, { ...variables, messages: joined });
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
