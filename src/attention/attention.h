// Attention(Q, K, V) over whole tensors with any leading axes (Vaswani et al. 2017, eq. 1).
#pragma once

#include <optional>

#include "attention/mask.h"
#include "base/workspace.h"

namespace transformer {

struct AttentionArguments {
  Tensor query;  // [..., queries, d_k]; leading axes broadcast, the last of them being the heads
  Tensor key;    // [..., keys, d_k]
  Tensor value;  // [..., keys, d_v]
  Tensor mask;   // 1 = may attend; broadcasts to [..., queries, keys]; or empty
  Tensor bias;   // added to the scores; broadcasts alike; or empty
};

struct AttentionOptions {
  bool is_causal = false;
  int window = -1;                  // each query attends to keys up to this distance; negative: to all
  std::optional<float> scale = {};  // of the scores; default: 1 / sqrt(d_k)
  bool need_weights = false;
};

struct AttentionResult {
  Tensor output;   // [..., queries, d_v]
  Tensor weights;  // [..., queries, keys]; empty unless asked for
};

// invalid_argument for shapes that do not fit.
AttentionResult scaled_dot_product_attention(AttentionArguments arguments, const AttentionOptions& options,
                                             Workspace& workspace);

}  // namespace transformer
