/** A conversation that goes on turn by turn, each after the tokens of those before it. */

import { hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import { newText } from '../generation/new_text.js';
import { stream } from '../generation/stream.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { readFields, toBoolean, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { type ChatMessage, type ChatOptions, prepare } from './chat.js';
import { readSession, savedSession } from './session_file.js';
import {
  checked,
  type SaveOptions,
  type SessionChunk,
  type SessionOptions,
  type SessionReply,
  type Turn,
} from './session_options.js';

export type { SaveOptions, SessionChunk, SessionOptions, SessionReply, WhenFull } from './session_options.js';

/** A turn as the model has read and written it. */
interface Answered {
  readonly asked: ChatMessage;
  readonly prompt: string;
  readonly ids: number[];
  readonly written: number[];
  readonly text: string;
}

export class Session {
  readonly #model: () => Loaded;
  readonly #options: SessionOptions;
  #turns: readonly Turn[];
  #isDisposed = false;
  #isBusy = false;

  /** @internal */
  constructor(model: () => Loaded, options: SessionOptions, turns: readonly Turn[] = []) {
    this.#model = model;
    this.#options = checked(options);
    this.#turns = turns;
  }

  /** The conversation so far. */
  get messages(): ChatMessage[] {
    return [...this.#opening(), ...this.#turns.flatMap(({ question, answer }) => [question, answer])];
  }

  /** The number of turns: questions with their answers. */
  get turns(): number {
    return this.#turns.length;
  }

  /**
   * Asks the next question and waits for the answer. A turn that fails, or is aborted, leaves the session as it was.
   *
   * @param options of this turn, before those of the session
   * @throws TransformerError like {@link Model.chat}; `invalid_argument` while another turn is running, and where the
   *   model has no room for the conversation and `whenFull` is `'error'`
   */
  async send(question: string | ChatMessage, options: ChatOptions = {}): Promise<SessionReply> {
    return this.#alone(async () => {
      const model = this.#alive();
      const asked = messageOf(question);
      const { prompt, ids, generation, dropped, begun } = await this.#prepare(model, asked, options);
      const [result] = await generate(model, [ids], generation);
      const sequence = result?.sequences[0] ?? fail('internal', 'a generation returned no result');
      const written = hasEncoder(model) ? sequence.ids : sequence.ids.slice(ids.length);
      const before = hasEncoder(model) ? '' : requireTokenizer(model, 'it cannot chat').decode(ids);
      const text = newText(before, sequence.text);
      this.#keep(model, { asked, prompt, ids, written, text }, begun);
      const message = { role: 'assistant', content: text } as const;
      return { text, message, prompt, score: sequence.score, ids: written, dropped };
    });
  }

  /**
   * Like {@link send}, token by token, each with how many turns, or tokens, were left out. Leaving the loop ends the
   * answer, which is kept as far as it was yielded.
   */
  async *stream(
    question: string | ChatMessage,
    options: ChatOptions = {},
  ): AsyncGenerator<SessionChunk, void, void> {
    this.#enter();
    try {
      const model = this.#alive();
      const asked = messageOf(question);
      const { prompt, ids, generation, dropped, begun } = await this.#prepare(model, asked, options);
      const written: number[] = [];
      let text = '';
      let isFailed = true;
      try {
        for await (const chunk of stream(model, ids, generation)) {
          written.push(chunk.id);
          text += chunk.text;
          isFailed = false;
          yield { ...chunk, dropped };
          isFailed = true;
        }
        isFailed = false;
      } finally {
        if (!isFailed) this.#keep(model, { asked, prompt, ids, written, text }, begun);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  /** Another session that goes on from here. */
  fork(): Session {
    this.#alive();
    return new Session(this.#model, this.#options, this.#turns);
  }

  /**
   * Goes back to after so many turns; 0: to the beginning.
   *
   * @throws TransformerError `invalid_argument`
   */
  rewind(turns: number): void {
    this.#alive();
    if (this.#isBusy) fail('invalid_argument', 'a session cannot be rewound while it answers');
    if (!Number.isSafeInteger(turns) || turns < 0 || turns > this.turns)
      fail('invalid_argument', `turns must be from 0 to ${this.turns}, got ${describe(turns)}`);
    this.#turns = this.#turns.slice(0, turns);
  }

  /**
   * The conversation with its tokens, for `loadSession` of the same model. Functions among the options are left out.
   *
   * @param options `cache`: whether to save the keys and values that the model remembers of it too, so that it need not
   *   be read again; they take much more room
   */
  async save(options: SaveOptions = {}): Promise<Uint8Array> {
    const { cache = false } = readFields(options, { cache: toBoolean });
    return savedSession(this.#alive(), { options: this.#options, turns: this.#turns }, cache);
  }

  /** Ends the session. */
  dispose(): void {
    this.#isDisposed = true;
    this.#turns = [];
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #alive(): Loaded {
    if (this.#isDisposed) fail('disposed', 'this session was disposed and can no longer be used');
    return this.#model();
  }

  #opening(): ChatMessage[] {
    const { system } = this.#options;
    return system === undefined ? [] : [{ role: 'system', content: system }];
  }

  #enter(): void {
    if (this.#isBusy)
      fail('invalid_argument', 'the session is still answering; fork it for another question');
    this.#isBusy = true;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#enter();
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  async #prepare(model: Loaded, asked: ChatMessage, own: ChatOptions) {
    const { system: _, whenFull = 'error', maxTokens, ...settings } = this.#options;
    const options: ChatOptions = { ...settings, ...toObject(own, 'options') };
    const room = Math.min(
      maxTokens ?? Number.POSITIVE_INFINITY,
      model.plan.maxPositions ?? Number.POSITIVE_INFINITY,
    );
    for (let dropped = 0; ; dropped++) {
      const turns = this.#turns.slice(dropped);
      const messages = [
        ...this.#opening(),
        ...turns.flatMap(({ question, answer }) => [question, answer]),
        asked,
      ];
      const known = dropped === 0 ? turns.at(-1)?.known : undefined;
      const prepared = await prepare(model, messages, options, known);
      const { ids, generation } = prepared;
      const wanted = generation.maxNewTokens ?? 1;
      const missing = hasEncoder(model) ? ids.length - room : ids.length + wanted - room;
      if (missing <= 0) return { ...prepared, dropped, begun: dropped };
      if (whenFull === 'drop' && turns.length > 0) continue;
      if (typeof whenFull === 'object' && ids.length - missing > whenFull.keep) {
        const kept = [...ids.slice(0, whenFull.keep), ...ids.slice(whenFull.keep + missing)];
        return { ...prepared, ids: kept, dropped: missing, begun: 0 };
      }
      return fail(
        'invalid_argument',
        `the conversation has ${ids.length} tokens and its answer up to ${wanted}, but there is room for ${room}; see whenFull`,
      );
    }
  }

  /** @param begun the turn that the conversation as it was read begins with */
  #keep(model: Loaded, { asked, prompt, ids, written, text }: Answered, begun: number): void {
    const tokenizer = requireTokenizer(model, 'it cannot chat');
    // The template writes the end of the answer.
    const ends = new Set([model.generation.options.eosTokenId ?? []].flat());
    const last = written.at(-1);
    const said =
      last !== undefined && (ends.has(last) || tokenizer.isSpecial(last)) ? written.slice(0, -1) : written;
    // An answer that was cut within a token is read again, by its text.
    const isWhole =
      !hasEncoder(model) && newText(tokenizer.decode(ids), tokenizer.decode([...ids, ...said])) === text;
    const known = isWhole ? { text: prompt + text, ids: [...ids, ...said] } : { text: prompt, ids };
    this.#turns = [
      ...this.#turns.slice(begun),
      { question: asked, answer: { role: 'assistant', content: text }, known },
    ];
  }
}

function messageOf(question: string | ChatMessage): ChatMessage {
  return typeof question === 'string'
    ? { role: 'user', content: question }
    : (toObject(question, 'the question') as ChatMessage);
}

/**
 * A session that `save` wrote.
 *
 * @throws TransformerError `invalid_argument` for bytes that are none or are damaged, and for those of another model
 */
export async function loadSession(model: () => Loaded, bytes: Uint8Array): Promise<Session> {
  const { options, turns } = await readSession(model(), bytes);
  return new Session(model, options, turns);
}

border(Session, { send: 'question options', stream: 'question options', rewind: 'turns', save: 'options' });
