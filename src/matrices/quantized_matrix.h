// The common base of formats of integers with scales: rows of w are quantised one by one, as a file is read.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/panels.h"
#include "matrices/matrix.h"
#include "matrices/row_pieces.h"

namespace transformer {

// The integers and scales of rows of w, little-endian, in the order of a file that stores them.
struct QuantizedNumbers {
  std::vector<std::uint8_t> integers;
  std::vector<std::uint8_t> scales;
};

class QuantizedMatrix : public Matrix {
 public:
  using Matrix::Matrix;

  // The pieces come in order, so that at most one row of w waits for its end. Each row is quantised by itself.
  // Quantising what copy_column() gives changes no number.
  void store_transposed(std::size_t first, std::span<const float> elements) final {
    pieces_.add(first, elements, depth(), [this](int row, const float* w) { store_row(row, w); });
  }

  int panel_width() const final { return kIntegerPanel; }
  double work() const final { return 0.25; }

  // Appends a row of w.
  virtual void append_row(int row, QuantizedNumbers& numbers) const = 0;

 private:
  // w: `depth()` numbers
  virtual void store_row(int row, const float* w) = 0;

  RowPieces pieces_;
};

}  // namespace transformer
