/** ICU messages parsed by Format.JS. The build bundles the parser into this file. */

import { type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser';
import type { Span } from '../tokenizers/aligned_text.js';

export interface MessageElement {
  readonly span: Span;
  /** Of a plural or a choice: what stands between the braces of each form, with them. */
  readonly forms: readonly { readonly span: Span; readonly elements: readonly MessageElement[] }[] | null;
}

/** @throws SyntaxError */
export const parseMessage = (text: string): MessageElement[] =>
  elementsOf(parse(text, { captureLocation: true, ignoreTag: true }));

function elementsOf(elements: readonly MessageFormatElement[]): MessageElement[] {
  return elements.flatMap((element): MessageElement[] => {
    const forms =
      'options' in element
        ? Object.values(element.options).map(({ value, location }) => ({
            span: spanOf(location),
            elements: elementsOf(value),
          }))
        : null;
    return [{ span: spanOf(element.location), forms }];
  });
}

const spanOf = (location: { start: { offset: number }; end: { offset: number } } | undefined): Span => [
  location?.start.offset ?? 0,
  location?.end.offset ?? 0,
];
