// A matrix in 8 bits, in panels in the order in which the integer product reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/row_pieces.h"
#include "base/tensor.h"

namespace transformer {

// The number of adjacent k that the product sums in one lane, by the vector unit's dot product instruction.
enum class DotGroup { kPairs = 2, kQuads = 4 };

constexpr int size_of(DotGroup group) { return static_cast<int>(group); }

// Width of a panel in columns.
inline constexpr int kInt8Panel = 8;

// B [k, n] as integers q from -127 to 127 and one scale per column: b = q * scale. Panels of kInt8Panel columns are
// stored as [k / group, kInt8Panel, group]; the last panel and the last group are padded with zeros.
class QuantizedMatrix {
 public:
  // The greatest depth at which a sum of 7-bit by 7-bit products fits 32 bits: 127 * 127 * 133144 < 2^31.
  static constexpr int kMaxDepth = 133144;

  // All zeros. unsupported for a depth beyond kMaxDepth.
  QuantizedMatrix(int depth, int cols, DotGroup group);
  static QuantizedMatrix from_transposed(ConstView w, DotGroup group);  // w [n, k], as nn.Linear stores its weight

  int depth() const { return depth_; }  // k
  int cols() const { return cols_; }    // n
  DotGroup group() const { return group_; }
  int group_count() const;  // groups per column, including a partial last one
  const std::int8_t* panel(int index) const {
    return reinterpret_cast<const std::int8_t*>(integers_.data()) + index * panel_bytes();
  }
  std::size_t panel_bytes() const;
  std::size_t bytes() const { return (integers_.size() + scales_.size() + sums_.size()) * sizeof(float); }

  // For each column, padded to whole panels: its scale, which is NaN or infinite if the column holds such a number, and
  // the sum of its integers.
  std::span<const float> scales() const { return scales_; }
  const std::int32_t* sums() const { return sums_.data(); }

  // Stores the elements first, first + 1, ... of w [n, k], in row-major order. The pieces come in order, so that at
  // most one row of w waits for its greatest element. Each row is quantised by itself: scale = max |w| / 127 rounded to
  // 17 bits, q = w / scale rounded to nearest even. Then q * scale is exact in float32, and quantising it again changes
  // nothing.
  void store_transposed(std::size_t first, std::span<const float> elements);

  // Column `index` of B, `depth()` floats: a row of w.
  void copy_column(int index, float* out) const;

  // The given columns of B, in that order, their integers unchanged.
  QuantizedMatrix select_columns(std::span<const int> columns) const;

 private:
  void store_row(int row, const float* w);
  std::size_t place(int k, int col) const;

  int depth_;
  int cols_;
  DotGroup group_;
  Buffer integers_;
  std::vector<float> scales_;
  std::vector<std::int32_t> sums_;
  RowPieces pieces_;
};

}  // namespace transformer
