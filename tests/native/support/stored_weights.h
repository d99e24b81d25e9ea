// Weights with given or random tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/random_data.h"
#include "weights/weights.h"

namespace transformer::testing {

// What the layers take a tensor of that name for.
inline MatrixPurpose purpose_of(const std::string& name) {
  for (const char* table : {"positions.weight", "token_types.weight", "relative_bias."}) {
    if (name.find(table) != std::string::npos) return MatrixPurpose::kTable;
  }
  return name.ends_with("embedding.weight") ? MatrixPurpose::kEmbedding : MatrixPurpose::kFactor;
}

// Adds a tensor with its numbers.
inline void add_tensor(Weights& weights, const std::string& name, const Shape& shape, const std::vector<float>& numbers,
                       std::optional<MatrixPurpose> purpose = std::nullopt) {
  weights.add(name, shape, {purpose.value_or(purpose_of(name))});
  weights.store(name, 0, numbers);
}

// Adds a random tensor and returns a copy of it.
inline Tensor add_random(Weights& weights, Random& random, const std::string& name, const Shape& shape,
                         std::optional<MatrixPurpose> purpose = std::nullopt) {
  Tensor tensor = random_tensor(random, shape);
  add_tensor(weights, name, shape, {tensor.data(), tensor.data() + tensor.size()}, purpose);
  return tensor;
}

}  // namespace transformer::testing
