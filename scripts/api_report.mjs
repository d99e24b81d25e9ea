// The public types in one text, so that a review shows what changes for users: node scripts/api_report.mjs [--check]
// Written to tests/types/api_report.txt from the declarations in dist; --check compares instead (a part of `npm test types`).

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, runMain } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reportFile = join(root, 'tests/types/api_report.txt');
const entries = ['index', 'pipeline', 'documents', 'tools', 'translator', 'train', 'vite']; // transformer-wasm/inline exports what index does
/** The wasm module's own interface: layers refer to it for their names only. */
const notForUsers = 'EmbindModule';

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** A member whose comment says that it is not for users, up to its last line. */
const internal =
  /^ {4}\/\*\*(?:(?!\*\/)[\s\S])*@internal(?:(?!\*\/)[\s\S])*\*\/\n {4}\S.*\n(?: {5,}.*\n| {4}\}.*\n)*/gm;
/** Hidden by TypeScript: its types are not in the declarations, only its names. */
const hidden = /^\s+(#private|private .*);\n/gm;

/** The statements of a declaration file, without comments and hidden members. */
const statementsOf = (text) =>
  text
    .replace(internal, '')
    .replace(comments, '')
    .replace(hidden, '')
    .replace(/^\s*\n/gm, '')
    .split(/\n(?=(?:export|import|declare|interface|type|abstract|class|function|const) )/)
    .map((statement) => statement.trim())
    .filter(Boolean);

const listed = (list) =>
  list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((item) => item.split(' as '))
    .map(([name, alias = name]) => ({ name, alias }));

const importing = /^(import|export) (?:type )?\{([\s\S]*)\} from ["'](.+)["'];?$/;
const declaring =
  /^(?:export )?(?:declare )?(?:default )?(?:abstract )?(?:class|interface|type|function|const|let|enum) (\w+)/;

/**
 * A file as `names`, what is declared or imported in it, and `exported`, the names that its importers see. A name leads to
 * `texts` (an overloaded function has several) or to `{ from, name }`.
 */
function readModule(read, path) {
  const names = new Map();
  const exported = new Set();
  for (const statement of statementsOf(read(path))) {
    const [, keyword, list, from] = importing.exec(statement) ?? [];
    const own = declaring.exec(statement)?.[1];
    if (from?.startsWith('.')) {
      const target = posix.join(posix.dirname(path), from.replace(/\.js$/, '.d.ts'));
      for (const { name, alias } of listed(list)) {
        names.set(alias, { from: target, name });
        if (keyword === 'export') exported.add(alias);
      }
    } else if (own) {
      const texts = [...(names.get(own)?.texts ?? []), statement];
      names.set(own, { texts });
      if (statement.startsWith('export ')) exported.add(own);
    } else if (!from && statement !== 'export {};' && !/^import /.test(statement)) {
      throw new ExpectedError(`${path}: the report of the types cannot read: ${statement}`);
    }
  }
  return { names, exported };
}

/**
 * The report: the exported names of each entry, then every declaration that they lead to, by file and name.
 * @param read the text of a declaration file, by its path in dist
 */
export function apiReport(read, publicEntries = entries) {
  const modules = new Map();
  const moduleOf = (path) => {
    if (!modules.has(path)) modules.set(path, readModule(read, path));
    return modules.get(path);
  };
  const found = new Map();
  const visit = (path, name) => {
    const meaning = moduleOf(path).names.get(name);
    if (!meaning) return;
    if (meaning.from) return visit(meaning.from, meaning.name);
    const key = `${path} ${name}`;
    if (found.has(key) || name === notForUsers) return;
    const text = meaning.texts.join('\n');
    found.set(key, text);
    // Types begin with a capital letter; values are only meant after `typeof`.
    for (const [, type, value] of text.matchAll(/\b([A-Z]\w*)|typeof (\w+)/g)) visit(path, type ?? value);
  };
  const heads = publicEntries.map((entry) => {
    const path = `${entry}.d.ts`;
    const exported = [...moduleOf(path).exported].sort();
    for (const name of exported) visit(path, name);
    return `${entry}: ${exported.join(', ')}\n`;
  });
  const declarations = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${heads.join('\n')}\n${declarations.map(([key, text]) => `// ${key}\n${text}\n`).join('\n')}`;
}

/** Throws if the report that is committed is not the one of `dist`. */
function check(now) {
  const before = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  if (before === now) return;
  const lines = new Set(before.split('\n'));
  const first = now.split('\n').find((line) => !lines.has(line)) ?? 'lines were removed';
  throw new ExpectedError(
    `The public types have changed, first in: ${first.trim()}\n` +
      'If that is meant, run `node scripts/api_report.mjs`, look at the difference, and commit it with a line in the changelog.',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runMain(async () => {
    const now = apiReport((path) => readFileSync(join(root, 'dist', path), 'utf8'));
    if (process.argv.includes('--check')) check(now);
    else writeFileSync(reportFile, now);
  });
