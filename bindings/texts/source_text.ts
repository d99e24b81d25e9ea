/** A text to translate, taken apart. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject } from '../files/json_object.js';
import { tasksOf } from '../generation/task_settings.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { type KeptSpan, KeptSpans } from './kept_spans.js';
import type { ReadTranslateOptions } from './options.js';
import { halves } from './parts.js';
import { sentencesOf } from './sentences.js';

/** A text and what the model is given of it. */
export class SourceText {
  readonly text: string;
  /** The sentences, in order. */
  readonly spans: readonly Span[];
  /** What is not given to the model, in order. */
  readonly kept: readonly KeptSpan[];
  /** The text with letters in place of what is kept, whose marks end no sentence. */
  readonly #masked: string;
  /** Whether the model reads it as it is. */
  readonly isWhole: boolean;
  /** The prefix that names the model's task or a language, at the beginning of the text: it precedes each sentence. */
  readonly #prefix: string;
  /** Where that begins. */
  readonly #begin: number;

  private constructor(model: Loaded, text: string, place: number, options: ReadTranslateOptions & Finder) {
    this.text = text;
    this.#begin = text.length - text.trimStart().length;
    this.isWhole = options.split === false;
    const begun = text.slice(this.#begin);
    this.#prefix = this.isWhole
      ? ''
      : (prefixes(model).find((prefix) => begun.startsWith(prefix)) ?? ownPrefix(model, begun));
    const after = this.#begin + this.#prefix.length;
    this.kept = options.finder.in(text, place).filter(({ span }) => this.#prefix === '' || span[0] >= after);
    this.#masked = masked(text, this.kept);
    if (this.isWhole) {
      this.spans = text.trim() === '' ? [] : [[0, text.length]];
      return;
    }
    const { generation, wrapped, sourceLanguage: language = generation.srcLang } = options;
    const found = sentencesOf(this.#masked.slice(after), { language, wrapped });
    const isLed = (i: number) => i === 0 && this.#prefix !== '';
    this.spans = found.map(([from, to], i) => [isLed(i) ? this.#begin : after + from, after + to]);
  }

  static ofAll(model: Loaded, texts: readonly string[], options: ReadTranslateOptions): SourceText[] {
    const finder = new KeptSpans(options.keep, options.glossary);
    return texts.map((text, place) => new SourceText(model, text, place, { ...options, finder }));
  }

  /** Those of the spans that are kept within a range. */
  keptIn([begin, end]: Span): readonly KeptSpan[] {
    const placeOf = (at: number) => {
      let [low, high] = [0, this.kept.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((this.kept[middle]?.span[0] ?? 0) < at) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return this.kept.slice(placeOf(begin), placeOf(end));
  }

  /** What the model reads of a range, on one line. */
  lineOf([begin, end]: Span): string {
    const part = this.text.slice(begin, end);
    return this.isWhole ? part : part.replace(/[\r\n]/g, ' ');
  }

  /** What precedes the range where the model reads it. */
  prefixOf([begin]: Span): string {
    return this.isWhole || begin === this.#begin ? '' : this.#prefix;
  }

  /** Two halves of a range, none of which is a prefix alone; `null` if it is a single word. */
  halve([begin, end]: Span): [Span, Span] | null {
    if (begin !== this.#begin) return halves(this.#masked, [begin, end]);
    const found = halves(this.#masked, [begin + this.#prefix.length, end]);
    return found && [[begin, found[0][1]], found[1]];
  }
}

interface Finder {
  readonly finder: KeptSpans;
}

/** Letters of no case, so that a sentence may begin with them; small ones and digits where such stand. */
function masked(text: string, kept: readonly KeptSpan[]): string {
  let whole = '';
  let end = 0;
  for (const { span } of kept) {
    const own = text.slice(...span);
    const letter = /^\p{Ll}/u.test(own) ? 'x' : /^\d/.test(own) ? '0' : '\u01c3';
    const hasMarks = /[\p{L}{}.?!:;]/u.test(own) && !/^\p{Extended_Pictographic}/u.test(own);
    whole += text.slice(end, span[0]) + (hasMarks ? letter.repeat(own.length) : own);
    end = span[1];
  }
  return whole + text.slice(end);
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
