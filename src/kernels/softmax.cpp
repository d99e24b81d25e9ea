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

// sum_j exp(x_j - shift); writes the exponentials to `out`, unless it is null. Lane j sums the elements j, j + kLanes,
// ...; the tail is filled with -inf, whose exponential is exactly zero. Not inlined, for its size.
[[gnu::noinline]] float sum_of_exp(const float* x, float* out, int count, float shift) {
  const Exp exp;
  Vec sum(0.0f);
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vec e = exp(load(x + i) - Vec(shift));
    if (out) store(out + i, e);
    sum += e;
  }
  if (i < count) {
    const Vec e = exp(load_partial(x + i, count - i, kForbidden) - Vec(shift));
    if (out) store_partial(out + i, e, count - i);
    sum += e;
  }
  return xsimd::reduce_add(sum);
}

}  // namespace

float row_max(const float* x, int count) {
  constexpr int kMaxima = 2;  // one would wait for each comparison
  Vec best[kMaxima] = {Vec(kForbidden), Vec(kForbidden)};
  auto is_nan = best[0] != best[0];
  const auto look = [&](int at, Vec next) {
    is_nan = is_nan | (next != next);
    best[at] = xsimd::max(best[at], next);
  };
  int i = 0;
  for (; i + kMaxima * kLanes <= count; i += kMaxima * kLanes) {
    for (int at = 0; at < kMaxima; ++at) look(at, load(x + i + at * kLanes));
  }
  for (; i + kLanes <= count; i += kLanes) look(0, load(x + i));
  if (i < count) look(0, load_partial(x + i, count - i, kForbidden));
  return xsimd::any(is_nan) ? std::numeric_limits<float>::quiet_NaN() : xsimd::reduce_max(xsimd::max(best[0], best[1]));
}

float exp_and_sum(float* x, int count, float shift) { return sum_of_exp(x, x, count, shift); }

float sum_exp(const float* x, int count, float shift) { return sum_of_exp(x, nullptr, count, shift); }

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
