#include "matrices/int4_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "base/magnitude.h"
#include "kernels/gemm_nibbles.h"
#include "kernels/quantize_nibbles.h"
#include "matrices/product_rows.h"

namespace transformer {

namespace {

constexpr int kLowest = -8;

// Where the integers k, k + 1, ... k + 3 of a column begin in its block, for a k divisible by 4; see NibblePanels.
int place(int k, int col) { return 4 * (k / 8 * kIntegerPanel + col % kIntegerPanel); }

// Where its scale is.
int scale_place(int col) { return kNibbleScalesAt + 2 * (col % kIntegerPanel); }

}  // namespace

Int4Matrix::Int4Matrix(int depth, int cols)
    : QuantizedMatrix(depth, cols),
      blocks_(float_count({ceil_div(cols, kIntegerPanel), ceil_div(depth, kNibbleGroup), kNibbleBlock / 4})) {
  std::memset(blocks_.data(), 0, bytes());
}

Int4Matrix Int4Matrix::from_transposed(ConstView w) {
  Int4Matrix matrix(w.cols, w.rows);
  matrix.store_all(w);
  return matrix;
}

void Int4Matrix::store_row(int row, const float* w) {
  for (int index = 0; index < group_count(); ++index, w += kNibbleGroup) {
    const int count = std::min(kNibbleGroup, depth() - index * kNibbleGroup);
    float padded[kNibbleGroup] = {};
    if (count < kNibbleGroup) std::copy_n(w, count, padded);
    const NibbleGroup group = quantize_nibbles(count < kNibbleGroup ? padded : w);
    largest_ = largest_magnitude({&group.largest, 1}, largest_);
    std::uint8_t* to = block(row, index);
    std::memcpy(to + scale_place(row), &group.scale, sizeof group.scale);
    for (int k = 0; k < kNibbleGroup; k += 8) std::memcpy(to + place(k, row), group.integers + k / 2, 4);
  }
}

bool Int4Matrix::keep_runs(HalfType scales) {
  if (depth() % kNibbleGroup != 0) return false;
  code_ = HalfCode::for_all(scales);
  return true;
}

void Int4Matrix::store_run(int row, int index, const NibbleRun& run) {
  const float scale = code_.type == HalfType::kBf16 ? from_bf16(run.scale) : from_f16(run.scale);
  largest_ = largest_magnitude({&scale, 1}, largest_);
  const std::uint16_t code = std::isfinite(scale) ? code_.code(scale) : 0;
  std::uint8_t* to = block(row, index);
  std::memcpy(to + scale_place(row), &code, sizeof code);
  for (int k = 0; k < kNibbleGroup; ++k) {
    std::uint8_t& both = to[place(k, row) + k % 4];
    both = static_cast<std::uint8_t>(k % 8 < 4 ? run.integers[k] : both | run.integers[k] << 4);
  }
}

int Int4Matrix::stored(int k, int col) const {
  const int both = block(col, k / kNibbleGroup)[place(k % kNibbleGroup, col) + k % 4];
  return k % 8 < 4 ? both & 15 : both >> 4;
}

void Int4Matrix::copy_column(int index, float* out) const {
  for (int k = 0; k < depth(); ++k) {
    std::uint16_t scale;
    std::memcpy(&scale, block(index, k / kNibbleGroup) + scale_place(index), sizeof scale);
    out[k] = static_cast<float>(stored(k, index) + kLowest) * code_.number(scale);
  }
}

std::unique_ptr<Matrix> Int4Matrix::select_columns(std::span<const int> columns) const {
  auto selected = std::make_unique<Int4Matrix>(depth(), count_of(columns));
  for (int i = 0; i < count_of(columns); ++i) {
    for (int group = 0; group < group_count(); ++group) {
      const std::uint8_t* from = block(columns[i], group);
      std::uint8_t* to = selected->block(i, group);
      for (int k = 0; k < kNibbleGroup; k += 8) std::copy_n(from + place(k, columns[i]), 4, to + place(k, i));
      std::copy_n(from + scale_place(columns[i]), 2, to + scale_place(i));
    }
  }
  selected->code_ = code_;
  selected->largest_ = largest_;
  return selected;
}

void Int4Matrix::prepare(ProductRows& a) const { a.quantize(RowFormat::kSigned8); }

void Int4Matrix::multiply(const ProductRows& a, int row, int panel, View c) const {
  gemm_block(a.integers(RowFormat::kSigned8), row, panels(panel), c);
}

void Int4Matrix::append_row(int row, QuantizedNumbers& numbers) const {
  for (int k = 0; k < depth(); k += 2) {
    const int high = k + 1 < depth() ? stored(k + 1, row) : 0;
    numbers.integers.push_back(static_cast<std::uint8_t>(stored(k, row) | high << 4));
  }
  for (int group = 0; group < group_count(); ++group) {
    const std::uint8_t* scale = block(row, group) + scale_place(row);
    numbers.scales.insert(numbers.scales.end(), scale, scale + 2);
  }
}

}  // namespace transformer
