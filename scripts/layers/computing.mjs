// The engine computes, TypeScript describes: in bindings no loop calculates with the numbers of an array of floats. Copies and
// checks of shapes are loops too, but without a sum, product or function of an element.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { filesIn, violation } from './files.mjs';

/** Files that may, and why the engine does not do it for them. */
const mayCompute = new Map([
  ...[
    'bindings/texts/token_alignment.ts',
    'bindings/insight/attention_map.ts',
    'bindings/insight/rollout.ts',
    'bindings/tasks/speech/alignment.ts',
    'bindings/texts/word_alignment.ts',
  ].map((file) => [file, 'reads attention weights that a pass has returned']),
  ['bindings/tasks/answer.ts', 'combines the scores of the ends of an answer'],
  ['bindings/texts/around.ts', 'places in texts, not tensors'],
  [
    'bindings/insight/forward_output.ts',
    'the mean of the two classifiers of a DeiT, a number for each label',
  ],
  ...['bindings/tasks/quantized_embeddings.ts', 'bindings/tasks/similarity.ts'].map((file) => [
    file,
    'vectors that the caller holds, where there may be no engine',
  ]),
  ...['bindings/signal/mel_features.ts', 'bindings/signal/sound.ts'].map((file) => [
    file,
    'samples on their way to the signal module, a block at a time',
  ]),
  ['bindings/insight/profile.ts', 'times, not tensors'],
  ['bindings/cli/receipt.ts', 'compares two results'],
]);

/** A file in which nothing is an array of floats has no numbers of a tensor. */
const hasFloats = /\bFloat(32|64)Array\b|\bTensor(Data|Like)?\b/;

const loops = /^(For|While|DoWhile|ForOf|ForIn)Statement$/;
/** Functions that are called for each element. */
const eachOf = /^(map|reduce|reduceRight|forEach|from|filter|some|every|find|flatMap|sort)$/;
const arithmetic = new Set(['+', '-', '*', '/', '**']);
const assignments = new Set(['+=', '-=', '*=', '/=', '**=']);
const functions = /^(exp|log|log2|sqrt|tanh|sin|cos|abs|max|min|fround|hypot|pow)$/;

/** Of `(data[i] ?? 0)` the access, where it is one by a computed place. */
function elementOf(node) {
  if (node?.type === 'ParenthesizedExpression') return elementOf(node.expression);
  if (node?.type === 'LogicalExpression') return elementOf(node.left);
  if (node?.type === 'TSNonNullExpression' || node?.type === 'ChainExpression')
    return elementOf(node.expression);
  const isPlace = node?.type === 'MemberExpression' && node.computed && node.property.type !== 'Literal';
  return isPlace ? node : null;
}

/** Whether a step calculates with an element. */
function calculates(node) {
  if (node.type === 'BinaryExpression' && arithmetic.has(node.operator))
    return Boolean(elementOf(node.left) ?? elementOf(node.right));
  if (node.type === 'AssignmentExpression' && assignments.has(node.operator))
    return Boolean(elementOf(node.left) ?? elementOf(node.right));
  const isMath = node.type === 'CallExpression' && node.callee.object?.name === 'Math';
  return isMath && functions.test(node.callee.property.name) && node.arguments.some((one) => elementOf(one));
}

/** The lines on which a loop calculates with an element. */
export function findComputing(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) return [];
  const lines = new Set();
  const visit = (node, inLoop) => {
    if (Array.isArray(node)) for (const one of node) visit(one, inLoop);
    if (typeof node?.type !== 'string') return;
    if (inLoop && calculates(node)) lines.add(text.slice(0, node.start).split('\n').length);
    const isEach = node.type === 'CallExpression' && eachOf.test(node.callee.property?.name ?? '');
    const inside = inLoop || loops.test(node.type);
    for (const [key, child] of Object.entries(node))
      if (child && typeof child === 'object') visit(child, inside || (isEach && key === 'arguments'));
  };
  visit(program.body, false);
  return [...lines];
}

/** Loops of bindings that calculate with the numbers of a tensor. */
export function findComputedTensors(root) {
  return filesIn(root, ['bindings'], /^(?!.*\.d\.ts$).*\.ts$/).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (mayCompute.has(file) || !hasFloats.test(text)) return [];
    return findComputing(file, text).map((line) =>
      violation(
        { file, line, text: text.split('\n')[line - 1].trim() },
        'a loop that calculates with the numbers of a tensor belongs in src',
      ),
    );
  });
}
