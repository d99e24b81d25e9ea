// Who may attend to whom, and with what bias. One sense everywhere: allowed = 0, forbidden = -inf, added to the scores.
#pragma once

#include <cstddef>
#include <limits>

#include "base/tensor.h"
#include "positions/position_scheme.h"

namespace transformer {

inline constexpr float kForbidden = -std::numeric_limits<float>::infinity();

// A term added to the scores, broadcast to [batch, heads, queries, keys]: an axis that it lacks has the stride 0.
struct ScoreBias {
  const float* data = nullptr;
  std::ptrdiff_t batch = 0;
  std::ptrdiff_t head = 0;
  std::ptrdiff_t query = 0;
  std::ptrdiff_t key = 0;
};

// Queries stand at the end of the keys: query i of n has the position keys - n + i. That is the usual sense where there
// are as many of both, and the only one with a kv cache.
struct Mask {
  ScoreBias padding;      // of keys: [batch, 1, 1, keys]
  ScoreBias mask;         // the caller's mask
  ScoreBias bias;         // the caller's bias
  DistanceBias distance;  // the position scheme's
  bool causal = false;    // key position <= query position
  int window = -1;        // |key position - query position| <= window, where it is not negative
  int unmasked_keys = 0;  // so many keys at the end are beyond all of the above (bias_k, zero attention)
};

// The parts of a mask as a caller gives them; an empty tensor adds nothing.
struct MaskTensors {
  Tensor mask;     // 1 = may attend, 0 = may not
  Tensor bias;     // added to the scores
  Tensor padding;  // [batch, keys], 1 = a real key
};

// The names under which the caller knows them.
struct MaskNames {
  const char* mask = "mask";
  const char* bias = "bias";
  const char* padding = "keyPaddingMask";
};

// A mask, and the tensors that it points into.
struct OwnedMask {
  MaskTensors tensors;
  Mask view;
};

// For scores of shape [batch, heads, queries, keys]. Mask and bias broadcast to it; one of three axes may have batch
// and heads in its first, as PyTorch has it. invalid_argument for other shapes, for masks of other numbers than 0 and
// 1, and for a bias of NaN or infinity (-infinity forbids).
OwnedMask make_mask(MaskTensors tensors, const MaskNames& names, const Shape& scores);

// 1 and 0 -> 0 and -infinity; the bias itself. Throw what make_mask does.
Tensor mask_to_bias(Tensor mask, const char* name);
Tensor checked_bias(Tensor bias, const char* name);

// How `term` is added to scores [batch, heads, queries, keys].
ScoreBias broadcast_bias(const Tensor& term, const char* name, const Shape& scores);

}  // namespace transformer
