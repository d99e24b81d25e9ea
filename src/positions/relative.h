// A learned bias of the scores for each bucket of distances (Raffel et al. 2020, section 2.1: T5).
#pragma once

#include <vector>

#include "base/fields.h"
#include "positions/position_scheme.h"
#include "weights/weights.h"

namespace transformer {

struct RelativePositions {
  static constexpr const char* kName = "relative";

  int buckets = 32;
  int max_distance = 128;
  bool per_layer = false;  // a bias of its own for each layer (UMT5)
};

constexpr auto fields_of(const RelativePositions*) {
  return std::tuple{Field{"buckets", &RelativePositions::buckets},
                    Field{"maxDistance", &RelativePositions::max_distance},
                    Field{"perLayer", &RelativePositions::per_layer}};
}

// The bucket of a distance (key - query), as in T5: one per small distance, then logarithmic up to max_distance.
// Bidirectional: half of the buckets are for keys after the query; otherwise those keys share bucket 0.
int relative_bucket(int distance, bool bidirectional, const RelativePositions& config);

class Relative : public PositionScheme {
 public:
  // scope: weight [buckets, heads], or that of each layer under its number
  Relative(const WeightScope& scope, const StackShape& stack, const RelativePositions& config);

  DistanceBias score_bias(int layer, int length, Arena& arena) const override;
  bool differs_by_layer() const override { return config_.per_layer; }

 private:
  RelativePositions config_;
  bool bidirectional_;
  std::vector<Tensor> biases_;  // [buckets, heads], of each layer or of all
};

}  // namespace transformer
