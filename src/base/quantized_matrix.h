// A matrix in 8 bits, cut into panels in the order in which the integer product reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/tensor.h"

namespace transformer {

// How many neighbouring k the product multiplies in one lane: what the vector unit's instruction takes.
enum class DotGroup { kPairs = 2, kQuads = 4 };

constexpr int size_of(DotGroup group) { return static_cast<int>(group); }

// Width of a panel in columns.
inline constexpr int kInt8Panel = 8;

// B [k, n] as integers q of -127 to 127 and one scale for each column: b = q * scale. Panels of kInt8Panel columns are
// stored as [k / group, kInt8Panel, group]; what is missing of the last panel and of the last group is zero.
class QuantizedMatrix {
 public:
  // Deeper than this, a sum of products of 7 bits by 7 bits might not fit 32 bits: 127 * 127 * 133144 < 2^31.
  static constexpr int kMaxDepth = 133144;

  // All zeros. unsupported where depth is beyond kMaxDepth.
  QuantizedMatrix(int depth, int cols, DotGroup group);
  static QuantizedMatrix from_transposed(ConstView w, DotGroup group);  // w [n, k], as nn.Linear stores its weight

  int depth() const { return depth_; }  // k
  int cols() const { return cols_; }    // n
  DotGroup group() const { return group_; }
  int group_count() const;  // of a column, the last one included that is not full
  const std::int8_t* panel(int index) const {
    return reinterpret_cast<const std::int8_t*>(integers_.data()) + index * panel_bytes();
  }
  std::size_t panel_bytes() const;
  std::size_t bytes() const { return (integers_.size() + scales_.size() + sums_.size()) * sizeof(float); }

  // Of each column, in whole panels: the scale, NaN or infinite where the column holds such a number; and the sum of
  // its integers.
  std::span<const float> scales() const { return scales_; }
  const std::int32_t* sums() const { return sums_.data(); }

  // Stores the elements first, first + 1, ... of w [n, k] in row-major order; the pieces come in their order, so that
  // no more than a row of w waits for its largest element. Each row is quantised by itself: scale = max |w| / 127
  // in 17 bits, q = w / scale rounded to the nearest, to even where two are as near. So every q * scale is exact in
  // float32, and what was quantised once stays what it is.
  void store_transposed(std::size_t first, std::span<const float> elements);

  // Column `index` of B, `depth()` floats: a row of w.
  void copy_column(int index, float* out) const;

  // These columns of B alone, in this order, with the integers that they have.
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
  std::size_t stored_ = 0;    // elements so far
  std::vector<float> begun_;  // the row of w that they end in
};

}  // namespace transformer
