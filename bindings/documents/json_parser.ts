/** JSON, with comments, by the parser of VS Code. The build bundles it into this file. */

import { printParseErrorCode, visit } from 'jsonc-parser';

interface JsonString {
  readonly path: readonly string[];
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** The strings that are values. */
export function stringsIn(source: string, refuse: (place: number, reason: string) => never): JsonString[] {
  const strings: JsonString[] = [];
  const path: string[] = [];
  visit(
    source,
    {
      onObjectBegin: () => void path.push(''),
      onArrayBegin: () => void path.push(''),
      onObjectEnd: () => void path.pop(),
      onArrayEnd: () => void path.pop(),
      onObjectProperty: (name) => void path.splice(-1, 1, name),
      onLiteralValue(text, begin, length) {
        if (typeof text === 'string') strings.push({ path: [...path], text, begin, end: begin + length });
      },
      onError: (code, place) => refuse(place, printParseErrorCode(code)),
    },
    { allowTrailingComma: true },
  );
  return strings;
}
