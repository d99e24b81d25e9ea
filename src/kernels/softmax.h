// Softmax, and its parts that attention uses tile by tile.
#pragma once

#include "base/tensor.h"

namespace transformer {

// out_j = exp(x_j - max) / sum_k exp(x_k - max), along each row. A row of -inf becomes zeros: a query that may
// attend to no key. out may be x.
void softmax(ConstView x, View out);

// out_j = x_j - max - log sum_k exp(x_k - max), along each row. A row of -inf stays -inf. out may be x.
void log_softmax(ConstView x, View out);

// The greatest of `count` numbers; -inf if count is 0, NaN if one of them is.
float row_max(const float* x, int count);

// x_j <- exp(x_j - shift). Returns their sum, which appended -inf do not change by a bit. shift must be finite.
float exp_and_sum(float* x, int count, float shift);

// The same sum, with x unchanged.
float sum_exp(const float* x, int count, float shift);

}  // namespace transformer
