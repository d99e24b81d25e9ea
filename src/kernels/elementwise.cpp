#include "kernels/elementwise.h"

#include "base/forbidden.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// out_i = f(x_i, y_i); the tail uses the same instructions.
template <class F>
void combine_rows(const float* x, const float* y, float* out, int count, const F& f) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(x + i), load(y + i)));
  if (i < count) {
    const int rest = count - i;
    store_partial(out + i, f(load_partial(x + i, rest), load_partial(y + i, rest)), rest);
  }
}

}  // namespace

void add_row(const float* x, float* sum, int count) {
  combine_rows(x, sum, sum, count, [](Vec a, Vec b) { return a + b; });
}

void add_bias_row(const float* bias, float* scores, int count) {
  combine_rows(bias, scores, scores, count, [](Vec b, Vec s) { return xsimd::select(b == Vec(kForbidden), b, b + s); });
}

bool all_finite(const float* x, int count) {
  constexpr int kSums = 4;  // one would wait for each addition
  Vec differences[kSums] = {Vec(0.0f), Vec(0.0f), Vec(0.0f), Vec(0.0f)};
  const auto look = [&](int sum, Vec v) { differences[sum] += v - v; };  // infinity - infinity is NaN
  int i = 0;
  for (; i + kSums * kLanes <= count; i += kSums * kLanes) {
    for (int sum = 0; sum < kSums; ++sum) look(sum, load(x + i + sum * kLanes));
  }
  for (; i + kLanes <= count; i += kLanes) look(0, load(x + i));
  if (i < count) look(0, load_partial(x + i, count - i));
  return xsimd::all(differences[0] + differences[1] + differences[2] + differences[3] == Vec(0.0f));
}

void add_scaled_row(const float* x, float factor, float* sum, int count) {
  combine_rows(x, sum, sum, count, [factor](Vec a, Vec b) { return multiply_add(Vec(factor), a, b); });
}

void scale_row(const float* x, float* out, int count, float factor) {
  transform_row(x, out, count, [factor](Vec v) { return v * Vec(factor); });
}

void multiply_row(const float* x, float* product, int count) {
  combine_rows(x, product, product, count, [](Vec a, Vec b) { return a * b; });
}

void divide_row(const float* x, float* out, int count, float divisor) {
  transform_row(x, out, count, [divisor](Vec v) { return v / Vec(divisor); });
}

void soft_cap_row(float* x, int count, float cap) {
  transform_row(x, x, count, [cap](Vec v) { return Vec(cap) * xsimd::tanh(v / Vec(cap)); });
}

void tanh_of_sum(const float* x, const float* y, float* out, int count) {
  combine_rows(x, y, out, count, [](Vec a, Vec b) { return xsimd::tanh(a + b); });
}

float dot(const float* x, const float* y, int count) {
  Vec sum(0.0f);
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) sum = multiply_add(load(x + i), load(y + i), sum);
  if (i < count) sum = multiply_add(load_partial(x + i, count - i), load_partial(y + i, count - i), sum);
  return xsimd::reduce_add(sum);
}

}  // namespace transformer
