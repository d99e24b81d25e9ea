// `using` is part of the API; this reference declares it for compilers with older standard libraries.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * The public API of this package.
 * @module transformer-wasm
 */

export type { CheckpointInfo } from './checkpoint/checkpoint_info.js';
export type { DescribedModel, DescribeOptions, StoredModel } from './checkpoint/describe_source.js';
export type { CacheOption, LoadProgress } from './checkpoint/load_checkpoint.js';
export { type LoadTokenizerOptions, loadTokenizer } from './checkpoint/load_tokenizer.js';
export type { LoadedModel } from './checkpoint/loaded.js';
export { describe, forget, stored } from './checkpoint/stored_models.js';
export type { LanguagePair } from './checkpoint/student_files.js';
export type { Dtype, LoadDtype, StoredDtype } from './engine/dtype.js';
export type { CheckpointSource, FolderHandle } from './files/folder.js';
export type { HubOptions } from './files/hub.js';
export type { Integrity } from './files/integrity.js';
export type { JsonObject } from './files/json_object.js';
export type { GenerationInputs } from './generation/input_tensors.js';
export type { TextOrIds } from './generation/inputs.js';
export type { AllowedTokens, Constraint, GenerationOptions } from './generation/options.js';
export type {
  Attentions,
  GenerationResult,
  Sequence,
  StreamChunk,
  TokenLogprob,
} from './generation/results.js';
export { agreement } from './insight/agreement.js';
export type {
  AttentionChoice,
  AttentionKind,
  AttentionPicture,
  WithAttentions,
} from './insight/attention_map.js';
export { attentionRollout } from './insight/attention_rollout.js';
export { attentionSvg } from './insight/attention_svg.js';
export type {
  AttributedPart,
  Attribution,
  LogitQuestion,
  ScoreAttribution,
  ScoreQuestion,
  Sweep,
  SweepOptions,
} from './insight/cause_types.js';
export { attribute, sweep } from './insight/causes.js';
export type { Edit } from './insight/edits.js';
export type { ForwardInputs } from './insight/forward_inputs.js';
export type { ForwardOptions, HeadFactors } from './insight/forward_options.js';
export type { ForwardOutput, PatchPlaces } from './insight/forward_output.js';
export type { Profile, ProfiledPart, ProfiledPass, ProfileOptions } from './insight/profile.js';
export type { ExperimentOptions, OneSequence } from './insight/repeated_inputs.js';
export type {
  AdditiveOptions,
  AttentionOptions,
  LuongOptions,
  ScoredAttention,
} from './layers/block_options.js';
export {
  createEngine,
  Engine,
  type EngineInfo,
  type MachineLimits,
} from './layers/engine.js';
export type { LayerConfig, LinearConfig, TransformerOptions } from './layers/layer_config.js';
export type { LayerWeights } from './layers/layer_weights.js';
export type {
  DecoderLayer,
  EncoderLayer,
  FeedForward,
  Linear,
  MemoryMasks,
  MultiHeadAttention,
  MultiHeadOptions,
  SelfMasks,
} from './layers/layers.js';
export type { PatchEmbedding, PatchEmbeddingConfig } from './layers/patch_embedding.js';
export type {
  RecurrentConfig,
  RecurrentLayers,
  RecurrentOptions,
  RecurrentOutput,
} from './layers/recurrent_layers.js';
export type {
  SourceMasks,
  TargetMasks,
  Transformer,
  TransformerForwardOptions,
  TransformerOutput,
} from './layers/transformer.js';
export { Chain, type ChainedText, chain } from './model/chain.js';
export { type LoadModelOptions, loadModel } from './model/load_model.js';
export {
  type AttentionStack,
  Model,
  type ModelInfo,
  type SeenTranslation,
  type WholeWithAttentions,
} from './model/model.js';
export type { Variant } from './modules/variant.js';
export type { MediaStreamLike } from './signal/media_stream.js';
export type { AudioBufferLike, SoundSource } from './signal/open_sound.js';
export type { CaptionOptions, Captions, SoundStream } from './tasks/captions.js';
export type { ChatMessage, ChatOptions, ChatReply } from './tasks/chat.js';
export type { ClassifiedText, ClassifyOptions } from './tasks/classify.js';
export type { ClassifyImageOptions, Drawable, ImageSource, Pixels } from './tasks/classify_image.js';
export type { EmbedOptions } from './tasks/embed.js';
export type { LabelScore } from './tasks/labels.js';
export type { Pooling } from './tasks/pooling.js';
export type { Precision, QuantizedEmbeddings } from './tasks/quantized_embeddings.js';
export type { RankedText, RankOptions } from './tasks/rank.js';
export type { ScoredText, ScoreOptions } from './tasks/score.js';
export type {
  SaveOptions,
  Session,
  SessionChunk,
  SessionOptions,
  SessionReply,
  WhenFull,
} from './tasks/session.js';
export {
  type BatchResults,
  type Settled,
  type SettleOptions,
  type SettleProgress,
  settleEach,
} from './tasks/settle_each.js';
export { type Neighbour, similarity } from './tasks/similarity.js';
export type {
  AudioInput,
  Segment,
  TranscribeOptions,
  TranscribeProgress,
  Transcription,
  Word,
} from './tasks/transcribe.js';
export type { Glossary, Keep, KeepFunction, KeepOption } from './texts/keep_options.js';
export type {
  AttributesOption,
  ReadableAttribute,
  TranslateOptions,
  TranslateProgress,
} from './texts/options.js';
export type { Alternative, Change, TranslatedSentence, Translation } from './texts/results.js';
export type { WordAlignment } from './texts/word_alignment.js';
export type { Span } from './tokenizers/aligned_text.js';
export type { Languages } from './tokenizers/languages.js';
export type { EncodeOptions, Encoding, Tokenizer } from './tokenizers/tokenizer.js';
export { TransformerError, type TransformerErrorCode } from './values/errors.js';
export type { Given } from './values/given.js';
export type { MaskLike, NestedMask } from './values/masks.js';
export { type NestedArray, Tensor, type TensorData, type TensorLike } from './values/tensor.js';
export type { EngineOptions } from './worker/open_host.js';
