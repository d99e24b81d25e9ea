#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/elementwise.h"
#include "kernels/simd.h"

namespace transformer {

namespace {
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
}

float row_max(const float* x, int count) {
  Vec best(kMinusInfinity);
  bool is_nan = false;
  int i = 0;
  for (; i < count; i += kLanes) {
    const Vec next = i + kLanes <= count ? load(x + i) : load_partial(x + i, count - i, kMinusInfinity);
    is_nan |= xsimd::any(xsimd::isnan(next));
    best = xsimd::max(best, next);
  }
  return is_nan ? std::numeric_limits<float>::quiet_NaN() : xsimd::reduce_max(best);
}

float exp_and_sum(float* x, int count, float shift) {
  // Lane j sums the elements j, j + kLanes, ...; a tail is filled with -inf, whose exponential is exactly zero.
  Vec sum(0.0f);
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vec e = xsimd::exp(load(x + i) - Vec(shift));
    store(x + i, e);
    sum += e;
  }
  if (i < count) {
    const Vec e = xsimd::exp(load_partial(x + i, count - i, kMinusInfinity) - Vec(shift));
    store_partial(x + i, e, count - i);
    sum += e;
  }
  return xsimd::reduce_add(sum);
}

void softmax(ConstView x, View out) {
  for (int row = 0; row < x.rows; ++row) {
    float* y = out.row(row);
    if (x.row(row) != y) std::copy_n(x.row(row), x.cols, y);
    const float shift = row_max(y, x.cols);
    if (shift == kMinusInfinity) {
      std::fill_n(y, x.cols, 0.0f);
      continue;
    }
    const float sum = exp_and_sum(y, x.cols, shift);
    divide_row(y, y, x.cols, sum);
  }
}

void log_softmax(ConstView x, View out) {
  for (int row = 0; row < x.rows; ++row) {
    float* y = out.row(row);
    const float shift = row_max(x.row(row), x.cols);
    if (x.row(row) != y) std::copy_n(x.row(row), x.cols, y);
    const float log_sum = std::log(exp_and_sum(y, x.cols, shift));
    transform_row(x.row(row), y, x.cols, [=](Vec v) { return v - Vec(shift) - Vec(log_sum); });
  }
}

}  // namespace transformer
