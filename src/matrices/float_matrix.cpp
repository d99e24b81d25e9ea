#include "matrices/float_matrix.h"

#include <algorithm>

#include "base/magnitude.h"
#include "kernels/gemm.h"
#include "matrices/product_rows.h"

namespace transformer {

FloatMatrix::FloatMatrix(int depth, int cols)
    : Matrix(depth, cols), data_(float_count({panel_count(cols), depth, kPanel})) {
  const int last = panel_count(cols) - 1;
  if (cols % kPanel != 0) std::fill_n(element(0, last * kPanel), panel_size(), 0.0f);
}

float* FloatMatrix::element(int k, int col) {
  return data_.data() + col / kPanel * panel_size() + std::ptrdiff_t{k} * kPanel + col % kPanel;
}

FloatMatrix FloatMatrix::from_rows(ConstView b) {
  FloatMatrix packed(b.rows, b.cols);
  for (int k = 0; k < b.rows; ++k) {
    for (int col = 0; col < b.cols; col += kPanel) {
      std::copy_n(b.row(k) + col, std::min(kPanel, b.cols - col), packed.element(k, col));
    }
  }
  return packed;
}

FloatMatrix FloatMatrix::from_transposed(ConstView w) {
  FloatMatrix matrix(w.cols, w.rows);
  matrix.store_all(w);
  return matrix;
}

float FloatMatrix::largest() const { return largest_magnitude({data_.data(), data_.size()}); }

void FloatMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  if (elements.empty()) return;
  int k = static_cast<int>(first % depth());
  int col = static_cast<int>(first / depth());
  while (!elements.empty()) {
    const auto row =
        elements.first(std::min<std::size_t>(depth() - k, elements.size()));  // to the end of this row of w
    float* to = element(k, col);
    for (const float value : row) {
      *to = value;
      to += kPanel;
    }
    elements = elements.subspan(row.size());
    k = 0;
    ++col;
  }
}

void FloatMatrix::copy_column(int index, float* out) const {
  const float* from = panels(index / kPanel).first + index % kPanel;
  for (int k = 0; k < depth(); ++k, from += kPanel) out[k] = *from;
}

std::unique_ptr<Matrix> FloatMatrix::select_columns(std::span<const int> columns) const {
  auto selected = std::make_unique<FloatMatrix>(depth(), count_of(columns));
  for (int i = 0; i < count_of(columns); ++i) {
    const float* from = panels(columns[i] / kPanel).first + columns[i] % kPanel;
    float* to = selected->element(0, i);
    for (int k = 0; k < depth(); ++k, from += kPanel, to += kPanel) *to = *from;
  }
  return selected;
}

void FloatMatrix::multiply(const ProductRows& a, int row, int panel, View c) const {
  gemm_block(a.floats().row_range(row, c.rows).column_range(0, depth()), panels(panel), c);
}

}  // namespace transformer
