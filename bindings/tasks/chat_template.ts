/** Chat templates: how a checkpoint writes a conversation as one text. */

import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import type { Folder } from '../files/folder.js';
import { isJsonObject } from '../files/json_object.js';
import { readJson, readText } from '../files/read_json.js';
import { fail, messageOf } from '../values/errors.js';

/** One turn of a conversation. */
export interface ChatMessage {
  /** Who speaks: 'system', 'user', 'assistant', 'tool', .... */
  role: string;
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

/** Milliseconds after which a template counts as one that does not end; known ones take less than ten. */
const longestTime = 3000;

/** The longest range that Jinja's sandbox allows. */
const longestRange = 100_000;

/**
 * Renders a conversation.
 *
 * @param variables what the template sees: messages, add_generation_prompt, tools, the special tokens, ...
 * @throws TransformerError `invalid_argument` if the template refuses the conversation; `bad_checkpoint` if the
 *   template itself fails or does not end.
 */
export function renderChatTemplate(template: string, variables: Readonly<Record<string, unknown>>): string {
  let refusal: string | null = null;
  const environment = new Environment();
  const globals = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    tools: null,
    documents: null,
    range,
    strftime_now: (format: string) => strftime(new Date(), format),
    raise_exception(sentence: unknown) {
      refusal = String(sentence);
      throw new Error(refusal);
    },
    ...variables,
  };
  try {
    for (const [name, value] of Object.entries(globals)) environment.set(name, value);
    // Jinja drops one newline at the end of a template.
    const program = parse(tokenize(template.replace(/\n$/, ''), { lstrip_blocks: true, trim_blocks: true }));
    const rendered: unknown = new BoundedInterpreter(environment).run(program).value;
    return String(rendered);
  } catch (error) {
    if (refusal !== null)
      fail('invalid_argument', `the chat template refuses this conversation: ${refusal}`, error);
    return fail('bad_checkpoint', `the chat template failed: ${messageOf(error)}`, error);
  }
}

/** Gives up on a template that does not end in reasonable time. */
class BoundedInterpreter extends Interpreter {
  readonly #end = performance.now() + longestTime;

  override evaluate(...given: Parameters<Interpreter['evaluate']>): ReturnType<Interpreter['evaluate']> {
    if (performance.now() > this.#end) throw new Error('it takes too long; does it loop?');
    return super.evaluate(...given);
  }
}

/** Python's range. */
function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  if (step === 0) throw new Error('range() arg 3 must not be zero');
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > longestRange) throw new Error(`a range of ${count} is too long`);
  return Array.from({ length: count }, (_, i) => from + i * step);
}

/** The most common of Python's formats of a date; in English, as templates expect. */
function strftime(date: Date, format: string): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const part = (options: Intl.DateTimeFormatOptions) => date.toLocaleDateString('en-US', options);
  const parts: Readonly<Record<string, string>> = {
    Y: `${date.getFullYear()}`,
    y: two(date.getFullYear() % 100),
    m: two(date.getMonth() + 1),
    d: two(date.getDate()),
    H: two(date.getHours()),
    I: two(date.getHours() % 12 || 12),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    p: date.getHours() < 12 ? 'AM' : 'PM',
    B: part({ month: 'long' }),
    b: part({ month: 'short' }),
    A: part({ weekday: 'long' }),
    a: part({ weekday: 'short' }),
    '%': '%',
  };
  return format.replace(/%(.)/gs, (whole, letter: string) => parts[letter] ?? whole);
}
