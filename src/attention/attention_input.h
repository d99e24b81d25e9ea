// What scaled dot-product attention reads.
#pragma once

#include "attention/heads.h"
#include "attention/kv_cache.h"
#include "attention/mask.h"

namespace transformer {

struct AttentionInput {
  ConstHeads query;     // [batch, heads, queries, d_k]
  Segments queries;     // of each sequence
  int heads;            // a multiple of keys.size().heads; adjacent query heads share a head of keys
  const KvCache& keys;  // and values, one row per batch row
  const Mask& mask;
  float scale;       // 1 / sqrt(d_k) in the paper
  float cap = 0.0f;  // of the scaled scores, before the mask; 0: none
};

}  // namespace transformer
