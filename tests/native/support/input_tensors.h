// Inputs of whole-tensor calls.
#pragma once

#include "support/random_data.h"
#include "transformer/input_tensor.h"

namespace transformer::testing {

inline InputTensor ids_input(const Shape& shape, std::vector<int> ids) {
  InputTensor input;
  input.shape = shape;
  input.is_ids = true;
  input.ids = std::move(ids);
  return input;
}

inline InputTensor vectors_input(const Tensor& vectors) {
  InputTensor input;
  input.shape = vectors.shape();
  input.vectors = vectors.clone();
  return input;
}

// One sequence of a batch, without the batch axis.
inline InputTensor sequence_of(const InputTensor& input, int row) {
  const int time = input.time();
  if (input.is_ids) return ids_input({time}, {input.ids.begin() + row * time, input.ids.begin() + (row + 1) * time});
  Tensor one({time, input.shape.back()});
  std::copy_n(input.vectors.matrix().row(row * time), one.size(), one.data());
  return vectors_input(one);
}

inline InputTensor copy_of(const InputTensor& input) {
  return input.is_ids ? ids_input(input.shape, input.ids) : vectors_input(input.vectors);
}

}  // namespace transformer::testing
