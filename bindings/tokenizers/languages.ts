/** The tokens that tell a multilingual model the source and target languages. */

import type { JsonObject } from '../files/json_object.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';

/** The ids around a text. */
export interface Marks {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** How a family writes language tokens, and where it puts them. */
interface LanguageScheme {
  /** Matches a language token; the first group is the language's code. */
  readonly token: RegExp;
  /**
   * - `source first`: the source language comes before the text; the target language is the decoder's first token.
   * - `source last`: the source language comes after the end of the text, in older models.
   * - `target first`: the target language comes before the text.
   */
  readonly place: 'source first' | 'source last' | 'target first';
  /** The default source language. */
  readonly usual: string | null;
}

/** @param config tokenizer_config.json */
export type SchemeOf = (config: JsonObject, hasToken: (token: string) => boolean) => LanguageScheme;

/** Target language in front, such as `>>fra<<`. */
export const marianScheme: SchemeOf = () => ({
  token: /^>>(.+)<<$/,
  place: 'target first',
  usual: null,
});

/** Such as `fr_XX`. mBART-50 puts the language first, mBART-CC25 last. */
export const mbartScheme: SchemeOf = (config, hasToken) => ({
  token: /^([a-z]{2}_[A-Z]{2})$/,
  place: isFirstMbart(config) || !hasToken('sl_SI') ? 'source last' : 'source first',
  usual: 'en_XX',
});

/** mBART-CC25, which has a tokenizer class of its own. */
export const isFirstMbart = ({ tokenizer_class: name }: JsonObject) => name === 'MBartTokenizer';

/** M2M100's such as `__fr__`, NLLB's such as `fra_Latn`. */
export const m2m100Scheme: SchemeOf = (config, hasToken) =>
  hasToken('__en__')
    ? { token: /^__(.+)__$/, place: 'source first', usual: 'en' }
    : {
        token: /^([a-z]{3}_[A-Z][a-z]{3})$/,
        place: config.legacy_behaviour === true ? 'source last' : 'source first',
        usual: 'eng_Latn',
      };

export class Languages {
  readonly #place: LanguageScheme['place'];
  readonly #usual: string | null;
  readonly #end: number;
  readonly #ids: ReadonlyMap<string, number>;

  private constructor(scheme: LanguageScheme, ids: ReadonlyMap<string, number>, end: number) {
    this.#place = scheme.place;
    this.#usual = scheme.usual;
    this.#end = end;
    this.#ids = ids;
  }

  /** The languages of a tokenizer; `null` if its vocabulary has no language tokens. */
  static of(schemeOf: SchemeOf, codec: Codec, configs: TokenizerConfigs): Languages | null {
    const scheme = schemeOf(configs.tokenizer, (token) => codec.idOf(token) !== null);
    const ids = new Map<string, number>();
    const note = (token: string | null, id: number) => {
      const code = scheme.token.exec(token ?? '')?.[1];
      if (code !== undefined) ids.set(code, id);
    };
    // Marian's language tokens are in the vocabulary itself.
    if (scheme.place === 'target first')
      for (let id = 0; id < codec.size; id++) note(codec.tokenOf(id, true), id);
    for (const { content, id } of codec.added) note(content, id);
    const end = codec.idOf(roleOf(configs, 'eos_token', '</s>'));
    if (ids.size === 0 || end === null) return null;
    const given = configs.tokenizer.src_lang;
    const usual = typeof given === 'string' && ids.has(given) ? given : scheme.usual;
    return new Languages({ ...scheme, usual: usual !== null && ids.has(usual) ? usual : null }, ids, end);
  }

  /** The codes that `srcLang` and `tgtLang` accept. */
  get codes(): string[] {
    return [...this.#ids.keys()];
  }

  /**
   * The ids around a text; `null` if the tokenizer's default applies.
   *
   * @internal
   * @throws TransformerError `invalid_argument` for an unknown language, `unsupported` if the model takes none.
   */
  marksFor(srcLang?: string, tgtLang?: string): Marks | null {
    const target = tgtLang === undefined ? null : this.#idOf(tgtLang, 'tgtLang');
    if (this.#place === 'target first') {
      if (srcLang !== undefined) {
        fail('unsupported', 'this model does not take a source language; leave srcLang out');
      }
      return target === null ? null : { before: [target], after: [this.#end] };
    }
    const source = srcLang ?? this.#usual;
    if (source === null) return null;
    const id = this.#idOf(source, 'srcLang');
    return this.#place === 'source first'
      ? { before: [id], after: [this.#end] }
      : { before: [], after: [this.#end, id] };
  }

  /** The token that the decoder must begin with to answer in `tgtLang`; `null` if the source carries the language. */
  forcedBosTokenId(tgtLang?: string): number | null {
    if (tgtLang === undefined || this.#place === 'target first') return null;
    return this.#idOf(tgtLang, 'tgtLang');
  }

  #idOf(language: string, option: string): number {
    const id = this.#ids.get(language);
    if (id !== undefined) return id;
    const codes = this.codes;
    const first = String(language).slice(0, 2).toLowerCase();
    const near = codes.filter((code) => code.toLowerCase().startsWith(first));
    const shown = [...new Set([...near, ...codes])].slice(0, 8).map((code) => `'${code}'`);
    const more = codes.length > shown.length ? `, ... (${codes.length} in all)` : '';
    return fail(
      'invalid_argument',
      `${option}: the model does not know the language '${language}'; it knows ${shown.join(', ')}${more}`,
    );
  }
}

border(Languages, { forcedBosTokenId: 'tgtLang' });
