// Finds the functions of a source file, with their lengths and their numbers of parameters.

import { parseSync } from 'vite';

/** @typedef {{ name: string, line: number, lines: number, parameters: number }} FoundFunction */

/** @returns {FoundFunction[]} every function of a TypeScript, JavaScript or C++ file, in the order of their beginnings */
export const findFunctions = (file, text) => (/\.(h|cpp)$/.test(file) ? inCpp(text) : inScript(file, text));

const lineOf = (text, at) => text.slice(0, at).split('\n').length;

/** With the parser that the page is built with. */
function inScript(file, text) {
  const { program, errors } = parseSync(file, text);
  // The compiler and the linter say what is wrong with it.
  if (errors.length > 0) return [];
  const found = [];
  const visit = (node, name) => {
    if (Array.isArray(node)) for (const one of node) visit(one, name);
    if (typeof node?.type !== 'string') return;
    if (/^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type) && node.body) {
      const first = lineOf(text, node.start);
      found.push({
        name: node.id?.name ?? name ?? 'a function',
        line: first,
        lines: lineOf(text, node.end) - first + 1,
        parameters: node.params.length,
      });
    }
    const own = node.type === 'CallExpression' ? undefined : (node.id?.name ?? node.key?.name ?? name);
    for (const child of Object.values(node)) if (child && typeof child === 'object') visit(child, own);
  };
  visit(program.body);
  return found;
}

const blanked = (text) => text.replace(/[^\n]/g, ' ');

/** Comments, texts and preprocessor lines as blanks: every place stays where it is. */
const codeOf = (text) =>
  text
    .replace(
      /\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\da-fA-F])'(?:\\.|[^'\\\n])+'/g,
      blanked,
    )
    .replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, blanked);

const pairs = { ')': '(', '}': '{', ']': '[' };

/** The place of the bracket that is closed at `end`. */
function openingOf(code, end) {
  const open = [];
  for (let at = end; at >= 0; at--) {
    if (code[at] in pairs) open.push(pairs[code[at]]);
    else if (code[at] === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  return -1;
}

/** The place behind which a bracket is closed that is opened at `begin`. */
function closingOf(code, begin) {
  let depth = 0;
  for (let at = begin; at < code.length; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length - 1;
}

const notFunctions = new Set(['if', 'for', 'while', 'switch', 'catch', 'decltype', 'requires', 'alignas']);
const afterParameters =
  /\)\s*(?:(?:const|noexcept|override|final|mutable|constexpr|&&?)\s*)*(?:->[\s\w:<>,*&]+)?$/;

/** The parameters' brackets of the function whose body is opened at `brace`: { name, begin, end }, or undefined. */
function headerOf(code, brace) {
  let before = code.slice(Math.max(0, brace - 2000), brace);
  const offset = brace - before.length;
  for (;;) {
    const text = before.trimEnd();
    const match = text.endsWith('}') ? { index: text.length - 1 } : text.match(afterParameters);
    if (!match) return undefined;
    const begin = openingOf(text, match.index);
    const [, name] = text.slice(0, begin).match(/([~\w]+|operator\s*\S+|\])\s*$/) ?? [];
    if (begin < 0 || name === undefined || notFunctions.has(name)) return undefined;
    const rest = text
      .slice(0, begin)
      .replace(/[~\w:<>]+\s*$/, '')
      .trimEnd();
    // A member in a constructor's list: its parameters stand before the colon.
    const isMember = /(,|[^:]:)$/.test(rest) && /[)}]\s*[,:]$/.test(rest);
    if (!isMember)
      return text.endsWith('}') ? undefined : { name, begin: offset + begin, end: offset + match.index };
    before = rest.slice(0, -1);
  }
}

/** The commas outside of all brackets, and one. */
function countParameters(code) {
  if (/^\s*(void)?\s*$/.test(code)) return 0;
  let depth = 0;
  let count = 1;
  for (const letter of code.replace(/->|>=|<=|<<|>>=/g, '  ')) {
    if ('([{<'.includes(letter)) depth++;
    else if (')]}>'.includes(letter)) depth--;
    else if (letter === ',' && depth === 0) count++;
  }
  return count;
}

/** By its brackets: there is no parser of C++ among the packages, and definitions need none. */
function inCpp(text) {
  const code = codeOf(text);
  const found = [];
  for (let brace = code.indexOf('{'); brace >= 0; brace = code.indexOf('{', brace + 1)) {
    const header = headerOf(code, brace);
    if (!header) continue;
    const line = lineOf(code, header.begin);
    found.push({
      name: header.name === ']' ? 'a lambda' : header.name,
      line,
      lines: lineOf(code, closingOf(code, brace)) - line + 1,
      parameters: countParameters(code.slice(header.begin + 1, header.end)),
    });
  }
  return found;
}
