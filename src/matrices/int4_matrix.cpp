#include "matrices/int4_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "base/magnitude.h"
#include "kernels/gemm_nibbles.h"
#include "matrices/product_rows.h"

namespace transformer {

namespace {

constexpr int kLowest = -8;
constexpr int kHighest = 7;

// Groups of smaller numbers than this count as zero: the inverse of their scale would overflow.
constexpr float kSmallestLargest = 1e-32f;

// A group's scale is its greatest magnitude divided by one of these. 8 and 7 suit a greatest number that is negative or
// positive; 7.5 and 8.5 clip it a little, for a finer scale: the error of normally distributed weights is 10 % below
// that of 7 alone. From 6 on they find the scale of numbers that were in 4 bits already, and serve no others.
constexpr float kDivisors[] = {8.5f, 8.0f, 7.5f, 7.0f, 6.0f, 5.0f, 4.0f, 3.0f, 2.0f, 1.0f};
constexpr float kLeastForAll = 7.0f;

// How far a number may be from a multiple of its scale that was rounded to bfloat16, in steps: 8 * 2^-9, and some more.
constexpr float kExactly = 0x1p-5f;

struct Group {
  std::uint16_t scale = 0;  // bfloat16
  std::int32_t integers[kNibbleGroup] = {};
};

// Rounds a positive number to bfloat16, ties to even.
std::uint16_t to_bf16(float number) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float nearest(float number, float inverse) {
  const float steps = std::nearbyint(number * inverse);
  const float from_below = steps < kLowest ? float{kLowest} : steps;  // by value: std::clamp was not vectorised
  return from_below > kHighest ? float{kHighest} : from_below;
}

// The sum of the squared errors in steps of the scale. Its order is that of the vector unit: eight partial sums.
float squared_error(const float* w, float inverse) {
  constexpr int kSums = 8;
  float squares[kNibbleGroup];
  for (int i = 0; i < kNibbleGroup; ++i) {  // a loop of its own, which compilers vectorise
    const float error = w[i] * inverse - nearest(w[i], inverse);
    squares[i] = error * error;
  }
  float sums[kSums] = {};
  for (int i = 0; i < kNibbleGroup; i += kSums) {
    for (int j = 0; j < kSums; ++j) sums[j] += squares[i + j];
  }
  float sum = 0.0f;
  for (const float one : sums) sum += one;
  return sum;
}

bool are_multiples(const float* w, float inverse) {
  return std::all_of(w, w + kNibbleGroup, [inverse](float number) {
    return std::abs(number * inverse - nearest(number, inverse)) <= kExactly;
  });
}

// w: kNibbleGroup numbers
Group quantize(const float* w) {
  Group group;
  const float largest = largest_magnitude({w, kNibbleGroup});
  // NaN and infinity are refused before the matrix is used.
  if (!(largest >= kSmallestLargest) || !std::isfinite(largest)) return group;
  float least = 0.0f;
  for (const float divisor : kDivisors) {
    const std::uint16_t rounded = to_bf16(largest / divisor);
    const float scale = from_bf16(rounded);
    const float inverse = 1.0f / scale;
    if (divisor < kLeastForAll && !are_multiples(w, inverse)) continue;
    const float steps = scale / largest;
    const float error = squared_error(w, inverse) * (steps * steps);
    if (group.scale != 0 && !(error < least)) continue;
    least = error;
    group.scale = rounded;
  }
  const float inverse = 1.0f / from_bf16(group.scale);
  for (int i = 0; i < kNibbleGroup; ++i) group.integers[i] = static_cast<std::int32_t>(nearest(w[i], inverse));
  return group;
}

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
  largest_ = largest_magnitude({w, static_cast<std::size_t>(depth())}, largest_);
  for (int index = 0; index < group_count(); ++index) {
    const int begin = index * kNibbleGroup;
    float padded[kNibbleGroup] = {};
    std::copy_n(w + begin, std::min(kNibbleGroup, depth() - begin), padded);
    const Group group = quantize(padded);
    std::uint8_t* to = block(row, index);
    std::memcpy(to + scale_place(row), &group.scale, sizeof group.scale);
    for (int k = 0; k < kNibbleGroup; k += 8) {
      for (int i = 0; i < 4; ++i) {
        const int low = group.integers[k + i] - kLowest, high = group.integers[k + 4 + i] - kLowest;
        to[place(k, row) + i] = static_cast<std::uint8_t>(low | high << 4);
      }
    }
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
    out[k] = static_cast<float>(stored(k, index) + kLowest) * from_bf16(scale);
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
