/** A JSON value for use in a message: shortened, and safe for any value (JSON.stringify fails on deep nesting). */
export function showJson(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 100 ? `${text.slice(0, 100)}...` : text;
  } catch {
    return 'something very deeply nested';
  }
}
