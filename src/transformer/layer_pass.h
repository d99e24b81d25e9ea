// Single layers over whole tensors, with or without the batch axis. invalid_argument for shapes that do not fit.
#pragma once

#include "layers/linear.h"
#include "layers/patches.h"
#include "transformer/decoder_layer.h"
#include "transformer/input_tensor.h"

namespace transformer {

// x [..., in_features] -> activation(x W^T + b) [..., out_features]
Tensor run_layer(const Linear& layer, Activation activation, const Tensor& x, Workspace& workspace);

// x [..., d_model] -> [..., d_model]
Tensor run_layer(const FeedForward& layer, const Tensor& x, Workspace& workspace);

// images [batch, channels, height, width], the batch axis optional -> [batch, tokens, d_model]. Rows and columns that
// do not fill a patch are left out, as by a convolution.
Tensor run_layer(const PatchEmbedding& layer, const Tensor& images, Workspace& workspace);

struct AttentionCall {
  InputTensor query;  // [batch, queries, d_model]
  InputTensor key;    // [batch, keys, d_key]
  InputTensor value;  // [batch, keys, d_value]
  MaskTensors masks;
  bool is_causal = false;
  bool need_weights = false;
  bool average_weights = false;  // their mean over the heads
};

struct AttentionLayerResult {
  Tensor output;   // [batch, queries, d_model]
  Tensor weights;  // [batch, heads, queries, keys]; [batch, queries, keys] if averaged; empty unless needed
};

AttentionLayerResult run_layer(const MultiHeadAttention& layer, AttentionCall call, Workspace& workspace);

struct EncoderLayerCall {
  InputTensor x;  // [batch, time, d_model]
  MaskTensors masks;
  bool is_causal = false;
};
// -> output, of the shape of x
Tensor run_layer(const EncoderLayer& layer, EncoderLayerCall call, Workspace& workspace);

struct DecoderLayerCall {
  InputTensor x;       // [batch, time, d_model]
  InputTensor memory;  // [batch, source, d_model]
  MaskTensors masks;
  MaskTensors memory_masks;
  bool is_causal = false;
};
// -> output, of the shape of x
Tensor run_layer(const DecoderLayer& layer, DecoderLayerCall call, Workspace& workspace);

// Weights [batch, heads, queries, keys] -> [batch, queries, keys].
Tensor mean_over_heads(const Tensor& weights);

}  // namespace transformer
