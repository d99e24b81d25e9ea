/** Values of any kind: which are arrays, and how messages show them. */

/** Whether a value is an array or a typed array. */
export const isArray = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || isTyped(value);

export function isTyped(value: unknown): value is ArrayLike<number | bigint> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** A short description of a value, for error messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string')
    return `the string '${value.length > 40 ? `${value.slice(0, 40)}...` : value}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (typeof value === 'function') return 'a function';
  if (isArray(value)) return `an array of ${value.length}`;
  return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`;
}
