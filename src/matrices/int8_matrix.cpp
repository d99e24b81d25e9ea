#include "matrices/int8_matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/magnitude.h"
#include "kernels/gemm_int8.h"
#include "matrices/product_rows.h"

namespace transformer {

namespace {

int panels_of(int cols) { return ceil_div(cols, kIntegerPanel); }

// max |w| / 127, rounded to 17 bits: this leaves 7 of a float's 24 bits for the integer, so that every q * scale is
// exact, and quantising again gives the same scale.
float scale_of(float largest) {
  const float scale = largest / 127.0f;
  if (!std::isfinite(scale)) return scale;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(scale) + 0x40u) & ~0x7fu);
}

// Copies the integers of one column to a panel, in whole groups.
template <int Group>
void spread(const std::int8_t* integers, int count, std::int8_t* to) {
  for (int i = 0; i < count; i += Group, to += kIntegerPanel * Group) std::memcpy(to, integers + i, Group);
}

}  // namespace

Int8Matrix::Int8Matrix(int depth, int cols, DotGroup group) : QuantizedMatrix(depth, cols), group_(group) {
  if (depth > kMaxDepth) {
    fail(ErrorCode::kUnsupported, "a matrix of ", depth, " columns is too wide for 8 bits; the limit is ", kMaxDepth);
  }
  const std::size_t padded_cols = std::size_t{1} * panels_of(cols) * kIntegerPanel;
  // A float holds four integers.
  integers_ = Buffer(float_count({panels_of(cols), group_count(), kIntegerPanel * size_of(group)}) / 4);
  std::memset(integers_.data(), 0, integers_.size() * sizeof(float));
  scales_.resize(padded_cols);
  sums_.resize(padded_cols);
}

Int8Matrix Int8Matrix::from_transposed(ConstView w, DotGroup group) {
  Int8Matrix matrix(w.cols, w.rows, group);
  matrix.store_all(w);
  return matrix;
}

float Int8Matrix::largest() const { return largest_magnitude(scales_); }

BytePanels Int8Matrix::panels(int first) const {
  const int col = first * kIntegerPanel;
  const std::int8_t* integers = reinterpret_cast<const std::int8_t*>(integers_.data());
  return {
      integers + first * panel_bytes(), panel_bytes(), group_count(), group_, scales_.data() + col, sums_.data() + col};
}

std::ptrdiff_t Int8Matrix::place(int k, int col) const {
  const int group = size_of(group_);
  return col / kIntegerPanel * panel_bytes() + (k / group * kIntegerPanel + col % kIntegerPanel) * group + k % group;
}

void Int8Matrix::store_row(int row, const float* w) {
  const float scale =
      fixed_scale_ > 0.0f ? fixed_scale_ : scale_of(largest_magnitude({w, static_cast<std::size_t>(depth())}));
  scales_[row] = scale;
  if (scale == 0.0f || !std::isfinite(scale)) return;
  std::int8_t* integers = reinterpret_cast<std::int8_t*>(integers_.data());
  std::int32_t sum = 0;
  // Rounded in blocks, in a loop that compilers vectorise, and then copied to the panel's groups.
  constexpr int kBlock = 256;
  std::int8_t rounded[kBlock];
  for (int begin = 0; begin < depth(); begin += kBlock) {
    const int count = std::min(kBlock, depth() - begin);
    for (int i = 0; i < count; ++i) {
      // Beyond 127 only for a subnormal scale, which has few bits.
      const float nearest = std::clamp(std::nearbyint(w[begin + i] / scale), -127.0f, 127.0f);
      rounded[i] = static_cast<std::int8_t>(nearest);
    }
    for (int i = 0; i < count; ++i) sum += rounded[i];
    std::fill(rounded + count, rounded + kBlock, std::int8_t{0});
    std::int8_t* to = integers + place(begin, row);
    if (group_ == DotGroup::kQuads) {
      spread<4>(rounded, count, to);
    } else {
      spread<2>(rounded, count, to);
    }
  }
  sums_[row] = sum;
}

void Int8Matrix::copy_column(int index, float* out) const {
  const std::int8_t* integers = reinterpret_cast<const std::int8_t*>(integers_.data());
  const float scale = scales_[index];
  for (int k = 0; k < depth(); ++k) out[k] = integers[place(k, index)] * scale;
}

std::unique_ptr<Matrix> Int8Matrix::select_columns(std::span<const int> columns) const {
  auto selected = std::make_unique<Int8Matrix>(depth(), count_of(columns), group_);
  copy_columns(columns, *selected);
  return selected;
}

void Int8Matrix::copy_columns(std::span<const int> columns, Int8Matrix& selected) const {
  const std::int8_t* from = reinterpret_cast<const std::int8_t*>(integers_.data());
  std::int8_t* to = reinterpret_cast<std::int8_t*>(selected.integers_.data());
  const int group = size_of(group_);
  for (int i = 0; i < count_of(columns); ++i) {
    for (int k = 0; k < depth(); k += group) {
      std::copy_n(from + place(k, columns[i]), group, to + selected.place(k, i));
    }
    selected.scales_[i] = scales_[columns[i]];
    selected.sums_[i] = sums_[columns[i]];
  }
}

void Int8Matrix::prepare(ProductRows& a) const { a.quantize(row_format(group_)); }

void Int8Matrix::multiply(const ProductRows& a, int row, int panel, View c) const {
  gemm_block(a.integers(row_format(group_)), row, panels(panel), c);
}

void Int8Matrix::append_row(int row, QuantizedNumbers& numbers) const {
  const std::uint8_t* integers = reinterpret_cast<const std::uint8_t*>(integers_.data());
  for (int k = 0; k < depth(); ++k) numbers.integers.push_back(integers[place(k, row)]);
  const auto scale = std::bit_cast<std::array<std::uint8_t, 4>>(scales_[row] == 0.0f ? 1.0f : scales_[row]);
  numbers.scales.insert(numbers.scales.end(), scale.begin(), scale.end());
}

}  // namespace transformer
