// Self-attention, then feed-forward, each with a residual connection and a norm (Vaswani et al. 2017, section 3.1).
#pragma once

#include "attention/multi_head.h"
#include "layers/feed_forward.h"
#include "transformer/config.h"

namespace transformer {

// The attention of a layer over d_model wide inputs.
AttentionConfig attention_config(const LayerConfig& config);
FeedForwardConfig feed_forward_config(const LayerConfig& config);

class EncoderLayer {
 public:
  // scope: self_attn, self_attn_norm, feed_forward, feed_forward_norm
  EncoderLayer(const WeightScope& scope, const LayerConfig& config,
               std::shared_ptr<const RotaryEmbedding> rotary = nullptr);

  const MultiHeadAttention& self_attention() const { return self_attn_; }

  // x [batch * time, d_model] in place. Probe: self_attn.weights.
  void forward(View x, int batch, const Mask& mask, Workspace& workspace) const;

 private:
  NormPlace norm_place_;
  MultiHeadAttention self_attn_;
  Norm self_attn_norm_;
  FeedForward feed_forward_;
  Norm feed_forward_norm_;
};

// x <- norm(x + sublayer(x)) or x + sublayer(norm(x)). sublayer(in, out, residual) writes f(in) + residual to out.
template <class Sublayer>
void residual_block(View x, NormPlace place, const Norm& norm, Workspace& workspace, const Sublayer& sublayer) {
  const Arena::Scope scope(workspace.arena);
  const View scratch = workspace.arena.take(x.rows, x.cols);
  if (place == NormPlace::kPost) {
    sublayer(x, scratch, x);
    norm.forward(scratch, x, workspace);
  } else {
    const View sum = workspace.arena.take(x.rows, x.cols);
    norm.forward(x, scratch, workspace);
    sublayer(scratch, sum, x);
    for (int row = 0; row < x.rows; ++row) std::copy_n(sum.row(row), x.cols, x.row(row));
  }
}

}  // namespace transformer
