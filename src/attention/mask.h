// Masks and biases of attention, all as terms added to the scores: 0 for allowed, kForbidden for forbidden keys.
#pragma once

#include <cstddef>

#include "base/forbidden.h"
#include "base/tensor.h"
#include "positions/position_scheme.h"

namespace transformer {

// A term added to the scores [batch, heads, queries, keys]: a pointer and strides, 0 for broadcast axes.
struct ScoreBias {
  const float* data = nullptr;
  std::ptrdiff_t batch = 0;
  std::ptrdiff_t head = 0;
  std::ptrdiff_t query = 0;
  std::ptrdiff_t key = 0;
};

// Query i of n has the position keys - n + i: the queries are the last of the keys' tokens, as in decoding with a
// cache. With as many queries as keys this is position i.
struct Mask {
  ScoreBias padding;      // of keys: [batch, 1, 1, keys]
  ScoreBias mask;         // the caller's mask
  ScoreBias bias;         // the caller's bias
  DistanceBias distance;  // the position scheme's
  ScoreBias positions;    // the position scheme's, where it depends on the content too
  bool causal = false;    // key position <= query position
  int window = -1;        // |key position - query position| <= window; negative: no window
  int unmasked_keys = 0;  // the last keys, to which none of the above applies (bias_k, zero attention)
};

// The masks of a caller; empty tensors add nothing.
struct MaskTensors {
  Tensor mask;     // 1 = may attend, 0 = may not
  Tensor bias;     // added to the scores
  Tensor padding;  // [batch, keys], 1 = a real key
};

// The caller's names of these tensors, for errors.
struct MaskNames {
  const char* mask = "mask";
  const char* bias = "bias";
  const char* padding = "keyPaddingMask";
};

// A mask and the tensors that it points to.
struct OwnedMask {
  MaskTensors tensors;
  Mask view;
};

// For scores of shape [batch, heads, queries, keys], to which mask and bias broadcast; as in PyTorch, they may also
// have the shape [batch * heads, queries, keys]. invalid_argument for other shapes, for a mask with numbers other than
// 0 and 1, and for a bias with NaN or infinity (-infinity is kForbidden).
OwnedMask make_mask(MaskTensors tensors, const MaskNames& names, const Shape& scores);

// mask_to_bias: 1 -> 0, 0 -> kForbidden. Both throw like make_mask.
Tensor mask_to_bias(Tensor mask, const char* name);
Tensor checked_bias(Tensor bias, const char* name);

// `term` broadcast to scores [batch, heads, queries, keys].
ScoreBias broadcast_bias(const Tensor& term, const char* name, const Shape& scores);

}  // namespace transformer
