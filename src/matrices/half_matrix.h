// A matrix of 16-bit floating-point numbers.
#pragma once

#include <cstdint>
#include <utility>

#include "base/buffer.h"
#include "base/half.h"
#include "kernels/panels.h"
#include "matrices/matrix.h"

namespace transformer {

// The 16 bits of a checkpoint: half the memory of a FloatMatrix, and the same products to the last bit. Panels of
// kPanel columns are stored as [k, kPanel]; the last one is padded with zeros.
class HalfMatrix : public Matrix {
 public:
  HalfMatrix(int depth, int cols, HalfType type);                 // all zeros
  static HalfMatrix from_transposed(ConstView w, HalfType type);  // w [n, k], of numbers that the type can represent

  HalfCode code() const { return code_; }

  // From that panel on.
  HalfPanels panels(int first) const { return {column(first * kPanel), panel_size(), code_}; }

  std::size_t bytes() const override { return halves_.size() * sizeof(float); }
  float largest() const override { return largest_; }
  // The type can represent the numbers: nothing is rounded.
  void store_transposed(std::size_t first, std::span<const float> elements) override;
  void copy_column(int index, float* out) const override;
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override;
  int panel_width() const override { return kPanel; }
  void multiply(const ProductRows& a, int row, int panel, View c) const override;

 private:
  std::ptrdiff_t panel_size() const { return std::ptrdiff_t{depth()} * kPanel; }  // elements from panel to panel
  // Column `col` at k = 0; the next k is kPanel elements further.
  const std::uint16_t* column(int col) const;
  std::uint16_t* column(int col) { return const_cast<std::uint16_t*>(std::as_const(*this).column(col)); }
  // Stores what is there in another code.
  void recode(HalfCode code);

  HalfCode code_;
  Buffer halves_;  // two in the bytes of a float
  float largest_ = 0.0f;
};

}  // namespace transformer
