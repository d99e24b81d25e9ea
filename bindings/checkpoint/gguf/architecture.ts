/** What an architecture of GGUF files is: the family that it belongs to, and what it does differently from Llama. */

import type { Fields } from '../../files/fields.js';
import type { JsonObject } from '../../files/json_object.js';
import type { GgufTensor } from '../../weights/gguf_header.js';

/** The shape of a tensor of the file, slowest axis first; undefined if there is none. */
export type ShapeOf = (name: string) => readonly number[] | undefined;

export const shapesOf =
  (tensors: readonly GgufTensor[]): ShapeOf =>
  (name) =>
    tensors.find((tensor) => tensor.name === name)?.shape;

/** An architecture in the terms of a folder of the Python library. */
export interface Architecture {
  /** `model_type` in config.json. */
  readonly modelType: string;
  /** The class that config.json names. */
  readonly className: string;
  /** Names of tensors that differ from those of Llama, by those of the file. */
  readonly names?:
    | Readonly<Record<string, string>>
    | ((shapeOf: ShapeOf) => Readonly<Record<string, string>>);
  /** Whether the rows of queries and keys are in pairs in each head: llama.cpp rotates neighbours. */
  readonly isPaired?: boolean;
  /** Is added to the weights of norms: those of Gemma are stored as they are used, but its family adds 1. */
  readonly addedToNorms?: number;
  /** Further fields of config.json. `fields`: the keys of the architecture, without its name. */
  config?(fields: Fields, shapeOf: ShapeOf): JsonObject;
}
