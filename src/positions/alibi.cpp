#include "positions/alibi.h"

#include <cmath>

namespace transformer {

Tensor alibi_slopes(int heads) {
  require(heads > 0, "ALiBi needs at least one head, got ", heads);
  int power = 1;
  while (power * 2 <= heads) power *= 2;
  Tensor slopes({heads});
  for (int head = 0; head < heads; ++head) {
    const double exponent = head < power ? -8.0 * (head + 1) / power : -4.0 * (2 * (head - power) + 1) / power;
    slopes.data()[head] = static_cast<float>(std::exp2(exponent));
  }
  return slopes;
}

Tensor alibi_bias(int heads, int queries, int keys) {
  const Tensor slopes = alibi_slopes(heads);
  require(queries >= 0 && keys >= 0, "the numbers of queries and keys must not be negative, got ", queries, " and ",
          keys);
  Tensor bias({heads, queries, keys});
  float* out = bias.data();
  for (int head = 0; head < heads; ++head) {
    for (int query = 0; query < queries; ++query) {
      for (int key = 0; key < keys; ++key) {
        *out++ = slopes.data()[head] * static_cast<float>(key - (keys - queries + query));
      }
    }
  }
  return bias;
}

DistanceBias Alibi::score_bias(int /*layer*/, int length, Arena& arena) const {
  const View table = arena.take(slopes_.axis(0), 2 * length + 1);
  for (int head = 0; head < table.rows; ++head) {
    for (int distance = -length; distance <= length; ++distance) {
      table.row(head)[distance + length] = slopes_.data()[head] * static_cast<float>(distance);
    }
  }
  return {table.data + length, table.stride};
}

}  // namespace transformer
