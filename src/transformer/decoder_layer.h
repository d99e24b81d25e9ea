// Causal self-attention, cross-attention to the encoder's memory, feed-forward (Vaswani et al. 2017, section 3.1).
// Without an encoder there is no cross-attention, as in GPT.
#pragma once

#include <optional>

#include "transformer/encoder_layer.h"

namespace transformer {

// The keys and values of one layer: of its own tokens, and of the memory, which are computed once.
struct LayerCaches {
  KvCache& self;
  const KvCache* cross;  // null without cross-attention
};

// The new tokens of each sequence; and of each memory, those of all sequences that attend to it.
struct DecoderTokens {
  Segments self;
  Segments cross;
};

struct DecoderMasks {
  Mask self;
  Mask cross;
};

class DecoderLayer {
 public:
  // scope: self_attn, self_attn_norm, cross_attn, cross_attn_norm, feed_forward, feed_forward_norm
  // memory_width: of what cross-attention reads; 0: there is no cross-attention
  DecoderLayer(const WeightScope& scope, const LayerConfig& config, int memory_width,
               std::shared_ptr<const PositionScheme> positions = nullptr);

  const MultiHeadAttention& self_attention() const { return self_attn_; }

  KvCache::Size self_cache_size(int rows, int tokens) const { return self_attn_.cache_size(rows, tokens); }
  KvCache::Size cross_cache_size(int rows, int tokens) const { return cross_attn_->cache_size(rows, tokens); }

  // memory [rows of all sources, memory_width] -> its keys and values
  void append_memory(ConstView memory, const Segments& sources, KvCache& cross, Workspace& workspace) const;

  // x [rows, d_model] in place: the tokens that follow those in caches.self, to which they are appended.
  // Observable: what MultiHeadAttention lists, under self_attn and cross_attn; the residual of each sub-layer.
  void forward(View x, const DecoderTokens& tokens, LayerCaches caches, const DecoderMasks& masks,
               Workspace& workspace) const;

 private:
  NormPlace norm_place_;
  MultiHeadAttention self_attn_;
  Norm self_attn_norm_;
  std::optional<MultiHeadAttention> cross_attn_;
  std::optional<Norm> cross_attn_norm_;
  FeedForward feed_forward_;
  Norm feed_forward_norm_;
};

}  // namespace transformer
