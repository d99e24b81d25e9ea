/**
 * Whether lists and objects in a JSON text are nested deeper than a limit. Checked before parsing, because a hundred
 * megabytes of brackets would become gigabytes of lists.
 */
export function isNestedDeeper(json: string, most: number): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    // By codes: a tokenizer has 40 million letters.
    const code = json.charCodeAt(i);
    if (code === quote) {
      for (i++; i < json.length; i++) {
        const inside = json.charCodeAt(i);
        if (inside === quote) break;
        if (inside === backslash) i++;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > most) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
