/** Chat templates: how a checkpoint writes a conversation as one text. */

import type { Folder } from '../files/folder.js';
import { isJsonObject } from '../files/json_object.js';
import { readJson, readText } from '../files/read_json.js';
import { type RenderOptions, render } from '../jinja/index.js';
import { cross } from '../values/border.js';
import { fail, messageOf, TransformerError } from '../values/errors.js';

/** One turn of a conversation. */
export interface ChatMessage {
  /** Who speaks: 'system', 'user', 'assistant', 'tool', .... */
  role: string;
  /** A text, or a list of `{ type: 'text', text }`. */
  content: unknown;
  [field: string]: unknown;
}

/** The folder's templates by name; most have one, named 'default'. */
export async function readChatTemplates(folder: Folder, signal?: AbortSignal): Promise<Map<string, string>> {
  const [file, config] = await Promise.all([
    readText(folder, 'chat_template.jinja', signal),
    readJson(folder, 'tokenizer_config.json', signal),
  ]);
  const templates = new Map<string, string>();
  const stored = config?.chat_template;
  if (typeof stored === 'string') templates.set('default', stored);
  if (Array.isArray(stored))
    for (const entry of stored)
      if (isJsonObject(entry) && typeof entry.template === 'string')
        templates.set(String(entry.name), entry.template);
  if (file !== null) templates.set('default', file);
  return templates;
}

/**
 * Renders a conversation.
 *
 * @param variables what the template sees: messages, add_generation_prompt, tools, the special tokens, ...
 * @throws TransformerError `invalid_argument` if the template refuses the conversation; `bad_checkpoint` if the
 *   template itself fails, or takes too much time or memory.
 */
export function renderChatTemplate(template: string, variables: Readonly<Record<string, unknown>>): string {
  const args: [string, Readonly<Record<string, unknown>>] = [template, variables];
  return cross('template variables', args, (written, read) => renderTemplate(written, read));
}

/**
 * Likewise, of values that were read at the border.
 *
 * @param watch lists whose owner hears when the template goes through one
 */
export function renderTemplate(
  template: string,
  variables: Readonly<Record<string, unknown>>,
  watch: Omit<RenderOptions, 'refuse'> = {},
): string {
  const refuse = (sentence: string): never =>
    fail('invalid_argument', `the chat template refuses this conversation: ${sentence}`);
  try {
    return render(template, { tools: null, documents: null, ...variables }, { ...watch, refuse });
  } catch (error) {
    if (error instanceof TransformerError) throw error;
    // The stack of the caller may be nearly used up, or that of JavaScript may be small.
    if (error instanceof RangeError) fail('bad_checkpoint', 'the chat template is nested too deep', error);
    return fail('bad_checkpoint', `the chat template failed: ${messageOf(error)}`, error);
  }
}
