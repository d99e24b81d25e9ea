/** The content of a checkpoint's JSON file: an object whose fields are not checked yet. */
export type JsonObject = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
