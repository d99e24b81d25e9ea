#include "positions/relative.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace transformer {

namespace {

const RelativePositions& checked(const RelativePositions& config) {
  require(config.buckets >= 4 && config.max_distance > config.buckets / 2,
          "relative positions need at least 4 buckets and a maximum distance greater than half their number, got ",
          config.buckets, " and ", config.max_distance);
  return config;
}

}  // namespace

int relative_bucket(int distance, bool bidirectional, const RelativePositions& config) {
  int buckets = config.buckets;
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
  // In single precision, as in PyTorch: at a bucket's boundary, rounding decides.
  const float position = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                         static_cast<float>(std::log(static_cast<double>(config.max_distance) / exact)) *
                         static_cast<float>(buckets - exact);
  return first + std::min(exact + static_cast<int>(position), buckets - 1);
}

Relative::Relative(const WeightScope& scope, const StackShape& stack, const RelativePositions& config)
    : config_(checked(config)), bidirectional_(stack.bidirectional) {
  const Shape shape = {config.buckets, stack.num_heads};
  if (!config.per_layer) biases_.push_back(scope.take("weight", shape));
  for (int i = 0; config.per_layer && i < stack.num_layers; ++i) biases_.push_back((scope / i).take("weight", shape));
}

DistanceBias Relative::score_bias(int layer, int length, Arena& arena) const {
  const Tensor& biases = biases_[config_.per_layer ? layer : 0];
  const View table = arena.take(biases.axis(1), 2 * length + 1);
  for (int distance = -length; distance <= length; ++distance) {
    const float* bias = biases.matrix().row(relative_bucket(distance, bidirectional_, config_));
    for (int head = 0; head < table.rows; ++head) table.row(head)[distance + length] = bias[head];
  }
  return {table.data + length, table.stride};
}

}  // namespace transformer
