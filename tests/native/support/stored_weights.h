// Weights with given or random tensors.
#pragma once

#include <string>
#include <vector>

#include "support/random_data.h"
#include "weights/weights.h"

namespace transformer::testing {

// Adds a tensor with its numbers.
inline void add_tensor(Weights& weights, const std::string& name, const Shape& shape,
                       const std::vector<float>& numbers) {
  weights.add(name, shape);
  weights.store(name, 0, numbers);
}

// Adds a random tensor and returns a copy of it.
inline Tensor add_random(Weights& weights, Random& random, const std::string& name, const Shape& shape) {
  Tensor tensor = random_tensor(random, shape);
  add_tensor(weights, name, shape, {tensor.data(), tensor.data() + tensor.size()});
  return tensor;
}

}  // namespace transformer::testing
