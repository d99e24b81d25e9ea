// Single layers over whole tensors, each called alone.
#pragma once

#include "transformer/decoder_layer.h"
#include "transformer/input_tensor.h"

namespace transformer {

struct AttentionCall {
  InputTensor query;  // [batch, queries, d_model]; all of them also without the batch
  InputTensor key;    // [batch, keys, d_key]
  InputTensor value;  // [batch, keys, d_value]
  MaskTensors masks;
  bool is_causal = false;
};

struct AttentionLayerResult {
  Tensor output;   // [batch, queries, d_model]
  Tensor weights;  // [batch, heads, queries, keys], or [batch, queries, keys] as the mean over heads; or empty
};

enum class WantedWeights { kNone, kPerHead, kMean };

// Each throws invalid_argument for shapes that do not fit.
AttentionLayerResult run_layer(const MultiHeadAttention& layer, AttentionCall call, WantedWeights wanted,
                               Workspace& workspace);

struct EncoderLayerCall {
  InputTensor x;  // [batch, time, d_model]
  MaskTensors masks;
  bool is_causal = false;
};
// -> the shape of x
Tensor run_layer(const EncoderLayer& layer, EncoderLayerCall call, Workspace& workspace);

struct DecoderLayerCall {
  InputTensor x;       // [batch, time, d_model]
  InputTensor memory;  // [batch, source, d_model]
  MaskTensors masks;
  MaskTensors memory_masks;
  bool is_causal = false;
};
Tensor run_layer(const DecoderLayer& layer, DecoderLayerCall call, Workspace& workspace);

// How the masks between decoder and memory are called.
inline constexpr MaskNames kMemoryMaskNames = {"memoryMask", "memoryBias", "memoryKeyPaddingMask"};

// Weights [batch, heads, queries, keys] -> [batch, queries, keys].
Tensor mean_over_heads(const Tensor& weights);

}  // namespace transformer
