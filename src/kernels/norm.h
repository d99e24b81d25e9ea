// Normalisation of rows.
#pragma once

#include "base/tensor.h"

namespace transformer {

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
void normalize_row(const float* x, float* out, int count, const Standard& standard, const Affine& affine);

// The same along the last axis of a whole tensor; weight and bias may be empty. invalid_argument for shapes that do not
// fit.
Tensor layer_norm(Tensor x, const Tensor& weight, const Tensor& bias, float eps);
Tensor rms_norm(Tensor x, const Tensor& weight, float eps);

}  // namespace transformer
