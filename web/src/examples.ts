/** The sentences that the page offers, and the pair in which one word decides what another means. */

export const examples = [
  'The animal didn’t cross the street because it was too tired.',
  'The animal didn’t cross the street because it was too wide.',
  'The cat sat on the mat.',
  'The cat that chased the mouse that ate the cheese was very tired.',
  'I like sushi because it makes me happy.',
  'I am hungry.',
  'the black cat',
].map((text) => text.replaceAll('’', "'"));

/** The two sentences, what stands in them for the noun, the nouns that it could be, and the word that decides. */
export const pair = {
  source: 'it',
  written: ['il', 'elle'],
  nouns: ['animal', 'street'],
  readings: [
    { text: examples[0] as string, decides: 'tired' },
    { text: examples[1] as string, decides: 'wide' },
  ],
} as const;

/** Whether two texts are one sentence, whatever the keyboard that typed them. */
export function isSame(a: string, b: string): boolean {
  const plain = (text: string) => text.replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim().toLowerCase();
  return plain(a) === plain(b);
}
