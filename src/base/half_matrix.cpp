#include "base/half_matrix.h"

#include <algorithm>
#include <cstring>

#include "base/magnitude.h"

namespace transformer {

HalfMatrix::HalfMatrix(int depth, int cols, HalfType type)
    : depth_(depth),
      cols_(cols),
      code_(HalfCode::for_weights(type)),
      halves_(float_count({panel_count(cols), depth, kPanel / 2})) {
  std::memset(halves_.data(), 0, bytes());
}

HalfMatrix HalfMatrix::from_transposed(ConstView w, HalfType type) {
  HalfMatrix matrix(w.cols, w.rows, type);
  for (int row = 0; row < w.rows; ++row) {
    matrix.store_transposed(std::size_t{1} * row * w.cols, std::span(w.row(row), w.cols));
  }
  return matrix;
}

const std::uint16_t* HalfMatrix::column(int col) const { return panel(col / kPanel) + col % kPanel; }

void HalfMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  largest_ = largest_magnitude(elements, largest_);
  if (!(largest_ < 128.0f)) recode(HalfCode::for_all(code_.type));
  while (!elements.empty()) {
    const int k = static_cast<int>(first % depth_);
    const auto row = elements.first(std::min<std::size_t>(depth_ - k, elements.size()));  // to the end of this row of w
    std::uint16_t* to = column(static_cast<int>(first / depth_)) + std::ptrdiff_t{k} * kPanel;
    for (const float number : row) {
      *to = code_.code(number);
      to += kPanel;
    }
    elements = elements.subspan(row.size());
    first += row.size();
  }
}

void HalfMatrix::copy_column(int index, float* out) const {
  const std::uint16_t* from = column(index);
  for (int k = 0; k < depth_; ++k, from += kPanel) out[k] = code_.number(*from);
}

HalfMatrix HalfMatrix::select_columns(std::span<const int> columns) const {
  HalfMatrix selected(depth_, count_of(columns), code_.type);
  selected.code_ = code_;
  for (int i = 0; i < count_of(columns); ++i) {
    const std::uint16_t* from = column(columns[i]);
    std::uint16_t* to = selected.column(i);
    for (int k = 0; k < depth_; ++k, from += kPanel, to += kPanel) *to = *from;
  }
  selected.largest_ = largest_;
  return selected;
}

void HalfMatrix::recode(HalfCode code) {
  if (code.scale == code_.scale) return;
  const std::span<std::uint16_t> all(reinterpret_cast<std::uint16_t*>(halves_.data()), 2 * halves_.size());
  for (std::uint16_t& half : all) half = code.code(code_.number(half));
  code_ = code;
}

}  // namespace transformer
