// From tokens to the vectors that the first layer sees: embedding * scale + position.
#pragma once

#include <optional>
#include <span>

#include "layers/embedding.h"
#include "transformer/config.h"

namespace transformer {

// A batch of sequences of equal length: token ids [batch * time], or vectors [batch * time, d_model] in their place.
struct Sequences {
  int batch = 0;
  int time = 0;
  std::span<const int> ids = {};
  ConstView vectors = {};
};

class InputLayer {
 public:
  // scope: embedding where the table is not shared, positions where they are learned
  InputLayer(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  // -> x [batch * time, d_model], row by row at the positions first[row], first[row] + 1, ...
  void forward(const Sequences& sequences, std::span<const int> first, View x) const;

 private:
  int d_model_;
  std::optional<Embedding> embedding_;
  std::optional<PositionalEncoding> positions_;
};

}  // namespace transformer
