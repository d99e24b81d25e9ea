/** What a JSON file of a checkpoint holds: an object whose fields have not been checked yet. */
export type JsonObject = { readonly [name: string]: unknown };
