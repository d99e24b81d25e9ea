/** The prompt of the decoder: earlier text, the language, the task. */

import { type Loaded, requireTokenizer } from '../../checkpoint/loaded.js';
import { fail } from '../../values/errors.js';
import { languageCode } from './languages.js';
import type { ReadTranscribeOptions } from './options.js';
import type { SpeechSettings } from './settings.js';

/** The code of the language that the caller names; `null` where none is named. */
export function givenLanguage(settings: SpeechSettings, { language }: ReadTranscribeOptions): string | null {
  if (language === undefined) return null;
  if (settings.languages.size === 0)
    fail('unsupported', 'this model knows one language only; leave language out');
  return languageCode(language, [...settings.languages.keys()]);
}

/** The start token, language, task, and whether there are no timestamps. */
export function startOfTranscript(
  settings: SpeechSettings,
  { task = 'transcribe' }: ReadTranscribeOptions,
  { language, hasTimes }: { language: string | null; hasTimes: boolean },
): number[] {
  const { start, languages, tasks, noTimestamps } = settings;
  if (tasks.size === 0 && task === 'translate') fail('unsupported', 'this model does not translate');
  const ids = [
    start,
    language === null ? undefined : languages.get(language),
    task === null ? undefined : tasks.get(task),
    hasTimes ? undefined : noTimestamps,
  ];
  return ids.filter((id) => id !== undefined);
}

/** The ids of the caller's prompt, with the token that marks earlier text; empty without a prompt. */
export async function promptIds(
  model: Loaded,
  { previous }: SpeechSettings,
  { prompt, signal }: ReadTranscribeOptions,
): Promise<number[]> {
  if (prompt === undefined || prompt === '') return [];
  if (previous === null) fail('unsupported', 'this model takes no prompt');
  if (typeof prompt !== 'string') {
    const ids = Array.from(prompt);
    return ids[0] === previous ? ids : [previous, ...ids];
  }
  const tokenizer = requireTokenizer(model, 'it cannot read the prompt');
  const { ids } = await tokenizer.encodeLong(` ${prompt.trim()}`, { addSpecialTokens: false }, signal);
  return [previous, ...ids];
}

interface EarlierText {
  /** {@link promptIds} */
  readonly prompt: readonly number[];
  /** All tokens that were written so far. */
  readonly written: readonly number[];
  /** Whether this window continues them. */
  readonly continues: boolean;
}

/** The tokens before the start token. */
export function earlierText(
  { previous, maxTokens }: SpeechSettings,
  { promptConditionType = 'first-segment', conditionOnPrevTokens = false }: ReadTranscribeOptions,
  { prompt, written, continues }: EarlierText,
): number[] {
  // Where windows continue each other, the prompt of the first counts as the earliest text.
  const isFirst = conditionOnPrevTokens && promptConditionType === 'first-segment';
  const text = isFirst ? [...prompt.slice(1), ...written] : written;
  if (!continues || text.length === 0) return [...prompt];
  const mark = prompt.length > 0 && !isFirst ? prompt : previous === null ? [] : [previous];
  return [...mark, ...text.slice(-(Math.floor(maxTokens / 2) - 1))];
}
