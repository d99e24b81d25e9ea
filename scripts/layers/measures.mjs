// How long files and functions may be, how many parameters a function has and how many files a file imports.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, violation } from './files.mjs';
import { findFunctions } from './functions.mjs';

const mostParameters = 5;

/** The most lines of a function, by folder. */
const mostLines = [
  { folder: 'src/', lines: 60 },
  { folder: 'bindings/', lines: 60 },
  { folder: 'web/', lines: 50 },
  { folder: 'scripts/', lines: 50 },
];

/** The most lines of a file in bindings, and the most files that it imports. */
const mostOfFile = { lines: 250, imports: 15 };
/** Written by the build; the face, which has a line for everything; and tables of one line for each file. */
const isLarge = new Set([
  'bindings/modules/embind.ts',
  'bindings/index.ts',
  'bindings/pipeline.ts',
  'bindings/model/model.ts',
  'bindings/families/other_families.ts',
  'bindings/texts/abbreviations.ts',
]);

/** Functions that are too long, or have too many parameters. */
export function findUnwieldyFunctions(root) {
  const names = /^(?!.*node_modules)(?!.*\.d\.ts$).*\.(h|cpp|ts|mjs)$/;
  return filesIn(root, ['src', 'bindings', 'web/src', 'scripts'], names).flatMap((file) => {
    const { lines: most } = mostLines.find(({ folder }) => file.startsWith(folder));
    return findFunctions(file, readFileSync(join(root, file), 'utf8')).flatMap(
      ({ name, line, lines, parameters }) => {
        const found = (rule) => violation({ file, line, text: name }, rule);
        return [
          ...(parameters > mostParameters
            ? [found(`${parameters} parameters, of at most ${mostParameters}`)]
            : []),
          ...(lines > most ? [found(`${lines} lines, of at most ${most}`)] : []),
        ];
      },
    );
  });
}

/** The most columns of a comment; the formatter, which sees to the code, leaves comments as they are. */
const mostColumns = 120;

/** Comments of bindings that go beyond the last column. */
export function findWideComments(root) {
  return filesIn(root, ['bindings'], /\.ts$/)
    .filter((file) => !file.endsWith('/embind.ts'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, index) =>
          /^\s*(\*|\/\*|\/\/)/.test(text) && text.length > mostColumns
            ? [
                violation(
                  { file, line: index + 1, text: 'the comment' },
                  `${text.length} columns, of at most ${mostColumns}`,
                ),
              ]
            : [],
        ),
    );
}

/** Files of bindings that are too long, or import too many others: `references` are its imports. */
export function findUnwieldyFiles(root, references) {
  const imports = new Map();
  for (const { file, target } of references) imports.set(file, (imports.get(file) ?? new Set()).add(target));
  return filesIn(root, ['bindings'], /\.ts$/)
    .filter((file) => !isLarge.has(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      const imported = imports.get(file)?.size ?? 0;
      const found = (rule) => violation({ file, line: 1, text: 'the file' }, rule);
      return [
        ...(lines > mostOfFile.lines ? [found(`${lines} lines, of at most ${mostOfFile.lines}`)] : []),
        ...(imported > mostOfFile.imports
          ? [found(`${imported} files imported, of at most ${mostOfFile.imports}`)]
          : []),
      ];
    });
}
