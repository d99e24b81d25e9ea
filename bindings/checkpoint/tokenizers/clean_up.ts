/** Takes away the spaces that tokens leave before punctuation, as Python's `clean_up_tokenization` does. */

/** In this order, since one can make or unmake another. */
const rules: readonly (readonly [from: string, to: string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

export function cleanUpSpaces(text: string): string {
  return rules.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text);
}

/** A text up to where a rule may still apply once more text follows. */
export function beforeOpenRules(text: string): string {
  let settled = text;
  for (let open = openRule.exec(settled); open; open = openRule.exec(settled))
    settled = settled.slice(0, open.index);
  return settled;
}

/** The beginning of what a rule looks for, and what a rule found last, to whose last space another may lay claim. */
const openRule = / ('[vr ]?|n'?)?$/;
