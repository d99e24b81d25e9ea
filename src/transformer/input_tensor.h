// The input of a stack or of a layer as a caller gives it, with or without the batch axis.
#pragma once

#include <vector>

#include "attention/mask.h"
#include "base/tensor.h"
#include "transformer/input.h"

namespace transformer {

// Owns token ids [batch, time] or vectors [batch, time, width]. Without the batch axis it is a batch of one; without
// either nothing was given.
struct InputTensor {
  Shape shape;
  bool is_ids = false;
  std::vector<int> ids;
  Tensor vectors;
  std::vector<int> token_types = {};  // [batch, time], or none

  bool is_missing() const { return !is_ids && vectors.empty(); }
  bool is_batched() const { return shape.size() == (is_ids ? 2u : 3u); }
  int batch() const { return is_batched() ? shape[0] : 1; }
  int time() const { return is_batched() ? shape[1] : shape[0]; }
  Sequences sequences() const;

  // A result [batch * time, width] -> [batch, time, width], or [time, width] if the input had no batch axis.
  Tensor restore(Tensor rows) const;
};

// invalid_argument that names the argument where it is missing or is not ids, or not vectors of that width.
const InputTensor& checked_ids(const InputTensor& input, const char* name);
const InputTensor& checked_vectors(const InputTensor& input, const char* name, int width);

// The user's names of the masks: of a whole model's stacks, and of cross-attention.
inline constexpr MaskNames kSourceMaskNames = {"srcMask", "srcBias", "srcKeyPaddingMask"};
inline constexpr MaskNames kTargetMaskNames = {"tgtMask", "tgtBias", "tgtKeyPaddingMask"};
inline constexpr MaskNames kMemoryMaskNames = {"memoryMask", "memoryBias", "memoryKeyPaddingMask"};

}  // namespace transformer
