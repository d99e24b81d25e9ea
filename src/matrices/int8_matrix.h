// A matrix of 8-bit integers with a scale for each column.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "kernels/panels.h"
#include "matrices/quantized_matrix.h"

namespace transformer {

// Integers q from -127 to 127 and one scale per column, b = q * scale, in BytePanels. scale = max |w| / 127 rounded to
// 17 bits, q = w / scale rounded to nearest even, so that q * scale is exact in float32. Where
// scales are fixed, scale = 1 / weights, and the integers are what they were.
class Int8Matrix : public QuantizedMatrix {
 public:
  // The greatest depth at which a sum of 7-bit by 7-bit products fits 32 bits: 127 * 127 * 133144 < 2^31.
  static constexpr int kMaxDepth = 133144;

  // All zeros. unsupported for a depth beyond kMaxDepth.
  Int8Matrix(int depth, int cols, DotGroup group);
  static Int8Matrix from_transposed(ConstView w, DotGroup group);  // w [n, k]

  // From that panel on.
  BytePanels panels(int first) const;
  // For each column, padded to whole panels; NaN or infinite if the column holds such a number.
  std::span<const float> scales() const { return scales_; }

  std::size_t bytes() const override { return (integers_.size() + scales_.size() + sums_.size()) * sizeof(float); }
  float largest() const override;  // of the scales
  void fix_scales(const FixedScales& scales) override { fixed_scale_ = 1.0f / scales.weights; }
  void copy_column(int index, float* out) const override;
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override;
  void prepare(ProductRows& a) const override;
  void multiply(const ProductRows& a, int row, int panel, View c) const override;
  // One byte for each integer; one float32, 1 for a row of zeros.
  void append_row(int row, QuantizedNumbers& numbers) const override;

 protected:
  void copy_columns(std::span<const int> columns, Int8Matrix& to) const;

 private:
  void store_row(int row, const float* w) override;
  int group_count() const { return ceil_div(depth(), size_of(group_)); }  // per column, including a partial last one
  std::ptrdiff_t panel_bytes() const { return std::ptrdiff_t{group_count()} * kIntegerPanel * size_of(group_); }
  std::ptrdiff_t place(int k, int col) const;

  DotGroup group_;
  float fixed_scale_ = 0.0f;  // 0: each column has its own
  Buffer integers_;
  std::vector<float> scales_;
  std::vector<std::int32_t> sums_;
};

}  // namespace transformer
