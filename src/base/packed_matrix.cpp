#include "base/packed_matrix.h"

#include <algorithm>

namespace transformer {

PackedMatrix::PackedMatrix(int depth, int cols)
    : depth_(depth), cols_(cols), data_(float_count({panel_count(cols), depth, kPanel})) {
  const int last = panel_count(cols) - 1;
  if (cols % kPanel != 0) std::fill_n(element(0, last * kPanel), panel_size(), 0.0f);
}

float* PackedMatrix::element(int k, int col) {
  return data_.data() + col / kPanel * panel_size() + std::ptrdiff_t{k} * kPanel + col % kPanel;
}

PackedMatrix PackedMatrix::from_rows(ConstView b) {
  PackedMatrix packed(b.rows, b.cols);
  for (int k = 0; k < b.rows; ++k) {
    for (int col = 0; col < b.cols; col += kPanel) {
      std::copy_n(b.row(k) + col, std::min(kPanel, b.cols - col), packed.element(k, col));
    }
  }
  return packed;
}

PackedMatrix PackedMatrix::from_transposed(ConstView w) {
  PackedMatrix packed(w.cols, w.rows);
  std::size_t first = 0;
  for (int row = 0; row < w.rows; ++row, first += w.cols) {
    packed.store_transposed(first, std::span(w.row(row), w.cols));
  }
  return packed;
}

void PackedMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  if (elements.empty()) return;
  int k = static_cast<int>(first % depth_);
  int col = static_cast<int>(first / depth_);
  while (!elements.empty()) {
    const auto row = elements.first(std::min<std::size_t>(depth_ - k, elements.size()));  // to the end of this row of w
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

PackedMatrix PackedMatrix::select_columns(std::span<const int> cols) const {
  PackedMatrix selected(depth_, count_of(cols));
  for (int i = 0; i < count_of(cols); ++i) {
    const float* from = panel(cols[i] / kPanel) + cols[i] % kPanel;
    float* to = selected.element(0, i);
    for (int k = 0; k < depth_; ++k, from += kPanel, to += kPanel) *to = *from;
  }
  return selected;
}

void PackedMatrix::copy_column(int index, float* out) const {
  const float* from = panel(index / kPanel) + index % kPanel;
  for (int k = 0; k < depth_; ++k, from += kPanel) out[k] = *from;
}

}  // namespace transformer
