// The matrix of a linear layer or the table of an embedding, in whatever format it is kept: what a format can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/half.h"
#include "base/tensor.h"

namespace transformer {

class ProductRows;

// The scales of integers that another program made: numbers are multiplied with these before they are rounded.
struct FixedScales {
  float weights = 0.0f;      // of the whole matrix
  float activations = 0.0f;  // of rows that it is multiplied with; 0: not fixed
};

// 32 adjacent numbers of a row of w as a file stores them: (q - 8) * scale, with q from 0 to 15 and a scale of 16 bits.
inline constexpr int kRunNumbers = 32;
struct NibbleRun {
  std::uint8_t integers[kRunNumbers];
  std::uint16_t scale;
};

// B [k, n]. A format is a class in a file of its own; only make_matrix() knows which there are.
class Matrix {
 public:
  Matrix(int depth, int cols) : depth_(depth), cols_(cols) {}
  virtual ~Matrix() = default;

  int depth() const { return depth_; }  // k
  int cols() const { return cols_; }    // n
  virtual std::size_t bytes() const = 0;

  // NaN or infinite if one of its numbers is.
  virtual float largest() const = 0;

  // Before it is filled, with integers over that scale: a format of such integers keeps them.
  virtual void fix_scales(const FixedScales&) {}

  // Whether it keeps such integers as they are, with scales of that type. Before it is filled, with store_run().
  virtual bool keep_runs(HalfType) { return false; }
  // Numbers 32 * index to 32 * index + 31 of a row of w.
  virtual void store_run(int /*row*/, int /*index*/, const NibbleRun&) {}

  // Stores the elements first, first + 1, ... of w [n, k], which nn.Linear stores as its weight, in row-major order as
  // in a file.
  virtual void store_transposed(std::size_t first, std::span<const float> elements) = 0;

  // Column `index` of B, `depth()` floats: a row of w.
  virtual void copy_column(int index, float* out) const = 0;

  // [k, columns.size()]: the given columns of B in that order, unchanged.
  virtual std::unique_ptr<Matrix> select_columns(std::span<const int> columns) const = 0;

  // How its products are split: the width of a panel in columns, and the cost of a multiply-add in those of float32.
  virtual int panel_width() const = 0;
  virtual double work() const { return 1.0; }

  // Makes the rows ready for multiply(), which several threads may call.
  virtual void prepare(ProductRows&) const {}

  // c = A B for a block of c, which begins at that row of A and that panel of B.
  virtual void multiply(const ProductRows& a, int row, int panel, View c) const = 0;

 protected:
  Matrix(Matrix&&) = default;

  // Fills a new matrix with w [n, k].
  void store_all(ConstView w) {
    for (int row = 0; row < w.rows; ++row) {
      store_transposed(std::size_t{1} * row * w.cols, std::span(w.row(row), static_cast<std::size_t>(w.cols)));
    }
  }

 private:
  int depth_;
  int cols_;
};

}  // namespace transformer
