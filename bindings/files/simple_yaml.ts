/**
 * The part of YAML in which Marian writes its options: a mapping of scalars and lists of scalars, with comments. Lists
 * are
 * `[a, b]` or items behind dashes.
 */

import { fail } from '../values/errors.js';
import type { JsonObject } from './json_object.js';

/**
 * @param file name for messages
 * @throws TransformerError `bad_checkpoint`, naming the line, for anything else.
 */
export function parseSimpleYaml(text: string, file: string): JsonObject {
  const result = new Map<string, unknown>();
  let open: string | null = null; // the last key, if it has no value of its own
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    const content = withoutComment(line).trimEnd();
    if (content.trim() === '' || /^(---|\.\.\.)$/.test(content)) continue;
    const item = /^\s*-(?:\s+(.*))?$/.exec(content);
    if (item && open !== null) {
      const items = result.get(open);
      result.set(open, [...(Array.isArray(items) ? items : []), readScalar(item[1] ?? '')]);
      continue;
    }
    const list = /^\s+(\[.*)$/.exec(content)?.[1]; // yaml-cpp puts an empty list on a line of its own
    if (list !== undefined && open !== null) {
      result.set(open, readValue(list, `${file}: line ${i + 1}`));
      continue;
    }
    const [, key, value = ''] = /^([\w.-]+|"[^"]*"|'[^']*')\s*:(?:\s+(.*))?$/.exec(content) ?? [];
    if (key === undefined)
      fail('bad_checkpoint', `${file}: line ${i + 1} is neither \`name: value\` nor an item of a list`);
    const name = key.replace(/^["']|["']$/g, '');
    open = value === '' ? name : null;
    result.set(name, readValue(value, `${file}: line ${i + 1}`));
  }
  return Object.fromEntries(result);
}

/** A comment begins with # at the start or behind a space. Lines with quotation marks have none. */
const withoutComment = (line: string) => (/["']/.test(line) ? line : line.replace(/(^|\s)#.*$/, ''));

function readValue(text: string, place: string): unknown {
  if (!text.startsWith('[')) return readScalar(text);
  if (!text.endsWith(']')) fail('bad_checkpoint', `${place}: a list must end with ]`);
  const inside = text.slice(1, -1).trim();
  return inside === '' ? [] : inside.split(',').map((part) => readScalar(part.trim()));
}

function readScalar(text: string): string | number | boolean | null {
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted) return quoted[2] ?? '';
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === '~' || text === 'null' || text === '') return null;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : text;
}
