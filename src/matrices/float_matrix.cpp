#include "matrices/float_matrix.h"

#include <algorithm>

#include "base/magnitude.h"
#include "kernels/gemm.h"
#include "matrices/product_rows.h"

namespace transformer {

namespace {

// A matrix of this size is one of a model of dozens of megabytes, of which nothing is left in the caches from one pass
// to the next. 512 x 2048 and its transpose take 0.8 and 0.64 of the time then with 6 rows, 0.83 and 0.75 with 16, 0.88
// and 0.83 with 32, 0.97 and 0.88 with 48; fewer rows take up to 1.3 times as long (Zen 4, one thread). From the
// third-level cache, where smaller models are, 6 rows take 1.2 times as long, and 16 rows 1.1.
constexpr std::size_t kFarBytes = 2 << 20;
constexpr int kFewestFarRows = 6;
constexpr int kMostFarRows = 64;

}  // namespace

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
  const ConstView rows = a.floats();
  const bool is_far = bytes() >= kFarBytes && rows.rows >= kFewestFarRows && rows.rows <= kMostFarRows;
  gemm_block(rows.row_range(row, c.rows).column_range(0, depth()), panels(panel), c,
             is_far ? Distance::kFar : Distance::kNear);
}

}  // namespace transformer
