// The state dict of a PyTorch module under the engine's names.
#pragma once

#include <regex>

#include "support/fixture.h"
#include "support/stored_weights.h"

namespace transformer::testing {

inline std::string engine_name(std::string name, bool in_decoder) {
  if (name.find("decoder.") != std::string::npos) in_decoder = true;
  const std::pair<const char*, const char*> replacements[] = {
      {"^transformer\\.", ""},
      {"^generator\\.", "projection."},
      {"^src_tok_emb\\.embedding", "encoder.embedding"},
      {"^tgt_tok_emb\\.embedding", "decoder.embedding"},
      {"([qkv])_proj_weight$", "$1_proj.weight"},
      {"multihead_attn\\.", "cross_attn."},
      {"linear([12])\\.", "feed_forward.fc$1."},
      {"norm1\\.", "self_attn_norm."},
      {"norm2\\.", in_decoder ? "cross_attn_norm." : "feed_forward_norm."},
      {"norm3\\.", "feed_forward_norm."},
  };
  for (const auto& [from, to] : replacements) name = std::regex_replace(name, std::regex(from), to);
  return name;
}

// in_decoder: the module is a decoder layer, whose norms are numbered differently.
inline Weights torch_weights(const Fixture& fixture, bool in_decoder = false) {
  Weights weights;
  auto add = [&weights](const std::string& name, const float* data, Shape shape) {
    add_tensor(weights, name, shape, {data, data + element_count(shape)});
  };
  for (const auto& [name, stored] : fixture.model()) {
    if (name == "positional_encoding.pos_embedding") continue;  // computed by the engine
    const Tensor tensor = stored.tensor();
    const std::size_t stacked = name.find("in_proj_");
    if (stacked == std::string::npos) {
      const bool is_extra_key = name == "bias_k" || name == "bias_v";  // [1, 1, width]
      add(engine_name(name, in_decoder), tensor.data(), is_extra_key ? Shape{tensor.shape().back()} : tensor.shape());
      continue;
    }
    // Queries, keys and values stacked in one matrix.
    Shape shape = tensor.shape();
    shape[0] /= 3;
    const std::string prefix = engine_name(name.substr(0, stacked), in_decoder);
    const std::string suffix = name.substr(stacked + std::string("in_proj_").size());
    for (int i = 0; i < 3; ++i) {
      add(prefix + "qkv"[i] + "_proj." + suffix, tensor.data() + static_cast<std::size_t>(i) * element_count(shape),
          shape);
    }
  }
  return weights;
}

}  // namespace transformer::testing
