// Attention(Q, K, V) = softmax(Q K^T * scale + bias) V (Vaswani et al. 2017, eq. 1).
#pragma once

#include "attention/attention_input.h"
#include "base/workspace.h"

namespace transformer {

// Optional outputs [batch, heads, queries, keys], or null, for sequences with equally many queries. Computed in a
// second run over the keys, so that the attention's output does not depend on them.
struct AttentionMaps {
  Tensor* weights = nullptr;  // the softmax
  Tensor* scores = nullptr;   // its input: scaled and biased, kForbidden for masked keys
};

// out [batch, heads, queries, d_v] may be the memory of the queries. A query that may attend to no key gets zeros.
//
// Tiles of queries iterate over tiles of keys with a running softmax (Dao et al. 2022, "FlashAttention", algorithm 1),
// so that the scores are never stored as a whole. Tiles of keys start at fixed positions, so that a result depends
// neither on the other queries nor on masked keys at the end.
void scaled_dot_product_attention(const AttentionInput& input, Heads out, const AttentionMaps& maps,
                                  Workspace& workspace);

// Lets the workspace's editor change the maps of an attention that has run, "scores" first; where a row of them is no
// longer the same bits, what follows from it is computed again: weights from scores, and the output from weights.
void edit_attention(const AttentionInput& input, Heads out, const AttentionMaps& maps, Workspace& workspace);

}  // namespace transformer
