/** Names in JSON text. `JSON.parse` silently keeps the last of several equal names. */

/**
 * A name that occurs twice in one object, or `null`.
 *
 * @param json text that `JSON.parse` has accepted
 */
export function repeatedName(json: string): string | null {
  // For each open object its names so far; null for an array.
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
