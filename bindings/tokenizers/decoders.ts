/** The decoders of a tokenizer.json: how tokens become a text again. */

import { isJsonObject } from '../files/json_object.js';
import { decodeStrictly, utf8Decoder } from '../values/utf8.js';
import { byteOfLetter } from './byte_letters.js';
import { cleanUpRules, type Rule } from './clean_up.js';
import { metaspaceScheme } from './pre_tokenizers.js';
import { cutterOf } from './splits.js';
import { inSteps, type StepEntry, stepsOf } from './step_entry.js';
import { byteOf } from './utf8_bytes.js';

export type Decode = (tokens: readonly string[]) => readonly string[];

const decodersOf = (entry: unknown, file: string) =>
  stepsOf(entry, { list: 'decoders', step: 'decoder', file });

/** `null` without a decoder. @throws TransformerError `bad_checkpoint`, `unsupported` */
export function decoderOf(entry: unknown, file: string): Decode | null {
  if (entry === null || entry === undefined) return null;
  // Each text is counted with one letter more: one without letters takes memory, too.
  const lettersOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length + 1, 0);
  return inSteps(decodersOf(entry, file).map(singleDecoder), lettersOf, `${file}: the decoder`);
}

/** The bytes that a token writes wherever it stands; `null` if those around it change that. */
export function bytesDecoderOf(entry: unknown, file: string): ((token: string) => readonly number[]) | null {
  const steps = decodersOf(entry ?? { type: 'Sequence', decoders: [] }, file);
  const types = new Set(steps.map(({ type }) => type));
  if (steps.length === 0 || [...types].some((type) => dependent.has(type))) return null;
  if (types.has('ByteLevel')) return bytesOfLetters;
  // A word before the token keeps the space that begins a text.
  const written = steps.filter(({ type }) => type === 'Metaspace' || type === 'Replace').map(singleDecoder);
  const readsBytes = types.has('ByteFallback');
  return (token) => {
    const byte = readsBytes ? byteOf(token) : null;
    if (byte !== null) return [byte];
    const [, text = ''] = written.reduce<readonly string[]>((tokens, decode) => decode(tokens), ['', token]);
    return Array.from(new TextEncoder().encode(text));
  };
}

const dependent: ReadonlySet<string> = new Set(['BPEDecoder', 'CTC', 'WordPiece']);

/** Whether the first space of a text is left out. */
export const dropsFirstSpace = (entry: unknown, file: string): boolean =>
  decodersOf(entry ?? { type: 'Sequence', decoders: [] }, file).some(
    (step) =>
      (step.type === 'Metaspace' && metaspaceScheme(step) !== 'never') ||
      (step.type === 'Strip' && step.letter('content', ' ') === ' ' && step.count('start', 0) > 0),
  );

/** Whether byte tokens are decoded together, so that the next one may change the text of those before it. */
export const joinsBytes = (entry: unknown, file: string): boolean =>
  decodersOf(entry, file).some(({ type }) => type === 'ByteFallback');

/** Whether a token may change the text of the bytes before it, or be changed by those after it. */
export const isOpen = (token: string | null): boolean => token === null || byteOf(token) !== null;

/** The replacements that a decoder makes of given words. */
export const rulesOf = (entry: unknown, file: string): Rule[] =>
  decodersOf(entry, file).flatMap((step) => {
    const pattern = step.get('pattern');
    const from = isJsonObject(pattern) ? pattern.String : undefined;
    return step.type === 'Replace' && typeof from === 'string' ? [[from, step.text('content')] as const] : [];
  });

function singleDecoder(step: StepEntry): Decode {
  switch (step.type) {
    case 'BPEDecoder': {
      const suffix = step.text('suffix', '</w>');
      return (tokens) =>
        tokens.map((token, i) => replacedAll(token, suffix, i === tokens.length - 1 ? '' : ' '));
    }
    case 'ByteFallback':
      return joinedBytes;
    case 'ByteLevel':
      return (tokens) => [decodeUtf8(Uint8Array.from(tokens.flatMap(bytesOfLetters)))];
    case 'CTC':
      return ctc(step);
    case 'Fuse':
      return (tokens) => [tokens.join('')];
    case 'Metaspace': {
      const mark = step.letter('replacement', '\u2581');
      const first = metaspaceScheme(step) === 'never' ? ' ' : '';
      return (tokens) => tokens.map((token, i) => token.replaceAll(mark, i === 0 ? first : ' '));
    }
    case 'Replace': {
      const cutter = cutterOf(step);
      const content = step.text('content');
      return (tokens) =>
        tokens.map((token) =>
          cutter(token)
            .map(([begin, end, isMatch]) => (isMatch && token !== '' ? content : token.slice(begin, end)))
            .join(''),
        );
    }
    case 'Strip':
      return strip(step);
    case 'WordPiece':
      return wordPiece(step);
    default:
      return step.refuseType('decoder');
  }
}

/** An empty word is found before each letter, and at the end. */
const replacedAll = (text: string, from: string, to: string) =>
  from === '' ? `${to}${Array.from(text, (letter) => letter + to).join('')}` : text.replaceAll(from, to);

const decodeUtf8 = utf8Decoder({ ignoreBOM: true });

/** The bytes that the letters of a token stand for; its own if one of them stands for none. */
function bytesOfLetters(token: string): number[] {
  const bytes: number[] = [];
  for (const letter of token) {
    const byte = byteOfLetter(letter);
    if (byte === undefined) return Array.from(new TextEncoder().encode(token));
    bytes.push(byte);
  }
  return bytes;
}

/** Byte tokens that follow each other are one text; if that is not UTF-8, each is U+FFFD. */
function joinedBytes(tokens: readonly string[]): string[] {
  const decoded: string[] = [];
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length === 0) return;
    try {
      decoded.push(decodeStrictly(Uint8Array.from(bytes)));
    } catch {
      for (const _ of bytes) decoded.push('\ufffd');
    }
    bytes = [];
  };
  for (const token of tokens) {
    const byte = byteOf(token);
    if (byte !== null) {
      bytes.push(byte);
      continue;
    }
    flush();
    decoded.push(token);
  }
  flush();
  return decoded;
}

/** The library's own decoders have one rule more than Python, at its place in their order. */
const cleaned: readonly Rule[] = cleanUpRules.flatMap((rule): readonly Rule[] =>
  rule[0] === " 's" ? [[' do not', " don't"], rule] : [rule],
);
const clean = (token: string) => cleaned.reduce((text, [from, to]) => text.replaceAll(from, to), token);

function wordPiece(step: StepEntry): Decode {
  const prefix = step.text('prefix', '##');
  const cleans = step.flag('cleanup', true);
  return (tokens) =>
    tokens.map((token, i) => {
      const word = i === 0 ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
      return cleans ? clean(word) : word;
    });
}

/** Connectionist temporal classification (Graves et al. 2006): what is repeated counts once. */
function ctc(step: StepEntry): Decode {
  const [pad, delimiter] = [step.text('pad_token', '<pad>'), step.text('word_delimiter_token', '|')];
  const cleans = step.flag('cleanup', true);
  return (tokens) =>
    tokens
      .filter((token, i) => token !== tokens[i - 1])
      .map((token) => {
        const word = replacedAll(token, pad, '');
        return cleans ? replacedAll(clean(word), delimiter, ' ') : word;
      })
      .filter((word) => word !== '');
}

/** A letter, so many times at most, from both ends. */
function strip(step: StepEntry): Decode {
  const content = step.letter('content', ' ');
  const [start, stop] = [step.count('start', 0), step.count('stop', 0)];
  return (tokens) =>
    tokens.map((token) => {
      const letters = Array.from(token);
      let [begin, end] = [0, letters.length];
      while (begin < Math.min(start, end) && letters[begin] === content) begin++;
      while (end > begin && letters.length - end < stop && letters[end - 1] === content) end--;
      return letters.slice(begin, end).join('');
    });
}
