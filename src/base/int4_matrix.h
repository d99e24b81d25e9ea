// A matrix in 4 bits, in groups with a scale each, in the order in which the integer product reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/buffer.h"
#include "base/quantized_matrix.h"
#include "base/row_pieces.h"
#include "base/tensor.h"

namespace transformer {

// Adjacent k of a column that share a scale.
inline constexpr int kInt4Group = 32;

// The bytes of a group of a panel's columns: first the integers, then the scales in bfloat16.
inline constexpr int kInt4ScalesAt = kInt8Panel * kInt4Group / 2;
inline constexpr int kInt4Block = kInt4ScalesAt + kInt8Panel * 2;

// B [k, n] as integers q from -8 to 7, with a scale for each group of each column: b = q * scale. A panel has
// kInt8Panel columns, and is stored group by group, so that a product reads one stream. An integer is stored as q + 8.
// A group is stored as [k / 8, kInt8Panel, k % 4]; a byte holds two integers, 4 k apart: k % 8 < 4 in its lower half,
// the others in its upper one. The last panel and the last group are padded.
class Int4Matrix {
 public:
  Int4Matrix(int depth, int cols);                 // all scales are zero
  static Int4Matrix from_transposed(ConstView w);  // w [n, k], as nn.Linear stores its weight

  int depth() const { return depth_; }                              // k
  int cols() const { return cols_; }                                // n
  int group_count() const { return ceil_div(depth_, kInt4Group); }  // groups per column
  std::size_t panel_bytes() const { return std::size_t{1} * group_count() * kInt4Block; }
  const std::uint8_t* panel(int index) const {
    return reinterpret_cast<const std::uint8_t*>(blocks_.data()) + index * panel_bytes();
  }
  std::size_t bytes() const { return blocks_.size() * sizeof(float); }

  // The greatest magnitude stored so far; NaN or infinite if there is such a number.
  const float& largest() const { return largest_; }

  // Stores the elements first, first + 1, ... of w [n, k], in row-major order; the pieces come in order. Each group is
  // quantised by itself: the scale is the one of a few that are near max |w| / 8 which leaves the least sum of squared
  // errors, rounded to bfloat16. Then q * scale is exact in float32, and quantising it again changes no number.
  void store_transposed(std::size_t first, std::span<const float> elements);

  // Column `index` of B, `depth()` floats: a row of w.
  void copy_column(int index, float* out) const;

  // The given columns of B, in that order, their integers and scales unchanged.
  Int4Matrix select_columns(std::span<const int> columns) const;

 private:
  // The block of a group of a column's panel.
  const std::uint8_t* block(int col, int group) const {
    return panel(col / kInt8Panel) + std::ptrdiff_t{group} * kInt4Block;
  }
  std::uint8_t* block(int col, int group) { return const_cast<std::uint8_t*>(std::as_const(*this).block(col, group)); }

  void store_row(int row, const float* w);

  int depth_;
  int cols_;
  Buffer blocks_;
  float largest_ = 0.0f;
  RowPieces pieces_;
};

}  // namespace transformer
