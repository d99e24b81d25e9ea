// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// (Vaswani et al. 2017, section 3.2.2).
#pragma once

#include <memory>

#include "attention/scaled_dot_product.h"
#include "layers/linear.h"
#include "layers/rotary_embedding.h"

namespace transformer {

struct AttentionConfig {
  int d_model;  // of queries and of the output
  int d_key;    // of the keys given; kDim in PyTorch
  int d_value;  // of the values given; vDim
  int num_heads;
  int num_kv_heads;  // fewer than num_heads: grouped-query attention (Ainslie et al. 2023)
  int d_head;
  bool bias = true;             // of the four projections
  bool key_bias = true;         // of the keys', where the others have one: Whisper's have none
  float scale = 0.0f;           // of the scores; 0 means 1 / sqrt(d_head)
  bool bias_kv = false;         // one more learned key and value: bias_k, bias_v [num_kv_heads * d_head]
  bool zero_attention = false;  // one more key and value of zeros
};

class MultiHeadAttention {
 public:
  // scope: q_proj, k_proj, v_proj, out_proj, each weight and bias
  // rotary: turns queries and keys, or null
  MultiHeadAttention(const WeightScope& scope, const AttentionConfig& config,
                     std::shared_ptr<const RotaryEmbedding> rotary = nullptr);

  const AttentionConfig& config() const { return config_; }

  // The cache that holds `tokens` projected keys and values for each of `rows` sequences.
  KvCache::Size cache_size(int rows, int tokens) const;

  // Projects key [rows * n, d_key] and value [rows * n, d_value] and appends them, n to each sequence of the cache.
  void append_keys_values(ConstView key, ConstView value, KvCache& cache, Workspace& workspace) const;

  // query [rows * queries, d_model] -> out [rows * queries, d_model] = attention + residual; out overlaps neither.
  // Probes: weights and scores [rows, heads, queries, keys], queries [rows, queries, num_heads * d_head].
  void attend(ConstView query, const KvCache& cache, const Mask& mask, View out, Workspace& workspace,
              ConstView residual = {}) const;

  // Both in turn, with a cache that lives no longer. key and value have the same batch of sequences as query.
  void forward(ConstView query, ConstView key, ConstView value, int batch, const Mask& mask, View out,
               Workspace& workspace, ConstView residual = {}) const;

 private:
  void append_extra_keys(KvCache& cache) const;
  void scale_heads(std::span<const float> factors, View heads) const;

  AttentionConfig config_;
  std::shared_ptr<const RotaryEmbedding> rotary_;
  Linear q_proj_;
  Linear k_proj_;
  Linear v_proj_;
  Linear out_proj_;
  Tensor bias_k_;
  Tensor bias_v_;
};

}  // namespace transformer
