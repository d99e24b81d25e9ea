#include "kernels/norm.h"

#include <cmath>

#include "base/broadcast.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// The sum of f(x_j) over a row; the tail is filled with zeros.
template <class F>
float sum_row(const float* x, int count, const F& f) {
  Vec sum(0.0f);
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += f(load(x + i));
  float total = xsimd::reduce_add(sum);
  if (i < count) {
    alignas(64) float lanes[kLanes];
    f(load_partial(x + i, count - i)).store_aligned(lanes);
    for (int lane = 0; lane < count - i; ++lane) total += lanes[lane];
  }
  return total;
}

// out = f(x) * weight + bias
template <class F>
void scale_and_shift(const float* x, float* out, int count, const Affine& affine, const F& f) {
  const auto& [weight, bias] = affine;
  auto finish = [](Vec y, Vec w, Vec b) { return y * w + b; };
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(out + i, finish(f(load(x + i)), weight ? load(weight + i) : Vec(1.0f), bias ? load(bias + i) : Vec(0.0f)));
  }
  if (i < count) {
    const int rest = count - i;
    store_partial(out + i,
                  finish(f(load_partial(x + i, rest)), weight ? load_partial(weight + i, rest) : Vec(1.0f),
                         bias ? load_partial(bias + i, rest) : Vec(0.0f)),
                  rest);
  }
}

}  // namespace

float sum_of_row(const float* x, int count) {
  return sum_row(x, count, [](Vec v) { return v; });
}

float squared_distances(const float* x, int count, float mean) {
  return sum_row(x, count, [mean](Vec v) { return (v - Vec(mean)) * (v - Vec(mean)); });
}

void normalize_row(const float* x, float* out, int count, const Standard& standard, const Affine& affine) {
  const auto [mean, scale] = standard;
  scale_and_shift(x, out, count, affine, [m = mean, s = scale](Vec v) { return (v - Vec(m)) * Vec(s); });
}

Standard layer_standard(const float* x, int count, float eps) {
  const float mean = sum_of_row(x, count) / static_cast<float>(count);
  const float variance = squared_distances(x, count, mean) / static_cast<float>(count);
  return {mean, 1.0f / std::sqrt(variance + eps)};
}

Standard rms_standard(const float* x, int count, float eps) {
  const float mean_square = sum_row(x, count, [](Vec v) { return v * v; }) / static_cast<float>(count);
  return {0.0f, 1.0f / std::sqrt(mean_square + eps)};
}

void layer_norm(ConstView x, const float* weight, const float* bias, float eps, View out) {
  for (int row = 0; row < x.rows; ++row) {
    normalize_row(x.row(row), out.row(row), x.cols, layer_standard(x.row(row), x.cols, eps), {weight, bias});
  }
}

void rms_norm(ConstView x, const float* weight, float eps, View out) {
  for (int row = 0; row < x.rows; ++row) {
    normalize_row(x.row(row), out.row(row), x.cols, rms_standard(x.row(row), x.cols, eps), {weight, nullptr});
  }
}

namespace {

const float* optional_vector(const Tensor& vector, const Tensor& x, const char* name) {
  return vector.empty() ? nullptr : vector_of(vector, x.matrix().cols, name);
}

}  // namespace

Tensor layer_norm(Tensor x, const Tensor& weight, const Tensor& bias, float eps) {
  layer_norm(x.matrix(), optional_vector(weight, x, "weight"), optional_vector(bias, x, "bias"), eps, x.matrix());
  return x;
}

Tensor rms_norm(Tensor x, const Tensor& weight, float eps) {
  rms_norm(x.matrix(), optional_vector(weight, x, "weight"), eps, x.matrix());
  return x;
}

}  // namespace transformer
