// Who may attend to whom, and with what bias. One sense everywhere: allowed = 0, forbidden = -inf, added to the scores.
#pragma once

#include <cstddef>
#include <limits>

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

}  // namespace transformer
