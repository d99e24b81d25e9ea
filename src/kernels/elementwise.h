// Elementwise operations on rows.
#pragma once

namespace transformer {

// sum <- sum + x
void add_row(const float* x, float* sum, int count);

// scores <- scores + bias, and kForbidden where the bias is, whatever the score: it may be NaN
void add_bias_row(const float* bias, float* scores, int count);

bool all_finite(const float* x, int count);

// sum <- sum + factor x, rounded as a product of matrices rounds one of its terms
void add_scaled_row(const float* x, float factor, float* sum, int count);

// out <- x * factor; out may be x
void scale_row(const float* x, float* out, int count, float factor);

// product <- product * x
void multiply_row(const float* x, float* product, int count);

// out <- x / divisor
void divide_row(const float* x, float* out, int count, float divisor);

// x <- cap * tanh(x / cap)
void soft_cap_row(float* x, int count, float cap);

constexpr double kTanhWork = 10;  // of an element, in multiply-adds

// x <- tanh(x + y), one row of Bahdanau's alignment model
void tanh_of_sum(const float* x, const float* y, float* out, int count);

// sum_i x_i y_i, in a fixed order
float dot(const float* x, const float* y, int count);

}  // namespace transformer
