// Attention with linear biases: scores fall with the distance between query and key (Press et al. 2022).
#pragma once

#include "base/fields.h"
#include "positions/position_scheme.h"

namespace transformer {

struct AlibiPositions {
  static constexpr const char* kName = "alibi";
  float scale = 1.0f;  // of all slopes; 1 / sqrt(d_head) where the bias is part of what the attention scales
};

constexpr auto fields_of(const AlibiPositions*) { return std::tuple{Field{"scale", &AlibiPositions::scale}}; }

// The slope of a head (section 3): 2^(-8/n), 2^(-16/n), ... for n heads, n a power of two; otherwise those of the next
// lower power, then every other one of the next higher.
float alibi_slope(int head, int heads);

// bias[h, i, j] = slope_h * (j - p_i), where query i of n has the position p_i = keys - n + i.
Tensor alibi_bias(int heads, int queries, int keys);  // -> [heads, queries, keys]

class Alibi : public PositionScheme {
 public:
  explicit Alibi(int heads, const AlibiPositions& config = {});

  DistanceBias score_bias(int layer, int length, Arena& arena) const override;

 private:
  int heads_;
  float scale_;
};

}  // namespace transformer
