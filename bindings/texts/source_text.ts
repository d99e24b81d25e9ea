/** A text to translate, taken apart. */

import type { Loaded } from '../checkpoint/loaded.js';
import { Pauses } from '../engine/steps.js';
import { isJsonObject } from '../files/json_object.js';
import { tasksOf } from '../generation/task_settings.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fits } from './lengths.js';
import type { ReadTranslateOptions } from './options.js';
import { halves } from './parts.js';
import { sentencesOf } from './sentences.js';

/** A text and what the model is given of it. */
export class SourceText {
  readonly text: string;
  #spans: readonly Span[];
  /** Whether the model reads it as it is. */
  readonly #isWhole: boolean;
  /** The prefix that names the model's task or a language, at the beginning of the text: it precedes each sentence. */
  readonly #prefix: string;
  /** Where that begins. */
  readonly #begin: number;

  private constructor(model: Loaded, text: string, options: ReadTranslateOptions) {
    this.text = text;
    this.#begin = text.length - text.trimStart().length;
    this.#isWhole = options.split === false;
    if (this.#isWhole) {
      this.#prefix = '';
      this.#spans = text.trim() === '' ? [] : [[0, text.length]];
      return;
    }
    const begun = text.slice(this.#begin);
    this.#prefix = prefixes(model).find((prefix) => begun.startsWith(prefix)) ?? ownPrefix(model, begun);
    const after = this.#begin + this.#prefix.length;
    const { generation, wrapped, sourceLanguage: language = generation.srcLang } = options;
    const found = sentencesOf(text.slice(after), { language, wrapped });
    const isLed = (i: number) => i === 0 && this.#prefix !== '';
    this.#spans = found.map(([from, to], i) => [isLed(i) ? this.#begin : after + from, after + to]);
  }

  /** @throws the signal's reason. */
  static async ofAll(
    model: Loaded,
    texts: readonly string[],
    options: ReadTranslateOptions,
  ): Promise<SourceText[]> {
    const pauses = new Pauses(options.generation.signal);
    const sources: SourceText[] = [];
    for (const text of texts) {
      const source = new SourceText(model, text, options);
      if (!source.#isWhole) source.#spans = await source.#fitting(model, options.generation, pauses);
      sources.push(source);
    }
    return sources;
  }

  /** The pieces that the model reads at once, in order. */
  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** The text that the model reads for a range. */
  inputOf([begin, end]: Span): string {
    const part = this.text.slice(begin, end);
    if (this.#isWhole) return part;
    const line = part.replace(/[\r\n]/g, ' ');
    return begin === this.#begin ? line : this.#prefix + line;
  }

  /** How many letters of the input of a range come before it. */
  addedTo([begin]: Span): number {
    return begin === this.#begin ? 0 : this.#prefix.length;
  }

  /** Two halves of a range, none of which is a prefix alone; `null` if it is a single word. */
  halve([begin, end]: Span): [Span, Span] | null {
    if (begin !== this.#begin) return halves(this.text, [begin, end]);
    const found = halves(this.text, [begin + this.#prefix.length, end]);
    return found && [[begin, found[0][1]], found[1]];
  }

  /** The ranges, or the parts of those that are too long for the model: single words at the worst. */
  async #fitting(
    model: Loaded,
    generation: ReadTranslateOptions['generation'],
    pauses: Pauses,
  ): Promise<Span[]> {
    const spans: Span[] = [];
    const add = async (span: Span) => {
      await pauses.after(span[1] - span[0]);
      const parts = (await fits(model, this.inputOf(span), generation)) ? null : this.halve(span);
      if (!parts) spans.push(span);
      else for (const part of parts) await add(part);
    };
    for (const span of this.#spans) await add(span);
    return spans;
  }
}

/** The prefixes of the model's tasks, as T5 has. */
function prefixes(model: Loaded): string[] {
  return Object.values(tasksOf(model)).flatMap((task) =>
    isJsonObject(task) && typeof task.prefix === 'string' && task.prefix !== '' ? [task.prefix] : [],
  );
}

/** A language or task that the text itself begins with: `>>fra<< `, `<2de> `, `translate English to German: `. */
function ownPrefix({ tokenizer }: Loaded, text: string): string {
  const named = text.match(/^translate \p{L}+ to \p{L}+: /u)?.[0];
  if (named) return named;
  const [prefix = '', token = ''] = text.match(/^(>>[\w-]+<<|<2[\w-]+>)\s*/) ?? [];
  return (tokenizer?.idOf(token) ?? null) === null ? '' : prefix;
}
