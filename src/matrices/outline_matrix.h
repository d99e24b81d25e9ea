// A matrix without numbers, for a model that is built only to learn which tensors it needs.
#pragma once

#include <algorithm>

#include "matrices/matrix.h"

namespace transformer {

class OutlineMatrix : public Matrix {
 public:
  using Matrix::Matrix;

  std::size_t bytes() const override { return 0; }
  float largest() const override { return 0.0f; }
  void store_transposed(std::size_t, std::span<const float>) override {}
  void copy_column(int, float* out) const override { std::fill_n(out, depth(), 0.0f); }
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override {
    return std::make_unique<OutlineMatrix>(depth(), count_of(columns));
  }
  int panel_width() const override { return 1; }
  void multiply(const ProductRows&, int, int, View) const override {
    fail(ErrorCode::kInternal, "a matrix without numbers cannot be multiplied");
  }
};

}  // namespace transformer
