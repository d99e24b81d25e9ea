// Attention(Q, K, V) = softmax(Q K^T * scale + bias) V (Vaswani et al. 2017, eq. 1).
#pragma once

#include "attention/kv_cache.h"
#include "attention/mask.h"
#include "base/workspace.h"

namespace transformer {

struct AttentionInput {
  ConstHeads query;  // [batch, heads, queries, d_k]
  int batch;
  int queries;
  int heads;            // a multiple of keys.size().heads; neighbouring query heads share a head of keys
  const KvCache& keys;  // and values, one row per batch row
  const Mask& mask;
  float scale;  // 1 / sqrt(d_k) in the paper
};

// What is kept of an attention where somebody asks: [batch, heads, queries, keys] each, or null. Computed in a second
// run over the keys, so that the output is the same with them and without.
struct AttentionMaps {
  Tensor* weights = nullptr;  // the softmax
  Tensor* scores = nullptr;   // what goes into it: scaled, biased, -inf where forbidden
};

// out [batch, heads, queries, d_v], which may be the queries themselves. A query that may attend to nothing gets zeros.
//
// Tiles of queries run past tiles of keys with a running softmax (Dao et al. 2022, "FlashAttention", algorithm 1), so
// the scores are never stored whole. Tiles of keys begin at fixed positions: a result does not depend on what other
// queries are computed beside it, nor on masked keys at the end.
//
void scaled_dot_product_attention(const AttentionInput& input, Heads out, const AttentionMaps& maps,
                                  Workspace& workspace);

}  // namespace transformer
