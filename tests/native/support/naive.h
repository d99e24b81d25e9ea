// Twins of the kernels in double precision: plain loops over the formulas.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/tensor.h"

namespace transformer::testing {

inline constexpr double kEpsilon = std::numeric_limits<float>::epsilon();  // 2^-23, twice the rounding error

// A sum of products and the sum of their absolute values. The sum of n products in single precision, in any order,
// fused or not, has an error of at most about (n + 1) eps/2 times the latter (Higham 2002, section 3.1).
struct Sum {
  double value = 0;
  double magnitude = 0;

  void add(double a, double b) {
    value += a * b;
    magnitude += std::abs(a * b);
  }
};

// Element (row, col) of A B.
inline Sum naive_product(ConstView a, ConstView b, int row, int col) {
  Sum sum;
  for (int k = 0; k < a.cols; ++k) sum.add(a.row(row)[k], b.row(k)[col]);
  return sum;
}

// The error of a float in ulps of the exact value.
inline double ulps(float actual, double exact) {
  if (static_cast<double>(actual) == exact) return 0;
  const float near = static_cast<float>(std::abs(exact));
  const double ulp = static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity())) - near;
  return std::abs(actual - exact) / ulp;
}

// exp(x_j - max) / sum; all zeros where every x is -inf.
inline std::vector<double> naive_softmax(const std::vector<double>& x) {
  double max = -std::numeric_limits<double>::infinity();
  for (double value : x) max = std::max(max, value);
  std::vector<double> result(x.size(), 0.0);
  if (std::isinf(max) && max < 0) return result;
  double sum = 0;
  for (double value : x) sum += std::exp(value - max);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = std::exp(x[i] - max) / sum;
  return result;
}

inline std::vector<double> naive_log_softmax(const std::vector<double>& x) {
  double max = -std::numeric_limits<double>::infinity();
  for (double value : x) max = std::max(max, value);
  double sum = 0;
  for (double value : x) sum += std::exp(value - max);
  std::vector<double> result;
  for (double value : x) result.push_back(value - max - std::log(sum));
  return result;
}

inline std::vector<double> as_doubles(const float* x, int count) { return {x, x + count}; }

}  // namespace transformer::testing
