/** A checkpoint on its way into the engine. */

import type { Dtype } from '../engine/dtype.js';
import type { JsonObject } from '../files/json_object.js';
import type { GenerationConfig } from '../generation/settings/generation_config.js';
import type { Plan } from '../plans/family.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import type { LexicalShortlist } from '../weights/lexical_shortlist.js';
import type { OpenOptions, WeightFiles } from '../weights/weight_file.js';
import type { LanguagePair } from './student_files.js';

/** A checkpoint whose small files have been read, and whose weights have not. */
export interface OpenCheckpoint {
  readonly config: JsonObject;
  readonly modelType: string | null;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly plan: Plan;
  /** The caller of `openCheckpoint` closes it. */
  readonly files: WeightFiles;
  /** How to keep matrices that are quantised in the files; `null` if they are not. */
  readonly quantizedAs: Dtype | null;
  /** The tokens that may translate those of a source; `null` for a model without a lexicon. */
  readonly shortlist: LexicalShortlist | null;
}

export interface CheckpointOptions extends OpenOptions {
  /** Which of the models of a registry. */
  readonly pair?: LanguagePair | undefined;
}
