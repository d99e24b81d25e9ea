// What a caller gives to a stack or a layer, with or without the batch axis.
#pragma once

#include <vector>

#include "base/tensor.h"
#include "transformer/input.h"

namespace transformer {

// Token ids [batch, time] or vectors [batch, time, width], owned; without the batch axis, a batch of one.
struct InputTensor {
  Shape shape;
  bool is_ids = false;
  std::vector<int> ids;
  Tensor vectors;
  std::vector<int> token_types = {};  // [batch, time], or none

  bool is_batched() const { return shape.size() == (is_ids ? 2u : 3u); }
  int batch() const { return is_batched() ? shape[0] : 1; }
  int time() const { return is_batched() ? shape[1] : shape[0]; }
  Sequences sequences() const;

  // A result [batch * time, width] in the caller's shape: [batch, time, width], or [time, width].
  Tensor restore(Tensor rows) const;
};

// invalid_argument that names the argument, unless it has the axes of ids, or of vectors `width` wide.
const InputTensor& checked_ids(const InputTensor& input, const char* name);
const InputTensor& checked_vectors(const InputTensor& input, const char* name, int width);

}  // namespace transformer
