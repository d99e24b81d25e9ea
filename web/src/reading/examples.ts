/** The sentences that the page offers. */

/** The two that differ in one word, which decides what the pronoun stands for. */
export const firstTexts = [
  "The animal didn't cross the street because it was too tired.",
  "The animal didn't cross the street because it was too wide.",
] as const;

export const examples: readonly string[] = [
  ...firstTexts,
  'The cat sat on the mat.',
  'The cat that chased the mouse that ate the cheese was very tired.',
  'I like sushi because it makes me happy.',
  'I am hungry.',
  'the black cat',
];
