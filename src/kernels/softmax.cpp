#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/forbidden.h"
#include "kernels/elementwise.h"
#include "kernels/exp.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// sum_j exp(x_j - shift); calls keep(j, count, vector) for every vector of exponentials. Lane j sums the elements j, j
// + kLanes, ...; the tail is filled with -inf, whose exponential is exactly zero.
template <class Keep>
float sum_of_exp(const float* x, int count, float shift, const Keep& keep) {
  const ExpConstants& constants = *opaque(&kExpConstants);
  Vec sum(0.0f);
  for (int i = 0; i < count; i += kLanes) {
    const int lanes = std::min(kLanes, count - i);
    const Vec next = lanes == kLanes ? load(x + i) : load_partial(x + i, lanes, kForbidden);
    const Vec e = exp_nonpositive(next - Vec(shift), constants);
    keep(i, lanes, e);
    sum += e;
  }
  return xsimd::reduce_add(sum);
}

}  // namespace

float row_max(const float* x, int count) {
  Vec best(kForbidden);
  auto is_nan = best != best;
  int i = 0;
  for (; i < count; i += kLanes) {
    const Vec next = i + kLanes <= count ? load(x + i) : load_partial(x + i, count - i, kForbidden);
    is_nan = is_nan | (next != next);
    best = xsimd::max(best, next);
  }
  return xsimd::any(is_nan) ? std::numeric_limits<float>::quiet_NaN() : xsimd::reduce_max(best);
}

float exp_and_sum(float* x, int count, float shift) {
  return sum_of_exp(x, count, shift, [x](int i, int lanes, Vec e) {
    lanes == kLanes ? store(x + i, e) : store_partial(x + i, e, lanes);
  });
}

float sum_exp(const float* x, int count, float shift) {
  return sum_of_exp(x, count, shift, [](int, int, Vec) {});
}

void softmax(ConstView x, View out) {
  for (int row = 0; row < x.rows; ++row) {
    float* y = out.row(row);
    if (x.row(row) != y) std::copy_n(x.row(row), x.cols, y);
    const float shift = row_max(y, x.cols);
    if (shift == kForbidden) {
      std::fill_n(y, x.cols, 0.0f);
      continue;
    }
    const float sum = exp_and_sum(y, x.cols, shift);
    divide_row(y, y, x.cols, sum);
  }
}

void log_softmax(ConstView x, View out) {
  for (int row = 0; row < x.rows; ++row) {
    const float* in = x.row(row);
    const float shift = row_max(in, x.cols);
    if (shift == kForbidden) {
      std::fill_n(out.row(row), x.cols, kForbidden);
      continue;
    }
    const float log_sum = std::log(sum_exp(in, x.cols, shift));
    transform_row(in, out.row(row), x.cols, [=](Vec v) { return v - Vec(shift) - Vec(log_sum); });
  }
}

}  // namespace transformer
