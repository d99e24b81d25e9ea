/**
 * Whether lists and objects in a JSON text are nested deeper than a limit. Checked before parsing, because a hundred
 * megabytes of brackets would become gigabytes of lists.
 */
export function isNestedDeeper(json: string, most: number): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (character === '"') for (i++; i < json.length && json[i] !== '"'; i++) if (json[i] === '\\') i++;
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > most) return true;
  }
  return false;
}
