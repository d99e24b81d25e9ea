// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// (Vaswani et al. 2017, section 3.2.2).
#pragma once

#include <memory>

#include "attention/scaled_dot_product.h"
#include "layers/linear.h"

namespace transformer {

struct AttentionConfig {
  int d_model = 0;  // of queries and of the output
  int d_key = 0;    // of the keys given, kDim in PyTorch; 0: d_model
  int d_value = 0;  // of the values given, vDim; 0: d_model
  int num_heads = 1;
  int num_kv_heads = 0;         // fewer than num_heads: grouped-query attention (Ainslie et al. 2023); 0: num_heads
  int d_head = 0;               // 0: d_model / num_heads
  bool bias = true;             // of the four projections
  bool key_bias = true;         // of the keys', where the others have one: Whisper's have none
  float scale = 0.0f;           // of the scores; 0: 1 / sqrt(d_head)
  bool bias_kv = false;         // one more learned key and value: bias_k, bias_v [num_kv_heads * d_head]
  bool zero_attention = false;  // one more key and value of zeros
};

// With each 0 replaced by what it stands for. invalid_argument, in the user's names, for sizes that cannot be an
// attention layer's.
AttentionConfig resolved(AttentionConfig config);

// Queries, and the keys and values that they attend to: those of a cache, or rows [batch * keys, d_key] and
// [batch * keys, d_value] of a pass that keeps none.
struct CachedAttention {
  ConstView query;  // [rows * queries, d_model]
  const KvCache& cache;
  const Mask& mask;
};
struct AttentionPass {
  ConstView query;
  ConstView key;
  ConstView value;
  int batch;
  const Mask& mask;
};

class MultiHeadAttention {
 public:
  // scope: q_proj, k_proj, v_proj, out_proj, each weight and bias
  // positions: turns queries and keys, or null
  MultiHeadAttention(const WeightScope& scope, const AttentionConfig& config,
                     std::shared_ptr<const PositionScheme> positions = nullptr);

  const AttentionConfig& config() const { return config_; }

  // The cache that holds `tokens` projected keys and values for each of `rows` sequences.
  KvCache::Size cache_size(int rows, int tokens) const;

  // Projects key [rows * n, d_key] and value [rows * n, d_value] and appends them, n to each sequence of the cache.
  void append_keys_values(ConstView key, ConstView value, KvCache& cache, Workspace& workspace) const;

  // query [rows * queries, d_model] -> result.out [rows * queries, d_model] = attention + residual; out overlaps
  // neither. Observable: weights and scores [rows, heads, queries, keys], queries [rows, queries, num_heads * d_head].
  void attend(const CachedAttention& input, const ResidualOutput& result, Workspace& workspace) const;

  // Both in turn, with a cache that lives no longer. key and value have the same batch of sequences as query.
  void forward(const AttentionPass& input, const ResidualOutput& result, Workspace& workspace) const;

 private:
  void append_extra_keys(KvCache& cache) const;
  void scale_heads(std::span<const float> factors, View heads) const;

  AttentionConfig config_;
  std::shared_ptr<const PositionScheme> positions_;
  Linear q_proj_;
  Linear k_proj_;
  Linear v_proj_;
  Linear out_proj_;
  Tensor bias_k_;
  Tensor bias_v_;
};

}  // namespace transformer
