// Recurrent modules and models: PyTorch's state dicts, and what is offered on the way.
#pragma once

#include <string>

#include "recurrent/config.h"
#include "support/fixture.h"
#include "support/stored_weights.h"

namespace transformer::testing {

// A case's weights under the names that they have.
inline Weights state_dict(const Fixture& fixture, Dtype dtype = Dtype::kF32) {
  Weights weights(dtype);
  for (const auto& [name, stored] : fixture.model()) {
    const Tensor tensor = stored.tensor();
    add_tensor(weights, name, tensor.shape(), {tensor.data(), tensor.data() + tensor.size()});
  }
  return weights;
}

inline CellKind cell_of(const nlohmann::json& config) {
  return config["cell"] == "gru" ? CellKind::kGru : CellKind::kLstm;
}

inline RecurrentConfig recurrent_config_of(const nlohmann::json& json) {
  RecurrentConfig config;
  config.design = json["decoder"] == "luong" ? DecoderDesign::kLuong : DecoderDesign::kBahdanau;
  config.cell = cell_of(json);
  config.source_vocab = config.target_vocab = json["vocab_size"];
  config.d_embedding = json["d_embedding"];
  config.hidden_size = json["hidden_size"];
  config.num_layers = json["num_layers"];
  config.bidirectional = json["bidirectional"];
  config.score = json["score"] == "dot"       ? AlignmentScore::kDot
                 : json["score"] == "general" ? AlignmentScore::kGeneral
                 : json["score"] == "none"    ? AlignmentScore::kNone
                                              : AlignmentScore::kConcat;
  config.d_attention = json["d_attention"];
  config.window = json["window"];
  config.d_readout = json["d_readout"];
  config.maxout = json["maxout"];
  config.share_embeddings = json["share_embeddings"];
  config.tie_embeddings = json["tie_embeddings"];
  config.projection_bias = json["projection_bias"];
  return config;
}

}  // namespace transformer::testing
