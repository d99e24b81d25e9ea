// Normalisation of rows.
#pragma once

#include "base/tensor.h"

namespace transformer {

// What norms over rows have in common when threads share them.
constexpr int kNormTaskRows = 16;
constexpr double kNormWork = 17;       // of an element, in multiply-adds of a product: measured, 0.7 ns against 0.04
constexpr double kLayerNormFlops = 8;  // of an element: 1 for the mean, 3 for the variance, 4 for the result
constexpr double kRmsNormFlops = 5;    // of an element: 2 for the mean square, 3 for the result

// y = (x - mean) / sqrt(var + eps) * weight + bias along each row, var the population variance (Ba et al. 2016, eq. 4).
// weight and bias [cols] may be null: 1 and 0. The variance is computed from the centred row, so that a large mean does
// not cancel its digits.
void layer_norm(ConstView x, const float* weight, const float* bias, float eps, View out);

// y = x / sqrt(mean(x^2) + eps) * weight along each row (Zhang and Sennrich 2019, eq. 4). weight [cols] may be null.
void rms_norm(ConstView x, const float* weight, float eps, View out);

// What a norm of several rows together is made of: the sum of x, the sum of its squared distances from `mean`, and
// out = (x - mean) * scale * weight + bias. The norms of rows above are the same in one row.
float sum_of_row(const float* x, int count);
float squared_distances(const float* x, int count, float mean);
struct Affine {  // null means weights of 1 and biases of 0
  const float* weight;
  const float* bias;
};
struct Standard {
  float mean;
  float scale;
};
Standard layer_standard(const float* x, int count, float eps);
Standard rms_standard(const float* x, int count, float eps);
void normalize_row(const float* x, float* out, int count, const Standard& standard, const Affine& affine);

// The same along the last axis of a whole tensor; weight and bias may be empty. invalid_argument for shapes that do not
// fit.
Tensor layer_norm(Tensor x, const Tensor& weight, const Tensor& bias, float eps);
Tensor rms_norm(Tensor x, const Tensor& weight, float eps);

}  // namespace transformer
