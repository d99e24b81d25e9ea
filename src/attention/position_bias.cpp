#include "attention/position_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
  require(queries >= 0 && keys >= 0, "ALiBi needs counts of queries and keys, got ", queries, " and ", keys);
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

int relative_bucket(int distance, bool bidirectional, int buckets, int max_distance) {
  int first = 0;
  if (bidirectional) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max(-distance, 0);
  }
  const int exact = buckets / 2;
  if (distance < exact) return first + distance;
  // In single precision, as PyTorch computes it: at the edge of a bucket the rounding decides.
  const float position = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                         static_cast<float>(std::log(static_cast<double>(max_distance) / exact)) *
                         static_cast<float>(buckets - exact);
  return first + std::min(exact + static_cast<int>(position), buckets - 1);
}

PositionBias PositionBias::alibi(int heads) { return PositionBias(alibi_slopes(heads)); }

PositionBias PositionBias::relative(const WeightScope& scope, int heads, const RelativeBuckets& buckets) {
  require(buckets.buckets >= 4 && buckets.max_distance > buckets.buckets / 2,
          "relative positions need at least 4 buckets and a maximal distance beyond half of them, got ",
          buckets.buckets, " and ", buckets.max_distance);
  PositionBias bias(scope.take("weight", {buckets.buckets, heads}));
  bias.buckets_ = buckets;
  return bias;
}

RelativeBias PositionBias::table(int max_distance, Arena& arena) const {
  const int heads = buckets_ ? per_head_.axis(1) : per_head_.axis(0);
  const View table = arena.take(heads, 2 * max_distance + 1);
  for (int distance = -max_distance; distance <= max_distance; ++distance) {
    const int col = distance + max_distance;
    if (buckets_) {
      const int bucket = relative_bucket(distance, buckets_->bidirectional, buckets_->buckets, buckets_->max_distance);
      for (int head = 0; head < heads; ++head) table.row(head)[col] = per_head_.matrix().row(bucket)[head];
    } else {
      for (int head = 0; head < heads; ++head) {
        table.row(head)[col] = per_head_.data()[head] * static_cast<float>(distance);
      }
    }
  }
  return {table.data + max_distance, table.stride};
}

}  // namespace transformer
