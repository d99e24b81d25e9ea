/** Answers with calls of tools, whose arguments keep to the tools' schemas. */

import { hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { formOf } from '../generation/constrained.js';
import type { Constraint, GenerationOptions } from '../generation/options.js';
import type { StreamChunk } from '../generation/results.js';
import { stream } from '../generation/stream.js';
import { type ChatMessage, type ChatOptions, type Prepared, prepare } from '../tasks/chat.js';
import { fail, TransformerError } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import { AnswerParser, type AnswerPart } from './answer_parser.js';
import { formatOf, type ToolFormat, type ToolKind, thinking, toolFormats, toolKinds } from './kinds.js';
import { callForm, checkTools, shownTools, type Tool } from './schemas.js';

export interface ToolOptions extends Omit<ChatOptions, 'tools' | 'constrain' | 'prefix'> {
  tools?: readonly Tool[];
  /** `'required'`: the answer is a call; `{ name }`: of this tool. Default: `'auto'`, as the model chooses. */
  toolChoice?: 'auto' | 'required' | { name: string };
  /** How the model writes calls. Default: as its template shows. */
  toolFormat?: ToolFormat;
  /** Whether the arguments of calls keep to the tools' schemas. Default: true. */
  strict?: boolean;
}

/** The parts of an answer, while it is written. */
export async function* answerParts(
  model: Loaded,
  messages: readonly ChatMessage[],
  { tools = [], toolChoice = 'auto', toolFormat, strict = true, ...options }: ToolOptions,
): AsyncGenerator<AnswerPart, void, void> {
  checkTools(tools);
  if (toolFormat !== undefined && !toolFormats.includes(toolFormat))
    fail(
      'invalid_argument',
      `toolFormat must be one of ${toolFormats.join(', ')}, got ${describe(toolFormat)}`,
    );
  const shown = tools.length > 0 ? { tools: shownTools(tools) } : {};
  const prepared = await prepare(model, messages, { ...options, ...shown });
  const format = toolFormat ?? formatOf(prepared.template);
  const names = new Set(tools.map(({ name }) => name));
  const callsBefore = messages.flatMap(({ tool_calls: calls }) => calls ?? []).length;
  const parser = new AnswerParser({ format, names, callsBefore, prompt: prepared.prompt });
  const answer = new Answer(model, prepared, { parser, kind: toolKinds[format] });
  if (toolChoice === 'auto') {
    yield* answer.parts(strict && tools.length > 0 ? callForm(toolKinds[format], tools) : null);
  } else {
    const isWanted = ({ name }: Tool) => toolChoice === 'required' || name === toolChoice.name;
    const wanted = tools.filter(isWanted);
    if (wanted.length === 0) fail('invalid_argument', `toolChoice is no tool: ${describe(toolChoice)}`);
    yield* answer.call(callForm(toolKinds[format], wanted));
  }
  yield* parser.end();
}

type CallForm = ReturnType<typeof callForm>;

class Answer {
  readonly #model: Loaded;
  readonly #kind: ToolKind;
  readonly #parser: AnswerParser;
  readonly #generation: GenerationOptions;
  readonly #mayConstrain: boolean;
  /** What the model has read and written, and how many tokens may follow. */
  #ids: number[];
  #left: number;

  constructor(model: Loaded, { ids, generation }: Prepared, of: { parser: AnswerParser; kind: ToolKind }) {
    this.#model = model;
    this.#parser = of.parser;
    this.#kind = of.kind;
    this.#generation = generation;
    this.#ids = ids;
    this.#left = generation.maxNewTokens ?? model.generation.options.maxNewTokens ?? Number.POSITIVE_INFINITY;
    this.#mayConstrain = !hasEncoder(model);
  }

  /** @param form what a call keeps to once it has begun; `null`: none does */
  async *parts(form: CallForm | null): AsyncGenerator<AnswerPart, void, void> {
    let isFree = this.#mayConstrain;
    // A form that cannot be kept to is refused before anything is written.
    if (isFree && form) await formOf(this.#model, form, 0);
    while (this.#left > 0) {
      let before: string | null = null;
      for await (const chunk of this.#stream({})) {
        const from = this.#parser.callSoFar;
        const text = this.#textOf(chunk);
        yield* this.#parser.push(text);
        before = this.#parser.callSoFar;
        if (form && isFree && before !== null && from === null) {
          this.#take(chunk, before === '' ? '' : text.slice(0, -before.length));
          break;
        }
        before = null;
        this.#take(chunk);
      }
      if (before === null || !form) return;
      try {
        yield* this.#constrained(form, before);
        if (this.#kind.close === undefined) return;
        yield* this.#write(`${this.#kind.lead ?? ''}${this.#kind.close}`);
      } catch (error) {
        // The beginning that the model chose is not one that the schema allows.
        const isRefused = error instanceof TransformerError && error.code === 'invalid_argument';
        if (!isRefused || before.trim() === '') throw error;
        this.#add(before);
        isFree = false;
      }
    }
  }

  async *call(form: CallForm): AsyncGenerator<AnswerPart, void, void> {
    if (!this.#mayConstrain)
      fail('unsupported', "for a model with an encoder, toolChoice can only be 'auto'");
    const { open, lead = '', close } = this.#kind;
    yield* this.#write(`${open ?? ''}${lead}`);
    yield* this.#constrained(form, '');
    if (close !== undefined) yield* this.#write(`${lead}${close}`);
  }

  /** A call that begins with this text, all of which was read already. */
  async *#constrained(form: CallForm, before: string): AsyncGenerator<AnswerPart, void, void> {
    const prefix = before.trimStart();
    this.#add(prefix === '' ? (this.#kind.lead ?? '').slice(before.length) : before.slice(0, -prefix.length));
    const own = { constrain: form as unknown as Constraint, ...(prefix !== '' && { prefix }) };
    const written: StreamChunk[] = [];
    for await (const chunk of this.#stream(own)) {
      written.push(chunk);
      yield* this.#parser.push(this.#textOf(chunk));
    }
    this.#add(prefix);
    for (const chunk of written) this.#take(chunk);
  }

  #stream(own: GenerationOptions): AsyncGenerator<StreamChunk, void, void> {
    const { maxNewTokens: _, ...options } = this.#generation;
    const most = Number.isFinite(this.#left) ? { maxNewTokens: this.#left } : {};
    return stream(this.#model, this.#ids, { ...options, ...most, ...own });
  }

  /** Special tokens are silent, but for the marks among them. */
  #textOf({ text, token }: StreamChunk): string {
    const { open, alsoOpen, close } = this.#kind;
    const isMark = [open, alsoOpen, close, ...thinking.flat()].includes(token);
    return text === '' && isMark ? token : text;
  }

  /** @param text of a token of which only the beginning counts */
  #take({ id }: StreamChunk, text?: string): void {
    this.#left--;
    const tokenizer = requireTokenizer(this.#model, 'it cannot chat');
    const ends = [this.#model.generation.options.eosTokenId ?? []].flat();
    if (ends.includes(id)) return;
    if (text === undefined || text === tokenizer.decode([id]) || tokenizer.isSpecial(id)) this.#ids.push(id);
    else this.#add(text);
  }

  #add(text: string): void {
    const tokenizer = requireTokenizer(this.#model, 'it cannot chat');
    if (text !== '') this.#ids.push(...tokenizer.encode(text, { addSpecialTokens: false }).ids);
  }

  *#write(text: string): Generator<AnswerPart, void, void> {
    this.#add(text);
    yield* this.#parser.push(text);
  }
}
