#include "positions/disentangled.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernels/norm.h"

namespace transformer {

namespace {

const DisentangledPositions& checked(const DisentangledPositions& config) {
  constexpr int kMaxSpan = 1 << 24;  // beyond any model, and small enough that no product overflows
  require(config.span > 0 && config.span <= kMaxSpan, "disentangled positions need a span from 1 to ", kMaxSpan,
          ", got ", config.span);
  require(config.buckets == 0 || (config.buckets > 1 && config.buckets / 2 < config.max_distance - 1),
          "disentangled positions need no buckets, or at least 2 and half of them below the maximum distance less 1 (",
          config.max_distance, "), got ", config.buckets);
  return config;
}

// One bucket for each distance up to half of their number, then logarithmic.
int bucket(int distance, const DisentangledPositions& config) {
  const int middle = config.buckets / 2;
  const int length = std::abs(distance);
  if (config.buckets == 0 || length <= middle) return distance;
  // In single precision, as in PyTorch: at a bucket's boundary, rounding decides.
  const float whole = std::log(static_cast<float>((config.max_distance - 1) / static_cast<double>(middle)));
  const float part = std::log(static_cast<float>(length) / static_cast<float>(middle));
  const int beyond = static_cast<int>(std::ceil(part / whole * static_cast<float>(middle - 1)));
  return distance > 0 ? middle + beyond : -(middle + beyond);
}

}  // namespace

Disentangled::Disentangled(const WeightScope& scope, int d_model, const DisentangledPositions& config)
    : config_(checked(config)), table_(scope.take("weight", {2 * config.span, d_model})) {
  if (config.norm_eps == 0.0f) return;
  const WeightScope norm = scope / "norm";
  const Tensor weight = norm.take("weight", {d_model}), bias = norm.take("bias", {d_model});
  table_ = layer_norm(std::move(table_), weight, bias, config.norm_eps);
}

int Disentangled::row(int distance) const {
  return std::clamp(bucket(distance, config_) + config_.span, 0, 2 * config_.span - 1);
}

}  // namespace transformer
