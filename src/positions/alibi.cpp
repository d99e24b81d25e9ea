#include "positions/alibi.h"

#include <cmath>

namespace transformer {

namespace {

int checked(int heads) {
  require(heads > 0, "ALiBi needs at least one head, got ", heads);
  return heads;
}

}  // namespace

Alibi::Alibi(int heads, const AlibiPositions& config) : heads_(checked(heads)), scale_(config.scale) {
  require(std::isfinite(scale_), "ALiBi's scale must be finite, got ", scale_);
}

float alibi_slope(int head, int heads) {
  int power = 1;
  while (power <= heads / 2) power *= 2;
  const double exponent = head < power ? -8.0 * (head + 1) / power : -4.0 * (2.0 * (head - power) + 1) / power;
  return static_cast<float>(std::exp2(exponent));
}

Tensor alibi_bias(int heads, int queries, int keys) {
  checked(heads);
  require(queries >= 0 && keys >= 0, "the numbers of queries and keys must not be negative, got ", queries, " and ",
          keys);
  Tensor bias({heads, queries, keys});
  float* out = bias.data();
  for (int head = 0; head < heads && bias.size() > 0; ++head) {
    const float slope = alibi_slope(head, heads);
    for (int query = 0; query < queries; ++query) {
      for (int key = 0; key < keys; ++key) {
        *out++ = slope * static_cast<float>(key - (keys - queries + query));
      }
    }
  }
  return bias;
}

DistanceBias Alibi::score_bias(int /*layer*/, int length, Arena& arena) const {
  const View table = arena.take(heads_, 2 * length + 1);
  for (int head = 0; head < table.rows; ++head) {
    const float slope = scale_ * alibi_slope(head, heads_);
    for (int distance = -length; distance <= length; ++distance) {
      table.row(head)[distance + length] = slope * static_cast<float>(distance);
    }
  }
  return {table.data + length, table.stride};
}

}  // namespace transformer
