/** The example sentences, and the pair in which a single word decides what the pronoun refers to. */

export const examples = [
  'The animal didn’t cross the street because it was too tired.',
  'The animal didn’t cross the street because it was too wide.',
  'The cat sat on the mat.',
  'The cat that chased the mouse that ate the cheese was very tired.',
  'I like sushi because it makes me happy.',
  'I am hungry.',
  'the black cat',
].map((text) => text.replaceAll('’', "'"));

/** The two sentences, the pronoun in both languages, the nouns it can refer to, and the words that decide. */
export const pair = {
  source: 'it',
  written: ['il', 'elle'],
  nouns: ['animal', 'street'],
  readings: [
    { text: examples[0] as string, decides: 'tired' },
    { text: examples[1] as string, decides: 'wide' },
  ],
} as const;

/** Whether two texts are the same sentence, apart from apostrophes, spaces and case. */
export function isSame(a: string, b: string): boolean {
  const plain = (text: string) => text.replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim().toLowerCase();
  return plain(a) === plain(b);
}
