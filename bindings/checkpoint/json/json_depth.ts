/**
 * Whether arrays and objects are nested deeper than `most` in what should be JSON. To be checked before parsing: a
 * hundred megabytes of brackets become gigabytes of arrays.
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
