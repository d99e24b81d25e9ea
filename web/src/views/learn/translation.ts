/** Twenty sentences of the grammar that the page's model learned from, and 55 others of the same words. */

import sentences from './sentences.json';
import type { Example, Task } from './task.js';

const tokensOf = (text: string) => text.match(/\p{L}+['’]?|\./gu) ?? [];

const pairs = [...sentences.learned, ...sentences.kept];
const sides = [0, 1].map((side) => [...new Set(pairs.flatMap((pair) => tokensOf(pair[side] ?? '')))]);
const [english = [], french = []] = sides;
const [start, end] = [0, 1];
/** Each language has ids of its own; the full stop, too. */
const firstFrench = 2 + english.length;

const spelled = (word: string) => word.toLowerCase();

const englishIds = (text: string) =>
  tokensOf(text).map((word) => 2 + english.findIndex((known) => spelled(known) === spelled(word)));

const exampleOf = ([from = '', to = '']: readonly string[]): Example => ({
  prompt: englishIds(from),
  answer: [...tokensOf(to).map((word) => firstFrench + french.indexOf(word)), end],
});

const learned = sentences.learned.map(exampleOf);
const kept = sentences.kept.map(exampleOf);
const longestSource = Math.max(...learned.map(({ prompt }) => prompt.length));

function read(text: string): Example | null {
  const words = text.trim();
  const prompt = englishIds(words.endsWith('.') ? words : `${words}.`);
  const isKnown = /^[\p{L}\s.]+$/u.test(words) && prompt.length <= longestSource && !prompt.includes(1);
  if (!isKnown) return null;
  return [...learned, ...kept].find((one) => one.prompt.join() === prompt.join()) ?? { prompt, answer: [] };
}

/** `L’oiseau blanc est beau.` */
const textOf = (words: readonly string[]) => words.join(' ').replaceAll("' ", '’').replaceAll(' .', '.');

export const translation: Task = {
  tokens: ['▸', '∎', ...english, ...french],
  config: {
    num_encoder_layers: 1,
    num_decoder_layers: 1,
    d_model: 64,
    num_heads: 1,
    d_ff: 128,
    vocab_size: firstFrench + french.length,
    max_length: 8,
    positions: 'learned',
    norm: 'pre',
    activation: 'relu',
    decoder_start_token_id: start,
  },
  learningRate: 5e-4,
  steps: 300,
  hasEncoder: true,
  longest: 7,
  end,
  examples: () => learned,
  learned,
  kept,
  read,
  said: (answer) => textOf(answer.filter((id) => id > end).map((id) => translation.tokens[id] ?? '')),
  asked: (prompt) => textOf(prompt.map((id) => translation.tokens[id] ?? '')),
};
