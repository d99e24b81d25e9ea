#include "attention/config.h"

#include <cmath>

#include "base/error.h"

namespace transformer {

namespace {

// Of all heads together: beyond any model, and small enough that no product overflows.
constexpr int kMaxWidth = 1 << 24;

}  // namespace

AttentionConfig resolved(AttentionConfig config) {
  require(config.d_model > 0, "dModel must be positive, got ", config.d_model);
  require(config.num_heads > 0, "numHeads must be positive, got ", config.num_heads);
  require(config.d_head > 0 || config.d_model % config.num_heads == 0, "dModel (", config.d_model,
          ") must be a multiple of numHeads (", config.num_heads, ")");
  if (config.d_head == 0) config.d_head = config.d_model / config.num_heads;
  if (config.num_kv_heads == 0) config.num_kv_heads = config.num_heads;
  if (config.d_key == 0) config.d_key = config.d_model;
  if (config.d_value == 0) config.d_value = config.d_model;
  if (config.scale == 0.0f) config.scale = 1.0f / std::sqrt(static_cast<float>(config.d_head));
  require(config.num_kv_heads > 0 && config.num_heads % config.num_kv_heads == 0, "numHeads (", config.num_heads,
          ") must be a multiple of numKvHeads (", config.num_kv_heads, ")");
  require(config.d_head > 0 && config.d_key > 0 && config.d_value > 0, "dHead, kDim and vDim must be positive, got ",
          config.d_head, ", ", config.d_key, " and ", config.d_value);
  require(config.num_heads <= kMaxWidth / config.d_head, "numHeads (", config.num_heads, ") times dHead (",
          config.d_head, ") is too large");
  return config;
}

}  // namespace transformer
