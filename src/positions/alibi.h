// Attention with linear biases: scores fall with the distance between query and key (Press et al. 2022).
#pragma once

#include "base/fields.h"
#include "positions/position_scheme.h"

namespace transformer {

struct AlibiPositions {
  static constexpr const char* kName = "alibi";

  // The scores grow with the position of the key, in place of its distance, by a product in the precision of bfloat16
  // that is divided by sqrt(d_head) (Falcon). A softmax sees no other difference than the rounding.
  bool by_position = false;
};

constexpr auto fields_of(const AlibiPositions*) {
  return std::tuple{Field{"byPosition", &AlibiPositions::by_position}};
}

// The slope of a head (section 3): 2^(-8/n), 2^(-16/n), ... for n heads, n a power of two; otherwise those of the next
// lower power, then every other one of the next higher.
float alibi_slope(int head, int heads);

// bias[h, i, j] = slope_h * (j - p_i), where query i of n has the position p_i = keys - n + i.
Tensor alibi_bias(int heads, int queries, int keys);  // -> [heads, queries, keys]

class Alibi : public PositionScheme {
 public:
  // d_head: only for biases by position
  explicit Alibi(int heads, const AlibiPositions& config = {}, int d_head = 1);

  DistanceBias score_bias(int layer, int length, Arena& arena) const override;
  KeyBias key_bias(int length, Arena& arena) const override;

 private:
  int heads_;
  bool by_position_;
  float scale_;
};

}  // namespace transformer
