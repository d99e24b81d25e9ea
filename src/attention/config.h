// The description of multi-head attention.
#pragma once

#include <string>

#include "attention/query_key_norm.h"
#include "base/fields.h"
#include "layers/norm.h"

namespace transformer {

struct AttentionConfig {
  int d_model = 0;  // of queries and of the output
  int d_key = 0;    // input width of the keys, kDim in PyTorch; 0: d_model
  int d_value = 0;  // input width of the values, vDim; 0: d_model
  int num_heads = 1;
  int num_kv_heads = 0;         // fewer than num_heads: grouped-query attention (Ainslie et al. 2023); 0: num_heads
  int d_head = 0;               // 0: d_model / num_heads
  bool bias = true;             // of the four projections
  std::string unbiased = {};    // projections without a bias, if `bias`: letters of q, k, v and o
  float scale = 0.0f;           // of the scores; 0: 1 / sqrt(d_head)
  float score_cap = 0.0f;       // of the scaled scores: cap * tanh(score / cap), before masks (Gemma 2); 0: none
  bool bias_kv = false;         // appends a learned key and value: bias_k, bias_v [num_kv_heads * d_head]
  bool zero_attention = false;  // appends a key and a value of zeros
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  bool norm_after_rotation = false;  // that norm follows the rotation by position (Hunyuan)
  NormConfig norm = {};              // its kind and epsilon; it never has a bias
};

constexpr auto fields_of(const AttentionConfig*) {
  return std::tuple{Field{"dModel", &AttentionConfig::d_model},
                    Field{"kDim", &AttentionConfig::d_key},
                    Field{"vDim", &AttentionConfig::d_value},
                    Field{"numHeads", &AttentionConfig::num_heads},
                    Field{"numKvHeads", &AttentionConfig::num_kv_heads},
                    Field{"dHead", &AttentionConfig::d_head},
                    Field{"bias", &AttentionConfig::bias},
                    Field{"unbiased", &AttentionConfig::unbiased},
                    Field{"scale", &AttentionConfig::scale},
                    Field{"scoreCap", &AttentionConfig::score_cap},
                    Field{"biasKv", &AttentionConfig::bias_kv},
                    Field{"zeroAttention", &AttentionConfig::zero_attention},
                    Field{"queryKeyNorm", &AttentionConfig::query_key_norm},
                    Field{"normAfterRotation", &AttentionConfig::norm_after_rotation}};
}

// Replaces each 0 by its default. invalid_argument, in the user's names, for impossible sizes.
AttentionConfig resolved(AttentionConfig config);

}  // namespace transformer
