// Softmax and the pieces of it that attention runs tile by tile.
#pragma once

#include "base/tensor.h"

namespace transformer {

// out_j = exp(x_j - max) / sum_k exp(x_k - max), along each row. Where every x is -inf the row becomes all zeros: a
// query that may attend to nothing attends to nothing. out may be x.
void softmax(ConstView x, View out);

// out_j = x_j - max - log sum_k exp(x_k - max), along each row. Where every x is -inf the row stays so. out may be x.
void log_softmax(ConstView x, View out);

// The largest of `count` numbers, -inf for none. NaN wins over everything.
float row_max(const float* x, int count);

// x_j <- exp(x_j - shift), returns their sum, in an order that appended -inf do not change. shift must be finite.
float exp_and_sum(float* x, int count, float shift);

// sum_j exp(x_j - shift) in the same order, x as it is.
float sum_exp(const float* x, int count, float shift);

}  // namespace transformer
