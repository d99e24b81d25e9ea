/** What a JSON file of a checkpoint holds: an object of whose fields nothing is known yet. */
export type JsonObject = { readonly [name: string]: unknown };
