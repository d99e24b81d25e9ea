#include "matrices/half_matrix.h"

#include <algorithm>
#include <cstring>

#include "base/magnitude.h"
#include "kernels/gemm.h"
#include "matrices/product_rows.h"

namespace transformer {

HalfMatrix::HalfMatrix(int depth, int cols, HalfType type)
    : Matrix(depth, cols),
      code_(HalfCode::for_weights(type)),
      halves_(float_count({panel_count(cols), depth, kPanel / 2})) {
  std::memset(halves_.data(), 0, bytes());
}

HalfMatrix HalfMatrix::from_transposed(ConstView w, HalfType type) {
  HalfMatrix matrix(w.cols, w.rows, type);
  matrix.store_all(w);
  return matrix;
}

const std::uint16_t* HalfMatrix::column(int col) const {
  return reinterpret_cast<const std::uint16_t*>(halves_.data()) + col / kPanel * panel_size() + col % kPanel;
}

void HalfMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  largest_ = largest_magnitude(elements, largest_);
  if (!(largest_ < 128.0f)) recode(HalfCode::for_all(code_.type));
  while (!elements.empty()) {
    const int k = static_cast<int>(first % depth());
    const auto row =
        elements.first(std::min<std::size_t>(depth() - k, elements.size()));  // to the end of this row of w
    std::uint16_t* to = column(static_cast<int>(first / depth())) + std::ptrdiff_t{k} * kPanel;
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
  for (int k = 0; k < depth(); ++k, from += kPanel) out[k] = code_.number(*from);
}

std::unique_ptr<Matrix> HalfMatrix::select_columns(std::span<const int> columns) const {
  auto selected = std::make_unique<HalfMatrix>(depth(), count_of(columns), code_.type);
  selected->code_ = code_;
  for (int i = 0; i < count_of(columns); ++i) {
    const std::uint16_t* from = column(columns[i]);
    std::uint16_t* to = selected->column(i);
    for (int k = 0; k < depth(); ++k, from += kPanel, to += kPanel) *to = *from;
  }
  selected->largest_ = largest_;
  return selected;
}

void HalfMatrix::multiply(const ProductRows& a, int row, int panel, View c) const {
  gemm_block(a.floats().row_range(row, c.rows).column_range(0, depth()), panels(panel), c);
}

void HalfMatrix::recode(HalfCode code) {
  if (code.scale == code_.scale) return;
  const std::span<std::uint16_t> all(reinterpret_cast<std::uint16_t*>(halves_.data()), 2 * halves_.size());
  for (std::uint16_t& half : all) half = code.code(code_.number(half));
  code_ = code;
}

}  // namespace transformer
