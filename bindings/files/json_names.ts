/** Duplicate names in JSON text, of which `JSON.parse` silently keeps the last. */

/**
 * A name that occurs twice in one object of the text, or `null`.
 *
 * @param json text that `JSON.parse` accepts
 */
export function repeatedName(json: string): string | null {
  // The names seen so far in each open object; null for an array.
  const open: (Set<string> | null)[] = [];
  let lastString = '';
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (character === '"') {
      const begin = i++;
      while (json[i] !== '"') i += json[i] === '\\' ? 2 : 1;
      lastString = json.slice(begin, i + 1);
    } else if (character === '{') open.push(new Set());
    else if (character === '[') open.push(null);
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':') {
      const name: string = lastString.includes('\\') ? JSON.parse(lastString) : lastString.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return null;
}
