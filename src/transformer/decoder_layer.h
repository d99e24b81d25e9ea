// Causal self-attention, cross-attention to the encoder's memory, feed-forward (Vaswani et al. 2017, section 3.1).
// Without an encoder there is no cross-attention, as in GPT. A recurrent unit may take the place of self-attention.
#pragma once

#include <optional>

#include "transformer/encoder_layer.h"
#include "transformer/ssru.h"

namespace transformer {

// The keys and values of one layer: of its own tokens, and of the memory, which are computed once.
struct LayerCaches {
  KvCache* self;               // null without self-attention
  const KvCache* cross;        // null without cross-attention
  SsruCells* cells = nullptr;  // in place of `self`
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
  // scope: self_attn or ssru, cross_attn, feed_forward, and what ResidualBlock takes under these names
  // memory_width: of what cross-attention reads; 0: there is no cross-attention
  // has_norm: false leaves out the norm before self-attention
  DecoderLayer(const WeightScope& scope, const LayerConfig& config, int memory_width,
               std::shared_ptr<const PositionScheme> positions = nullptr, bool has_norm = true);

  bool is_recurrent() const { return ssru_.has_value(); }
  const MultiHeadAttention& self_attention() const { return *self_attn_; }

  KvCache::Size self_cache_size(int rows, int tokens) const { return self_attn_->cache_size(rows, tokens); }
  SsruCells start_cells(int rows) const { return ssru_->start(rows); }
  KvCache::Size cross_cache_size(int rows, int tokens) const { return cross_attn_->cache_size(rows, tokens); }

  // memory [rows of all sources, memory_width] -> its keys and values
  void append_memory(ConstView memory, const Segments& sources, KvCache& cross, Workspace& workspace) const;

  // x [rows, d_model] in place: the tokens that follow those in caches.self, to which they are appended.
  // Observable: what MultiHeadAttention lists, under self_attn and cross_attn, and Ssru under ssru; the residual of
  // each sub-layer.
  void forward(View x, const DecoderTokens& tokens, LayerCaches caches, const DecoderMasks& masks,
               Workspace& workspace) const;

 private:
  void forward_self(View x, const DecoderTokens& tokens, const LayerCaches& caches, const Mask& mask,
                    Workspace& workspace) const;

  NormPlace norm_place_;
  std::optional<MultiHeadAttention> self_attn_;
  std::optional<Ssru> ssru_;  // in its place
  ResidualBlock self_block_;  // of either
  std::optional<MultiHeadAttention> cross_attn_;
  std::optional<ResidualBlock> cross_attn_block_;
  FeedForward feed_forward_;
  ResidualBlock feed_forward_block_;
};

}  // namespace transformer
