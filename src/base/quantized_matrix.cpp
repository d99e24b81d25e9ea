#include "base/quantized_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/magnitude.h"

namespace transformer {

namespace {

int groups_of(int depth, DotGroup group) { return ceil_div(depth, size_of(group)); }
int panels_of(int cols) { return ceil_div(cols, kInt8Panel); }

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
  for (int i = 0; i < count; i += Group, to += kInt8Panel * Group) std::memcpy(to, integers + i, Group);
}

}  // namespace

QuantizedMatrix::QuantizedMatrix(int depth, int cols, DotGroup group) : depth_(depth), cols_(cols), group_(group) {
  if (depth > kMaxDepth) {
    fail(ErrorCode::kUnsupported, "a matrix of ", depth, " columns is too wide for 8 bits; the limit is ", kMaxDepth);
  }
  const std::size_t padded_cols = std::size_t{1} * panels_of(cols) * kInt8Panel;
  // A float holds four integers.
  integers_ = Buffer(float_count({panels_of(cols), groups_of(depth, group), kInt8Panel * size_of(group)}) / 4);
  std::memset(integers_.data(), 0, integers_.size() * sizeof(float));
  scales_.resize(padded_cols);
  sums_.resize(padded_cols);
}

QuantizedMatrix QuantizedMatrix::from_transposed(ConstView w, DotGroup group) {
  QuantizedMatrix quantized(w.cols, w.rows, group);
  for (int row = 0; row < w.rows; ++row) quantized.store_row(row, w.row(row));
  return quantized;
}

int QuantizedMatrix::group_count() const { return groups_of(depth_, group_); }

std::size_t QuantizedMatrix::panel_bytes() const { return group_count() * kInt8Panel * size_of(group_); }

std::size_t QuantizedMatrix::place(int k, int col) const {
  const int group = size_of(group_);
  return col / kInt8Panel * panel_bytes() + (k / group * kInt8Panel + col % kInt8Panel) * group + k % group;
}

void QuantizedMatrix::store_row(int row, const float* w) {
  const float scale = scale_of(largest_magnitude({w, static_cast<std::size_t>(depth_)}));
  scales_[row] = scale;
  if (scale == 0.0f || !std::isfinite(scale)) return;
  std::int8_t* integers = reinterpret_cast<std::int8_t*>(integers_.data());
  std::int32_t sum = 0;
  // Rounded in blocks, in a loop that compilers vectorise, and then copied to the panel's groups.
  constexpr int kBlock = 256;
  std::int8_t rounded[kBlock];
  for (int begin = 0; begin < depth_; begin += kBlock) {
    const int count = std::min(kBlock, depth_ - begin);
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

void QuantizedMatrix::store_transposed(std::size_t first, std::span<const float> elements) {
  pieces_.add(first, elements, depth_, [this](int row, const float* w) { store_row(row, w); });
}

void QuantizedMatrix::copy_column(int index, float* out) const {
  const std::int8_t* integers = reinterpret_cast<const std::int8_t*>(integers_.data());
  const float scale = scales_[index];
  for (int k = 0; k < depth_; ++k) out[k] = integers[place(k, index)] * scale;
}

QuantizedMatrix QuantizedMatrix::select_columns(std::span<const int> columns) const {
  QuantizedMatrix selected(depth_, count_of(columns), group_);
  const std::int8_t* from = reinterpret_cast<const std::int8_t*>(integers_.data());
  std::int8_t* to = reinterpret_cast<std::int8_t*>(selected.integers_.data());
  const int group = size_of(group_);
  for (int i = 0; i < count_of(columns); ++i) {
    for (int k = 0; k < depth_; k += group) {
      std::copy_n(from + place(k, columns[i]), group, to + selected.place(k, i));
    }
    selected.scales_[i] = scales_[columns[i]];
    selected.sums_[i] = sums_[columns[i]];
  }
  return selected;
}

}  // namespace transformer
