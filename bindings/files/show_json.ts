/** A JSON value for an error message, shortened. Safe for any content: JSON.stringify fails on deep nesting. */
export function showJson(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 100 ? `${text.slice(0, 100)}...` : text;
  } catch {
    return 'something nested very deeply';
  }
}
