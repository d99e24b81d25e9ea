// A matrix of float32.
#pragma once

#include "base/buffer.h"
#include "kernels/panels.h"
#include "matrices/matrix.h"

namespace transformer {

// Panels of kPanel columns, each stored as [k, kPanel]; the last panel is padded with zeros.
class FloatMatrix : public Matrix {
 public:
  FloatMatrix(int depth, int cols);                 // uninitialised, except for the padding
  static FloatMatrix from_rows(ConstView b);        // b [k, n]
  static FloatMatrix from_transposed(ConstView w);  // w [n, k]

  // From that panel on.
  Panels panels(int first) const { return {data_.data() + first * panel_size(), panel_size()}; }

  std::size_t bytes() const override { return data_.size() * sizeof(float); }
  float largest() const override;
  void store_transposed(std::size_t first, std::span<const float> elements) override;
  void copy_column(int index, float* out) const override;
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override;
  int panel_width() const override { return kPanel; }
  void multiply(const ProductRows& a, int row, int panel, View c) const override;

 private:
  std::ptrdiff_t panel_size() const { return std::ptrdiff_t{depth()} * kPanel; }  // floats from panel to panel
  float* element(int k, int col);

  Buffer data_;
};

}  // namespace transformer
