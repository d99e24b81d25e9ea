// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
// (Vaswani et al. 2017, section 3.2.2).
#pragma once

#include <memory>
#include <optional>

#include "attention/config.h"
#include "attention/disentangled.h"
#include "attention/query_key_norm.h"
#include "attention/scaled_dot_product.h"
#include "layers/linear.h"

namespace transformer {

// The inputs of attention: queries with a cache of keys and values, or with the rows of keys and values. The segments
// say which rows are of which sequence.
struct CachedAttention {
  ConstView query;  // [rows of all queries, d_model]
  Segments queries;
  const KvCache& cache;
  const Mask& mask;
};
struct SelfAttention {
  ConstView x;  // [rows of all new tokens, d_model]
  Segments tokens;
  KvCache& cache;
  const Mask& mask;
};
struct AttentionPass {
  ConstView query;
  ConstView key;    // [rows of all keys, d_key]
  ConstView value;  // [rows of all keys, d_value]
  Segments queries;
  Segments keys;
  const Mask& mask;
};

class MultiHeadAttention {
 public:
  // scope: q_proj, k_proj, v_proj, out_proj, each weight and bias; q_norm, k_norm if there is such a norm
  // positions: rotates queries and keys, or relates them to their distances; may be null
  MultiHeadAttention(const WeightScope& scope, const AttentionConfig& config,
                     std::shared_ptr<const PositionScheme> positions = nullptr);

  const AttentionConfig& config() const { return config_; }

  // The size of a cache for `tokens` projected keys and values of each of `rows` sequences.
  KvCache::Size cache_size(int rows, int tokens) const;

  // Projects key [rows, d_key] and value [rows, d_value] of all tokens and appends them, to each sequence of the cache
  // its own.
  void append_keys_values(ConstView key, ConstView value, const Segments& tokens, KvCache& cache,
                          Workspace& workspace) const;

  // query [rows, d_model] -> result.out [rows, d_model] = attention + residual; out overlaps neither.
  // Observable: weights and scores [batch, heads, queries, keys], queries [batch, queries, num_heads * d_head].
  void attend(const CachedAttention& input, const ResidualOutput& result, Workspace& workspace) const;

  // Both, for queries, keys and values of the same tokens, which are projected together.
  void attend_to_itself(const SelfAttention& input, const ResidualOutput& result, Workspace& workspace) const;

  // Both, with a temporary cache. query, key and value have the same batch size.
  void forward(const AttentionPass& input, const ResidualOutput& result, Workspace& workspace) const;

 private:
  struct NewTokens {
    ConstView key;
    ConstView value;
    Segments tokens;
    View queries = {};  // for the queries of the same rows as key and value, or none
  };
  void append(const NewTokens& input, KvCache& cache, Workspace& workspace) const;

  struct ProjectedQueries {
    View queries;  // [rows of all queries, num_heads * d_head], overwritten
    Segments tokens;
    const KvCache& cache;
    const Mask& mask;
  };
  void attend_projected(const ProjectedQueries& input, const ResidualOutput& result, Workspace& workspace) const;

  // Normalises and rotates queries or keys x; first_of(row): the position of a sequence's first one.
  template <class FirstOf>
  void place(const std::optional<HeadsNorm>& norm, View x, const Segments& tokens, Workspace& workspace,
             const FirstOf& first_of) const;

  void append_extra_keys(KvCache& cache) const;
  void scale_heads(std::span<const float> factors, View heads) const;

  AttentionConfig config_;
  std::shared_ptr<const PositionScheme> positions_;
  Linear q_proj_;
  Linear k_proj_;
  Linear v_proj_;
  Linear out_proj_;
  std::optional<HeadsNorm> q_norm_;
  std::optional<HeadsNorm> k_norm_;
  std::optional<DisentangledTerms> disentangled_;
  Tensor bias_k_;
  Tensor bias_v_;
};

}  // namespace transformer
