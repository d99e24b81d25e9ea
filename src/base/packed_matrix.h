// A matrix in panels, in the order in which the product kernel reads it.
#pragma once

#include <cstddef>
#include <span>

#include "base/buffer.h"
#include "base/tensor.h"

namespace transformer {

// Width of a panel in columns: two vectors of the target's vector unit.
#if defined(__AVX512F__)
inline constexpr int kPanel = 32;
#elif defined(__AVX__)
inline constexpr int kPanel = 16;
#else
inline constexpr int kPanel = 8;
#endif

constexpr int panel_count(int cols) { return ceil_div(cols, kPanel); }  // panels that hold `cols` columns

// B [k, n] in panels of kPanel columns, each stored as [k, kPanel]; the last panel is padded with zeros.
class PackedMatrix {
 public:
  PackedMatrix(int depth, int cols);                 // uninitialised, except for the padding
  static PackedMatrix from_rows(ConstView b);        // b [k, n]
  static PackedMatrix from_transposed(ConstView w);  // w [n, k], as nn.Linear stores its weight

  int depth() const { return depth_; }                                           // k
  int cols() const { return cols_; }                                             // n
  std::ptrdiff_t panel_size() const { return std::ptrdiff_t{depth_} * kPanel; }  // floats from panel to panel
  const float* panel(int index) const { return data_.data() + index * panel_size(); }
  std::size_t bytes() const { return data_.size() * sizeof(float); }

  // Stores the elements first, first + 1, ... of w [n, k], in row-major order as in a file.
  void store_transposed(std::size_t first, std::span<const float> elements);

  // [k, cols.size()]: the given columns of B, in that order.
  PackedMatrix select_columns(std::span<const int> cols) const;

  // Column `index` of B, `depth()` floats: a row of w.
  void copy_column(int index, float* out) const;

 private:
  float* element(int k, int col);

  int depth_;
  int cols_;
  Buffer data_;
};

}  // namespace transformer
