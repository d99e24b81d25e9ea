// One vector for a sequence: what a learned query attends to, then a feed-forward layer (Zhai et al. 2022, "Scaling
// vision transformers", section 3.3; SigLIP).
#pragma once

#include "attention/multi_head.h"
#include "layers/feed_forward.h"

namespace transformer {

struct AttentionPoolConfig {
  int num_heads = 0;  // 0: there is no such pool
  int d_ff = 0;
  Activation activation = Activation::kRelu;
  NormConfig norm = {};
};

constexpr auto fields_of(const AttentionPoolConfig*) {
  return std::tuple{Field{"numHeads", &AttentionPoolConfig::num_heads}, Field{"dFf", &AttentionPoolConfig::d_ff},
                    Field{"activation", &AttentionPoolConfig::activation}, Field{"norm", &AttentionPoolConfig::norm}};
}

class AttentionPool {
 public:
  // scope: probe [d_model]; attention, as in MultiHeadAttention; norm; feed_forward, as in FeedForward
  AttentionPool(const WeightScope& scope, const AttentionPoolConfig& config, int d_model);

  int num_heads() const { return attention_.config().num_heads; }

  // states: of sequences; padding: of their keys -> out [batch, d_model] = y + FFN(LayerNorm(y)), where y is what the
  // query attends to. Observable: attention.*, as of MultiHeadAttention.
  void forward(ConstView states, const Segments& segments, const ScoreBias& padding, View out,
               Workspace& workspace) const;

 private:
  Tensor probe_;
  MultiHeadAttention attention_;
  Norm norm_;
  FeedForward feed_forward_;
};

}  // namespace transformer
