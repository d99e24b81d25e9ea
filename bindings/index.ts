// `using` is part of the API; this reference declares it for compilers with older standard libraries.
/// <reference lib="esnext.disposable" preserve="true" />

/** The public API of this package. */

export type { JsonObject } from './checkpoint/json/json_object.js';
export type { CacheOption, CheckpointInfo, LoadProgress } from './checkpoint/load_checkpoint.js';
export type { CheckpointSource, FolderHandle } from './checkpoint/source/folder.js';
export type { HubOptions } from './checkpoint/source/hub.js';
export type { Span } from './checkpoint/tokenizers/aligned_text.js';
export type { Languages } from './checkpoint/tokenizers/languages.js';
export type { EncodeOptions, Encoding, Tokenizer } from './checkpoint/tokenizers/tokenizer.js';
export type { Dtype, LoadDtype, StoredDtype } from './engine/dtype.js';
export { TransformerError, type TransformerErrorCode } from './engine/errors.js';
export type { MaskLike, NestedMask } from './engine/masks.js';
export type { EngineOptions } from './engine/open_host.js';
export { type NestedArray, Tensor, type TensorData, type TensorLike } from './engine/tensor.js';
export type { Variant } from './engine/variant.js';
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
export { attentionRollout } from './model/attention_rollout.js';
export { attentionSvg } from './model/attention_svg.js';
export type { AttentionPicture } from './model/draw_attention.js';
export type { ForwardInputs } from './model/forward_inputs.js';
export type { ForwardOptions, HeadFactors } from './model/forward_options.js';
export type { ForwardOutput } from './model/forward_output.js';
export type { GenerationInputs } from './model/generation_inputs.js';
export type { TextOrIds } from './model/inputs.js';
export { type LoadModelOptions, loadModel } from './model/load_model.js';
export { Model, type ModelInfo } from './model/model.js';
export type { AllowedTokens, GenerationOptions } from './model/options.js';
export type { Profile, ProfiledPart, ProfiledPass, ProfileOptions } from './model/profile.js';
export type { Attentions, GenerationResult, Sequence, StreamChunk, Translation } from './model/results.js';
export type { AudioBufferLike, SoundSource } from './signal/open_sound.js';
export type { ChatMessage, ChatOptions, ChatReply } from './tasks/chat.js';
export type { ClassifiedText, ClassifyOptions } from './tasks/classify.js';
export type { ClassifyImageOptions, Drawable, ImageSource, Pixels } from './tasks/classify_image.js';
export type { EmbedOptions } from './tasks/embed.js';
export type { LabelScore } from './tasks/labels.js';
export type { Pooling } from './tasks/pooling.js';
export type {
  AudioInput,
  Segment,
  TranscribeOptions,
  TranscribeProgress,
  Transcription,
  Word,
} from './tasks/transcribe.js';
