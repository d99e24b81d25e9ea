#include "transformer/input_tensor.h"

namespace transformer {

Sequences InputTensor::sequences() const {
  Sequences sequences = {.batch = batch(), .time = time(), .ids = ids, .token_types = token_types};
  if (!vectors.empty()) sequences.vectors = vectors.matrix();
  return sequences;
}

Tensor InputTensor::restore(Tensor rows) const {
  const int width = rows.axis(1);
  return std::move(rows).reshaped(is_batched() ? Shape{batch(), time(), width} : Shape{time(), width});
}

const InputTensor& checked_ids(const InputTensor& input, const char* name) {
  require(!input.is_missing(), name, " is missing");
  require(input.is_ids && (input.shape.size() == 1 || input.shape.size() == 2), name,
          " must be token ids of shape [batch, time], got the shape ", to_string(input.shape));
  return input;
}

const InputTensor& checked_vectors(const InputTensor& input, const char* name, int width) {
  require(!input.is_missing(), name, " is missing");
  require(!input.is_ids && (input.shape.size() == 2 || input.shape.size() == 3), name,
          " must be vectors of shape [batch, time, ", width, "], got the shape ", to_string(input.shape));
  require(input.shape.back() == width, name, " must have the width ", width, ", got the shape ",
          to_string(input.shape));
  return input;
}

}  // namespace transformer
