#include "base/packed_matrix.h"

#include <algorithm>

namespace transformer {

PackedMatrix::PackedMatrix(int depth, int cols)
    : depth_(depth), cols_(cols), data_(float_count({panel_count(cols), depth, kPanel})) {
  const int last = panel_count(cols) - 1;
  if (cols % kPanel != 0) std::fill_n(element(0, last * kPanel), panel_size(), 0.0f);
}

float* PackedMatrix::element(int k, int col) {
  return data_.data() + static_cast<std::size_t>(col / kPanel) * panel_size() + static_cast<std::size_t>(k) * kPanel +
         col % kPanel;
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
  for (int row = 0; row < w.rows; ++row) {
    packed.store_transposed(static_cast<std::size_t>(row) * static_cast<std::size_t>(w.cols),
                            {w.row(row), static_cast<std::size_t>(w.cols)});
  }
  return packed;
}

void PackedMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  const auto depth = static_cast<std::size_t>(depth_);
  while (!elements.empty()) {
    const std::size_t k = first % depth;
    const std::size_t count = std::min(depth - k, elements.size());  // to the end of this row of w
    float* to = element(static_cast<int>(k), static_cast<int>(first / depth));
    for (std::size_t i = 0; i < count; ++i) to[i * kPanel] = elements[i];
    elements = elements.subspan(count);
    first += count;
  }
}

PackedMatrix PackedMatrix::select_columns(std::span<const int> cols) const {
  PackedMatrix selected(depth_, static_cast<int>(cols.size()));
  for (std::size_t i = 0; i < cols.size(); ++i) {
    const float* from = panel(cols[i] / kPanel) + cols[i] % kPanel;
    float* to = selected.element(0, static_cast<int>(i));
    for (int k = 0; k < depth_; ++k, from += kPanel, to += kPanel) *to = *from;
  }
  return selected;
}

void PackedMatrix::copy_column(int index, float* out) const {
  const float* from = panel(index / kPanel) + index % kPanel;
  for (int k = 0; k < depth_; ++k) out[k] = from[static_cast<std::ptrdiff_t>(k) * kPanel];
}

}  // namespace transformer
