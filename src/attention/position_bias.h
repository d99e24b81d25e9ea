// Position schemes that bias the scores by the distance between key and query.
#pragma once

#include <optional>

#include "attention/mask.h"
#include "base/workspace.h"
#include "weights/weights.h"

namespace transformer {

// The slope of each head (Press et al. 2022, section 3): 2^(-8/n), 2^(-16/n), ... for n heads, n a power of two;
// otherwise those of the next lower power, then every other one of the next higher.
Tensor alibi_slopes(int heads);  // -> [heads]

// bias[h, i, j] = slope_h * (j - p_i), where query i of n stands at position p_i = keys - n + i.
Tensor alibi_bias(int heads, int queries, int keys);  // -> [heads, queries, keys]

// The bucket of a distance key - query (Raffel et al. 2020, section 2.1, as T5 computes it): exact for small distances,
// then logarithmic up to max_distance. Bidirectional: half of the buckets for keys after the query; otherwise keys
// after the query share bucket 0.
int relative_bucket(int distance, bool bidirectional, int buckets, int max_distance);

struct RelativeBuckets {
  int buckets = 32;
  int max_distance = 128;
  bool bidirectional = true;  // the encoder's
};

// Either scheme as a function of head and distance.
class PositionBias {
 public:
  static PositionBias alibi(int heads);
  // scope: weight [buckets, heads]
  static PositionBias relative(const WeightScope& scope, int heads, const RelativeBuckets& buckets);

  // The bias for all distances -max_distance..max_distance, valid as long as the arena's scope lasts.
  RelativeBias table(int max_distance, Arena& arena) const;

 private:
  explicit PositionBias(Tensor per_head) : per_head_(std::move(per_head)) {}

  Tensor per_head_;                         // slopes [heads], or weights [buckets, heads]
  std::optional<RelativeBuckets> buckets_;  // none: ALiBi
};

}  // namespace transformer
