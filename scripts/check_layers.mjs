// Fails on an include or import that goes up or sideways, through a wall, or around in a circle, on a package that is not
// listed, on a file or function that is too long, imports too much or has too many parameters, on a comment that is too
// wide, and on a loop of bindings that calculates with the numbers of a tensor:
// node scripts/check_layers.mjs [root]
// The rooms, walls and rules are those of .github/CONTRIBUTING.md; layers/rooms.mjs and layers/measures.mjs list them.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFileCircles, findUnitCircles } from './layers/circles.mjs';
import { findComputedTensors } from './layers/computing.mjs';
import { referencesIn, violation } from './layers/files.mjs';
import { findUnwieldyFiles, findUnwieldyFunctions, findWideComments } from './layers/measures.mjs';
import { kinds } from './layers/references.mjs';

/** Every violation under `root` as "file:line: rule". */
export function findViolations(root) {
  const violations = kinds.flatMap((kind) => {
    const references = referencesIn(root, kind);
    const steps = references.flatMap((reference) => {
      const rule = kind.check(reference.file, reference.target, reference.text);
      return rule ? [violation(reference, rule)] : [];
    });
    const circles = kind.sourceOf ? findFileCircles(references, kind) : findUnitCircles(references);
    const files = kind.hasSmallFiles ? findUnwieldyFiles(root, references) : [];
    return [...steps, ...circles, ...files];
  });
  return [
    ...violations,
    ...findUnwieldyFunctions(root),
    ...findWideComments(root),
    ...findComputedTensors(root),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const violations = findViolations(root);
  for (const violation of violations) console.error(violation);
  console.log(
    violations.length === 0
      ? 'Layers: every include and import goes down, every function is short, and the engine computes.'
      : `Layers: ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
