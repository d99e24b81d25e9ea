// Self-attention, then feed-forward, each with a residual connection and a norm (Vaswani et al. 2017, section 3.1).
#pragma once

#include "attention/multi_head.h"
#include "layers/feed_forward.h"
#include "transformer/residual_block.h"

namespace transformer {

class EncoderLayer {
 public:
  // scope: self_attn, feed_forward, and what ResidualBlock takes under these names
  // has_norm: false leaves out the norm before self-attention
  EncoderLayer(const WeightScope& scope, const LayerConfig& config,
               std::shared_ptr<const PositionScheme> positions = nullptr, bool has_norm = true);

  const MultiHeadAttention& self_attention() const { return self_attn_; }

  // x [rows of all sequences, d_model] in place.
  // Observable: what MultiHeadAttention lists, under self_attn; the residual of each sub-layer.
  void forward(View x, const Segments& sequences, const Mask& mask, Workspace& workspace) const;

 private:
  NormPlace norm_place_;
  MultiHeadAttention self_attn_;
  ResidualBlock self_attn_block_;
  FeedForward feed_forward_;
  ResidualBlock feed_forward_block_;
};

// What the feed-forward block of a layer reads: x as it will be, or in a parallel layer as it is now.
ConstView feed_forward_input(NormPlace place, View x, Workspace& workspace);

}  // namespace transformer
