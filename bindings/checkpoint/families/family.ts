/** What a model family is to the engine: a way to read its config.json and its tensor names. */

import type { EngineConfig } from '../engine_config.js';
import type { JsonObject } from '../folder.js';
import type { Shapes, Slice } from '../torch_names.js';

/** Tokens with a meaning of their own. */
export interface SpecialTokens {
  readonly pad: number | null;
  readonly unk: number | null;
  /** What the decoder begins with; `null` where a prompt takes its place. */
  readonly decoderStart: number | null;
}

/** A checkpoint in the engine's terms. */
export interface Plan {
  readonly engine: EngineConfig;
  /** Which tensor goes where. What no slice reads is not needed. */
  readonly slices: readonly Slice[];
  readonly tokens: SpecialTokens;
  /** The longest sequence that there are positions for; `null`: any. */
  readonly maxPositions: number | null;
}

export interface Family {
  /** `model_type` of config.json. */
  readonly modelType: string;
  /** @throws TransformerError `bad_checkpoint` or `unsupported`, naming the field or tensor. */
  plan(config: JsonObject, shapes: Shapes): Plan;
}
