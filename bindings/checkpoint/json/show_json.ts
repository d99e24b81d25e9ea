/** A value of somebody's JSON in a message: cut short, and whatever it holds (JSON.stringify fails on deep nesting). */
export function showJson(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 100 ? `${text.slice(0, 100)}...` : text;
  } catch {
    return 'something nested very deeply';
  }
}
