// A matrix of 16-bit floating-point numbers in panels, in the order in which the product kernel reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/half.h"
#include "base/packed_matrix.h"

namespace transformer {

// B [k, n] in the 16 bits of a checkpoint: half the memory of a PackedMatrix, and the same products to the last bit.
// Panels of kPanel columns are stored as [k, kPanel]; the last one is padded with zeros.
class HalfMatrix {
 public:
  HalfMatrix(int depth, int cols, HalfType type);                 // all zeros
  static HalfMatrix from_transposed(ConstView w, HalfType type);  // w [n, k], of numbers that the type can represent

  int depth() const { return depth_; }  // k
  int cols() const { return cols_; }    // n
  HalfCode code() const { return code_; }
  std::ptrdiff_t panel_size() const { return std::ptrdiff_t{depth_} * kPanel; }  // elements from panel to panel
  const std::uint16_t* panel(int index) const {
    return reinterpret_cast<const std::uint16_t*>(halves_.data()) + index * panel_size();
  }
  std::size_t bytes() const { return halves_.size() * sizeof(float); }

  // The greatest magnitude stored so far; NaN or infinite if there is such a number.
  const float& largest() const { return largest_; }

  // Stores the elements first, first + 1, ... of w [n, k], in row-major order as in a file. The type can represent
  // them: nothing is rounded.
  void store_transposed(std::size_t first, std::span<const float> elements);

  // Column `index` of B, `depth()` floats: a row of w.
  void copy_column(int index, float* out) const;

  // [k, columns.size()]: the given columns of B, in that order.
  HalfMatrix select_columns(std::span<const int> columns) const;

 private:
  // Column `col` at k = 0; the next k is kPanel elements further.
  const std::uint16_t* column(int col) const;
  std::uint16_t* column(int col) { return const_cast<std::uint16_t*>(std::as_const(*this).column(col)); }
  // Stores what is there in another code.
  void recode(HalfCode code);

  int depth_;
  int cols_;
  HalfCode code_;
  Buffer halves_;  // two in the bytes of a float
  float largest_ = 0.0f;
};

}  // namespace transformer
