/** The post-processors of a tokenizer.json: the special tokens around one text and around two. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { type PlacedToken, placedTokens, type Token } from './codec.js';
import { type StepEntry, stepsOf } from './step_entry.js';
import { checkTokenId } from './token_id.js';

/** A special token, or one of the texts, and the type of its tokens. */
interface Piece {
  readonly text: 'A' | 'B' | null;
  readonly tokens: readonly Token[];
  readonly type: number;
}

export interface Around {
  readonly single: readonly Piece[];
  readonly pair: readonly Piece[];
}

const plain: Around = { single: [textPiece('A', 0)], pair: [textPiece('A', 0), textPiece('B', 1)] };

function textPiece(text: 'A' | 'B', type: number): Piece {
  return { text, tokens: [], type };
}

/**
 * @param idOf the id of a token that a template names without saying it
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function aroundOf(entry: unknown, idOf: (token: string) => number | null, file: string): Around {
  const steps = stepsOf(entry, { list: 'processors', step: 'post_processor', file });
  // A byte-level step changes nothing but white space at the tokens' places.
  const adding = steps.filter(({ type }) => type !== 'ByteLevel');
  if (adding.length > 1)
    fail(
      'unsupported',
      `${file}: ${adding.map(({ type }) => type).join(' and ')} after each other are not supported`,
    );
  const [step] = adding;
  return step ? singleAround(step, idOf) : plain;
}

function singleAround(step: StepEntry, idOf: (token: string) => number | null): Around {
  switch (step.type) {
    case 'BertProcessing':
    case 'RobertaProcessing': {
      const special = (name: string, type: number): Piece => ({
        text: null,
        tokens: [namedToken(step, name)],
        type,
      });
      const isRoberta = step.type === 'RobertaProcessing';
      const second = isRoberta ? 0 : 1;
      const single = [special('cls', 0), textPiece('A', 0), special('sep', 0)];
      const between = isRoberta ? [special('sep', 0)] : [];
      return { single, pair: [...single, ...between, textPiece('B', second), special('sep', second)] };
    }
    case 'TemplateProcessing':
      return { single: template(step, 'single', idOf), pair: template(step, 'pair', idOf) };
    default:
      return step.refuseType('post_processor');
  }
}

/** A token with its id, as a pair. */
function namedToken(step: StepEntry, name: string): Token {
  const [token, id, ...more] = step.list(name);
  if (typeof token !== 'string' || more.length > 0)
    return fail(
      'bad_checkpoint',
      `${step.file}: ${step.type} adds something that is not a token as '${name}'`,
    );
  return { token, id: checkTokenId(id, token, step.file), span: null };
}

function template(step: StepEntry, name: string, idOf: (token: string) => number | null): Piece[] {
  const refuse = (): never =>
    fail('bad_checkpoint', `${step.file}: ${step.type} adds something that is not a token as '${name}'`);
  const specials = step.get('special_tokens');
  const pieces = step.list(name).map((piece): Piece => {
    const [[kind, given] = []] = isJsonObject(piece) ? Object.entries(piece) : [];
    if (!isJsonObject(given)) return refuse();
    const { id, type_id: type = 0 } = given;
    if (typeof type !== 'number' || !Number.isSafeInteger(type) || type < 0) return refuse();
    if (kind === 'Sequence' && (id === 'A' || id === 'B')) return textPiece(id, type);
    if (kind !== 'SpecialToken' || typeof id !== 'string') return refuse();
    const known = isJsonObject(specials) ? specials[id] : undefined;
    const tokens = isJsonObject(known) ? listedTokens(known, step.file) : null;
    if (tokens) return { text: null, tokens, type };
    const single =
      idOf(id) ??
      fail(
        'bad_checkpoint',
        `${step.file}: ${step.type} adds ${JSON.stringify(id.slice(0, 40))}, which is not a token`,
      );
    return { text: null, tokens: [{ token: id, id: single, span: null }], type };
  });
  const texts = pieces.flatMap(({ text }) => text ?? []);
  if (new Set(texts).size < texts.length)
    fail('unsupported', `${step.file}: a template of the post_processor repeats a text`);
  return pieces;
}

/** The tokens that a template's name stands for. */
function listedTokens({ ids, tokens }: JsonObject, file: string): Token[] | null {
  if (!Array.isArray(ids) || !Array.isArray(tokens) || ids.length !== tokens.length || ids.length > 100)
    return null;
  return ids.map((id, i) => ({
    token: `${tokens[i]}`,
    id: checkTokenId(id, `${tokens[i]}`, file),
    span: null,
  }));
}

/** The tokens of one text or two with those around them. */
export function wrapped(
  { single, pair }: Around,
  texts: { first: readonly Token[]; second: readonly Token[] | null },
  addsSpecial: boolean,
): PlacedToken[] {
  return (texts.second ? pair : single).flatMap(({ text, tokens, type }): PlacedToken[] => {
    if (text === null && !addsSpecial) return [];
    if (text === null) return placedTokens(tokens, type, -1);
    if (text === 'A') return placedTokens(texts.first, type, 0);
    return placedTokens(texts.second ?? [], type, 1);
  });
}
