// A matrix of 4-bit integers in groups with a scale each.
#pragma once

#include <cstdint>
#include <utility>

#include "base/buffer.h"
#include "kernels/panels.h"
#include "matrices/quantized_matrix.h"

namespace transformer {

// Integers q from -8 to 7, with a scale for each group of each column, b = q * scale, in NibblePanels. Each group is
// quantised by itself: the scale is the one of a few that are near max |w| / 8 which leaves the least sum of squared
// errors, rounded to bfloat16, so that q * scale is exact in float32. Runs of a file are kept as they are, their scales
// in either type of 16 bits.
class Int4Matrix : public QuantizedMatrix {
 public:
  Int4Matrix(int depth, int cols);                 // all scales are zero
  static Int4Matrix from_transposed(ConstView w);  // w [n, k]

  int group_count() const { return ceil_div(depth(), kNibbleGroup); }  // groups per column

  // From that panel on.
  NibblePanels panels(int first) const {
    return {block(first * kIntegerPanel, 0), panel_bytes(), group_count(), code_};
  }

  std::size_t bytes() const override { return blocks_.size() * sizeof(float); }
  float largest() const override { return largest_; }
  bool keep_runs(HalfType scales) override;
  void store_run(int row, int index, const NibbleRun& run) override;
  void copy_column(int index, float* out) const override;
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override;
  void prepare(ProductRows& a) const override;
  void multiply(const ProductRows& a, int row, int panel, View c) const override;
  // Two integers plus 8 in a byte, the first of them in its lower half; a bfloat16 for each group. Not of kept runs.
  void append_row(int row, QuantizedNumbers& numbers) const override;

 private:
  void store_row(int row, const float* w) override;
  std::ptrdiff_t panel_bytes() const { return std::ptrdiff_t{group_count()} * kNibbleBlock; }
  // The block of a group of a column's panel.
  const std::uint8_t* block(int col, int group) const {
    return reinterpret_cast<const std::uint8_t*>(blocks_.data()) + col / kIntegerPanel * panel_bytes() +
           std::ptrdiff_t{group} * kNibbleBlock;
  }
  std::uint8_t* block(int col, int group) { return const_cast<std::uint8_t*>(std::as_const(*this).block(col, group)); }
  int stored(int k, int col) const;  // an integer plus 8

  Buffer blocks_;
  HalfCode code_ = HalfCode::for_all(HalfType::kBf16);  // of the scales
  float largest_ = 0.0f;
};

}  // namespace transformer
