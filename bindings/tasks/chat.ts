/** Conversations: the checkpoint's template writes them as a text, which the model continues with its answer. */

import { hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import { newText } from '../generation/new_text.js';
import { type GenerationOptions, readOptions } from '../generation/options.js';
import type { StreamChunk } from '../generation/results.js';
import { stream } from '../generation/stream.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import { renderMessages } from './chat_parts.js';
import { type ChatMessage, readChatTemplates } from './chat_template.js';
import { specialTokens } from './special_tokens.js';

export type { ChatMessage } from './chat_template.js';

export interface ChatOptions extends GenerationOptions {
  /** A Jinja template to use instead of the checkpoint's, or the name of one of them. */
  chatTemplate?: string;
  /** Functions that the model may call, and documents that it may read, for templates that show them. */
  tools?: unknown[];
  documents?: unknown[];
  /** Further variables of the template. */
  templateVariables?: Record<string, unknown>;
}

/** The answer to a conversation. */
export interface ChatReply {
  /** The text of the answer. */
  text: string;
  /** The answer as the next turn of the conversation. */
  message: { role: 'assistant'; content: string };
  /** The conversation as the model read it. */
  prompt: string;
  /** Log-probability of the answer. */
  score: number;
  /** Token ids of the answer, end token included. */
  ids: number[];
}

/** New tokens where neither the caller nor the checkpoint says how many: Python's 20 would cut most answers. */
const defaultNewTokens = 256;

/** Python's default of the total length, which stands for "not given". */
const unsetLength = 20;

/**
 * @throws TransformerError `invalid_argument` (`numReturnSequences` above 1 among them), `unsupported` (a checkpoint
 *   without a template); the signal's reason.
 */
export async function chat(
  model: Loaded,
  messages: readonly ChatMessage[],
  options: ChatOptions = {},
): Promise<ChatReply> {
  const { prompt, ids, generation } = await prepare(model, messages, options);
  const [result] = await generate(model, [ids], generation);
  const sequence = result?.sequences[0] ?? fail('internal', 'a generation returned no result');
  const written = hasEncoder(model) ? sequence.ids : sequence.ids.slice(ids.length);
  // A decoder's text begins with its prompt.
  const before = hasEncoder(model) ? '' : requireTokenizer(model, 'it cannot chat').decode(ids);
  const text = newText(before, sequence.text);
  const message = { role: 'assistant', content: text } as const;
  return { text, message, prompt, score: sequence.score, ids: written };
}

/** Like {@link chat}, one token after the other; the texts concatenate to the answer. */
export async function* streamChat(
  model: Loaded,
  messages: readonly ChatMessage[],
  options: ChatOptions = {},
): AsyncGenerator<StreamChunk, void, void> {
  const { ids, generation } = await prepare(model, messages, options);
  yield* stream(model, ids, generation);
}

export interface Prepared {
  /** The conversation as a text, and its tokens. */
  readonly prompt: string;
  readonly ids: number[];
  readonly template: string;
  readonly generation: GenerationOptions;
}

/** A text and its tokens. */
export interface Known {
  readonly text: string;
  readonly ids: readonly number[];
}

/**
 * The conversation as the model reads it.
 *
 * @param known how the conversation begins: where its text goes on from this one, so do its tokens
 */
export async function prepare(
  model: Loaded,
  messages: readonly ChatMessage[],
  options: ChatOptions,
  known: Known = { text: '', ids: [] },
): Promise<Prepared> {
  const { chatTemplate, tools, documents, templateVariables, ...generation } = toObject(
    options,
    'options',
  ) as ChatOptions;
  if ((generation.numReturnSequences ?? 1) > 1)
    fail(
      'invalid_argument',
      `a chat has one answer, got numReturnSequences ${generation.numReturnSequences}`,
    );
  const tokenizer = requireTokenizer(model, 'it cannot chat');
  // Before the work that they would be too late for.
  const { signal } = readOptions(generation);
  signal?.throwIfAborted();
  const tokens = await specialTokens(model.folder, signal);
  const template = await templateOf(model, chatTemplate, tools);
  checkShown(template, { tools, documents });
  const variables = toObject(templateVariables, 'templateVariables');
  for (const name of ['messages', 'add_generation_prompt'])
    if (name in variables) fail('invalid_argument', `templateVariables cannot set ${name}`);
  const prompt = renderMessages(template, checkMessages(messages), {
    ...tokens,
    ...(tools && { tools }),
    ...(documents && { documents }),
    ...variables,
    add_generation_prompt: true,
  });
  // The text holds the special tokens already.
  const begun = prompt.startsWith(known.text) ? known : { text: '', ids: [] };
  const rest = prompt.slice(begun.text.length);
  const added = await tokenizer.encodeLong(rest, { addSpecialTokens: false }, signal);
  const ids = [...begun.ids, ...added.ids];
  const { maxNewTokens, maxLength } = { ...model.generation.options, ...generation };
  const isSet =
    maxNewTokens !== undefined || maxLength !== undefined || model.generation.maxLength !== unsetLength;
  if (isSet) return { prompt, ids, template, generation };
  const room = hasEncoder(model)
    ? defaultNewTokens
    : (model.plan.maxPositions ?? Number.POSITIVE_INFINITY) - ids.length;
  return {
    prompt,
    ids,
    template,
    generation: { ...generation, maxNewTokens: Math.max(1, Math.min(defaultNewTokens, room)) },
  };
}

/** A model cannot use what its template never writes down. */
function checkShown(template: string, shown: Pick<ChatOptions, 'tools' | 'documents'>): void {
  for (const name of ['tools', 'documents'] as const)
    if (shown[name]?.length && !template.includes(name))
      fail('unsupported', `the chat template does not show ${name} to the model`);
}

async function templateOf(model: Loaded, given: string | undefined, tools: unknown): Promise<string> {
  const templates = await readChatTemplates(model.folder);
  if (given !== undefined) return templates.get(given) ?? given;
  const [only] = templates.values();
  const forTools = tools === undefined ? undefined : templates.get('tool_use');
  const chosen = forTools ?? templates.get('default') ?? (templates.size === 1 ? only : undefined);
  if (chosen !== undefined) return chosen;
  return fail(
    'unsupported',
    templates.size === 0
      ? 'the checkpoint has no chat template (tokenizer_config.json, chat_template.jinja); pass one as chatTemplate'
      : `the checkpoint has several chat templates; pass one of them as chatTemplate: ${[...templates.keys()].join(', ')}`,
  );
}

function checkMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!Array.isArray(messages) || messages.length === 0)
    fail('invalid_argument', 'messages must be a list of { role, content } with at least one entry');
  for (const [i, message] of messages.entries()) {
    const { role } = toObject(message, `message ${i + 1}`);
    if (typeof role !== 'string' || role === '')
      fail('invalid_argument', `message ${i + 1} must have a role, such as 'user' or 'assistant'`);
  }
  return messages;
}
