// A matrix of 8-bit integers that is multiplied as Bergamot does in WebAssembly, to the very integers: with fixed
// scales of activations, and with sums that saturate (kpu/intgemm, "8-bit shifted" for SSSE3).
#pragma once

#include "matrices/int8_matrix.h"

namespace transformer {

// Rows are quantised as q = round(x alpha) + 127, from 0 to 254, with one alpha for all of them. Sums of two products
// are kept in 16 bits, where they saturate: seen in 0.01 to 0.1 % of them.
class BergamotMatrix : public Int8Matrix {
 public:
  BergamotMatrix(int depth, int cols) : Int8Matrix(depth, cols, DotGroup::kPairs) {}

  void fix_scales(const FixedScales& scales) override;
  std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const override;
  void prepare(ProductRows&) const override {}
  void multiply(const ProductRows& a, int row, int panel, View c) const override;

 private:
  FixedScales fixed_;
};

}  // namespace transformer
