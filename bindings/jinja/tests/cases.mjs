// Renders cases and compares them.

import { render } from '../../../build/modules/jinja/index.js';

const refuse = (sentence) => {
  throw new Error(sentence);
};

export const renderCase = (template, variables, watch = {}) =>
  render(template, { tools: null, documents: null, ...variables }, { ...watch, refuse });

/** What differs from `wanted`: a text, null for a failure, 0 for what is not compared. */
export function failuresOf(cases, variables) {
  return cases.flatMap(([template, wanted]) => {
    if (wanted === 0) return [];
    let got = null;
    try {
      got = renderCase(template, variables);
    } catch {
      // Whatever it says.
    }
    return got === wanted ? [] : [{ template, wanted, got }];
  });
}
