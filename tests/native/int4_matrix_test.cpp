// src/matrices/int4_matrix, its product and quantisation to 4 bits: against an exact twin in integers.
#include "matrices/int4_matrix.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/half.h"
#include "kernels/activation.h"
#include "kernels/quantize_rows.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/product.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A column of B as stored: an integer for each k, a scale for each group.
struct NaiveColumn {
  std::vector<int> integers;
  std::vector<float> scales;
};

NaiveColumn stored_column(const Int4Matrix& b, int col) {
  NaiveColumn column;
  for (int k = 0; k < b.depth(); ++k) {
    const std::uint8_t* block = b.panels(col / 8).first + k / 32 * 144;
    const int byte = block[(k % 32 / 8 * 8 + col % 8) * 4 + k % 4];
    column.integers.push_back((k % 8 < 4 ? byte % 16 : byte / 16) - 8);
    if (k % 32 == 0) {
      const std::uint8_t* scale = block + 128 + col % 8 * 2;
      column.scales.push_back(from_bf16(static_cast<std::uint16_t>(scale[0] + scale[1] * 256)));
    }
  }
  return column;
}

float naive_product(const float* x, const NaiveColumn& column) {
  const int depth = static_cast<int>(column.integers.size());
  float largest = 0;
  for (int k = 0; k < depth; ++k) largest = std::max(largest, std::abs(x[k]));
  const float scale = largest / 127.0f;
  float total = 0;
  for (int begin = 0; begin < depth; begin += 32) {
    int sum = 0;
    for (int k = begin; k < std::min(begin + 32, depth) && scale > 0; ++k) {
      sum += static_cast<int>(std::nearbyint(x[k] * (1.0f / scale))) * column.integers[static_cast<std::size_t>(k)];
    }
    total += static_cast<float>(sum) * column.scales[static_cast<std::size_t>(begin / 32)];
  }
  return total * scale;
}

void expect_twin(ConstView a, const Int4Matrix& b, ConstView c) {
  for (int col = 0; col < b.cols(); ++col) {
    const NaiveColumn column = stored_column(b, col);
    for (int row = 0; row < a.rows; ++row) {
      ASSERT_EQ(c.row(row)[col], naive_product(a.row(row), column))
          << "m " << a.rows << ", k " << a.cols << ", n " << b.cols() << " at " << row << ", " << col;
    }
  }
}

TEST(Int4ProductTest, MatchesTheTwinAtEverySmallSize) {
  Bench bench;
  Random random(1);
  for (int m : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 33}) {
    for (int n : {0, 1, 3, 7, 8, 9, 17, 31, 33, 40, 65}) {
      for (int k : {0, 1, 3, 4, 7, 8, 16, 17, 31, 32, 33, 70}) {
        const LooseMatrix a(random, m, k, random_int(random, 0, 5), random_int(random, 0, 5));
        const LooseMatrix w(random, n, k, random_int(random, 0, 5), random_int(random, 0, 5));
        const LooseMatrix c(m, n, random_int(random, 0, 5), random_int(random, 0, 5));
        const Int4Matrix b = Int4Matrix::from_transposed(w.view());
        multiply(a.view(), b, c.view(), {}, bench.workspace);
        expect_twin(a.view(), b, c.view());
        ASSERT_TRUE(c.surroundings_untouched()) << "m " << m << ", n " << n << ", k " << k;
      }
    }
  }
}

// More than one row task and panel task.
TEST(Int4ProductTest, MatchesTheTwinAtLargeSizesOnThreeThreads) {
  Bench bench(3);
  Random random(2);
  struct Size {
    int m, k, n;
  };
  for (const Size size : {Size{130, 70, 300}, Size{3, 5000, 40}, Size{70, 513, 257}, Size{1, 1025, 1000},
                          Size{1, 40, 2111}, Size{2, 40, 2111}, Size{5, 40, 2111}}) {
    const LooseMatrix a(random, size.m, size.k, 3, 1), w(random, size.n, size.k), c(size.m, size.n, 1, 3);
    const Int4Matrix b = Int4Matrix::from_transposed(w.view());
    multiply(a.view(), b, c.view(), {}, bench.workspace);
    expect_twin(a.view(), b, c.view());
    EXPECT_TRUE(c.surroundings_untouched());
  }
}

// The greatest sums of a group: no instruction may saturate on the way.
TEST(Int4ProductTest, IsExactAtItsLimits) {
  Bench bench;
  for (const float sign : {-1.0f, 1.0f}) {
    const LooseMatrix a(2, 96), w(9, 96), c(2, 9);
    for (int k = 0; k < 96; ++k) {
      a.view().row(0)[k] = 3.0f;
      a.view().row(1)[k] = k % 2 == 0 ? -3.0f : 3.0f;
      for (int col = 0; col < 9; ++col) w.view().row(col)[k] = col % 2 == 0 ? sign : k % 2 == 0 ? 0.875f : -1.0f;
    }
    const Int4Matrix b = Int4Matrix::from_transposed(w.view());
    multiply(a.view(), b, c.view(), {}, bench.workspace);
    expect_twin(a.view(), b, c.view());
  }
}

TEST(Int4ProductTest, AddsBiasThenActivatesThenAddsTheResidual) {
  Bench bench;
  Random random(4);
  const int m = 70, k = 45, n = 43;
  const LooseMatrix a(random, m, k), w(random, n, k), residual(random, m, n, 4, 1), plain(m, n), c(m, n, 2);
  const std::vector<float> bias = random_floats(random, n);
  const Int4Matrix b = Int4Matrix::from_transposed(w.view());
  multiply(a.view(), b, plain.view(), {}, bench.workspace);
  multiply(a.view(), b, c.view(), {bias.data(), Activation::kRelu, residual.view()}, bench.workspace);
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      const float sum = plain.view().row(row)[col] + bias[static_cast<std::size_t>(col)];
      ASSERT_EQ(c.view().row(row)[col], std::max(sum, 0.0f) + residual.view().row(row)[col]);
    }
  }
}

TEST(Int4ProductTest, ARowHasTheSameBitsAloneAndInABatch) {
  Random random(6);
  const int most = 9 + 64;
  for (int k : {1, 64, 601}) {
    for (int n : {1, 8, 17, 65, 300}) {
      const LooseMatrix a(random, most, k, 1, 1), w(random, n, k), alone(most, n);
      const Int4Matrix b = Int4Matrix::from_transposed(w.view());
      const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(n));
      const Epilogue epilogue = {bias.data(), Activation::kGelu};
      Bench one(1), three(3);
      for (int row = 0; row < most; ++row) {
        multiply(a.view().row_range(row, 1), b, alone.view().row_range(row, 1), epilogue, one.workspace);
      }
      for (int m : {1, 2, 3, 4, 5, 6, 7, 8, 9, most}) {
        const int first = random_int(random, 0, most - m);
        const LooseMatrix c(m, n, 3, 2);
        multiply(a.view().row_range(first, m), b, c.view(), epilogue, three.workspace);
        ASSERT_TRUE(same_bits(c.view(), alone.view().row_range(first, m))) << "m " << m << ", k " << k << ", n " << n;
      }
    }
  }
}

TEST(Int4ProductTest, ANonFiniteNumberAffectsOnlyItsRow) {
  Bench bench;
  Random random(7);
  const LooseMatrix w(random, 13, 35);
  const Int4Matrix b = Int4Matrix::from_transposed(w.view());
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    for (const int place : {0, 7, 34}) {
      const LooseMatrix a(random, 3, 35), clean(3, 13), c(3, 13);
      multiply(a.view(), b, clean.view(), {}, bench.workspace);
      a.view().row(1)[place] = bad;
      multiply(a.view(), b, c.view(), {}, bench.workspace);
      for (const int row : {0, 2}) EXPECT_TRUE(same_bits(c.view().row_range(row, 1), clean.view().row_range(row, 1)));
      for (int col = 0; col < 13; ++col) EXPECT_TRUE(std::isnan(c.view().row(1)[col]));
    }
  }
}

// The sum of squared errors of numbers whose scale is the greatest magnitude divided by `divisor`.
double naive_error(const std::vector<float>& group, double divisor) {
  double largest = 0, sum = 0;
  for (const float x : group) largest = std::max(largest, std::abs(double{x}));
  for (const float x : group) {
    const double scale = largest / divisor;
    const double error = x - std::clamp(std::nearbyint(x / scale), -8.0, 7.0) * scale;
    sum += error * error;
  }
  return sum;
}

// No scale that a naive search tries is better than the chosen one by more than rounding the scale to 8 bits explains.
TEST(Int4MatrixTest, ChoosesTheBestOfItsScales) {
  Random random(9);
  for (int k : {0, 1, 31, 32, 33, 100}) {
    const LooseMatrix w(random, 11, k, 2, 1);
    const Int4Matrix b = Int4Matrix::from_transposed(w.view());
    EXPECT_EQ(b.depth(), k);
    EXPECT_EQ(b.cols(), 11);
    std::vector<float> row(static_cast<std::size_t>(k));
    for (int i = 0; i < 11; ++i) {
      b.copy_column(i, row.data());
      const NaiveColumn column = stored_column(b, i);
      for (int begin = 0; begin < k; begin += 32) {
        const int end = std::min(begin + 32, k);
        double error = 0;
        for (int j = begin; j < end; ++j) {
          const auto at = static_cast<std::size_t>(j);
          ASSERT_EQ(row[at], static_cast<float>(column.integers[at]) * column.scales[at / 32]);
          error += std::pow(double{row[at]} - w.view().row(i)[j], 2);
        }
        const std::vector<float> group(w.view().row(i) + begin, w.view().row(i) + end);
        for (const double divisor : {7.0, 7.5, 8.0}) {
          const double step = column.scales[static_cast<std::size_t>(begin / 32)];
          EXPECT_LE(std::sqrt(error), std::sqrt(naive_error(group, divisor)) + 0.02 * step * std::sqrt(end - begin));
        }
      }
    }
  }
}

// A checkpoint in 4 bits is read as float32 and quantised again: no number may change, whatever integers a group has.
TEST(Int4MatrixTest, KeepsNumbersOf4Bits) {
  Random random(10);
  const int k = 333, n = 40;
  const LooseMatrix w(n, k);
  for (int row = 0; row < n; ++row) {
    for (int begin = 0; begin < k; begin += 32) {
      const float scale = from_bf16(static_cast<std::uint16_t>(random_int(random, 100 * 128, 150 * 128)));
      const int most = random_int(random, 0, 8);
      for (int i = begin; i < std::min(begin + 32, k); ++i) {
        w.view().row(row)[i] = static_cast<float>(random_int(random, -most, std::min(most, 7))) * scale;
      }
    }
  }
  const Int4Matrix b = Int4Matrix::from_transposed(w.view());
  std::vector<float> column(k);
  for (int row = 0; row < n; ++row) {
    b.copy_column(row, column.data());
    for (int i = 0; i < k; ++i) ASSERT_EQ(column[static_cast<std::size_t>(i)], w.view().row(row)[i]) << row << " " << i;
  }
}

TEST(Int4MatrixTest, TakesNumbersOfAnyMagnitude) {
  for (const float size : {0.0f, 1e-44f, 1e-38f, 1e-30f, 1e-20f, 1.0f, 1e20f, 3e38f}) {
    const LooseMatrix w(1, 2);
    w.view().row(0)[0] = size;
    w.view().row(0)[1] = -size;
    const Int4Matrix b = Int4Matrix::from_transposed(w.view());
    float column[2];
    b.copy_column(0, column);
    EXPECT_NEAR(column[0], size, 0.13f * size + 1e-32f);
    EXPECT_NEAR(column[1], -size, 0.13f * size + 1e-32f);
  }
}

TEST(Int4MatrixTest, IsTheSameInPieces) {
  Random random(11);
  const int k = 75, n = 21;
  const Tensor w = random_tensor(random, {n, k});
  const Int4Matrix whole = Int4Matrix::from_transposed(w.matrix());
  Int4Matrix pieces(k, n);
  for (std::size_t first = 0; first < w.size();) {
    const std::size_t count = std::min(static_cast<std::size_t>(random_int(random, 0, 200)), w.size() - first);
    pieces.store_transposed(first, {w.data() + first, count});
    first += count;
  }
  EXPECT_EQ(std::memcmp(whole.panels(0).first, pieces.panels(0).first, whole.bytes()), 0);
  EXPECT_EQ(pieces.largest(), whole.largest());
  Int4Matrix out_of_order(k, n);
  EXPECT_EQ(code_of([&] { out_of_order.store_transposed(1, {w.data(), 1}); }), ErrorCode::kInvalidArgument);
}

TEST(Int4MatrixTest, SelectsColumnsUnchanged) {
  Random random(12);
  const LooseMatrix w(random, 20, 50), chosen(3, 50);
  const int columns[] = {17, 0, 9};
  const std::unique_ptr<Matrix> selected = Int4Matrix::from_transposed(w.view()).select_columns(columns);
  for (int i = 0; i < 3; ++i) std::copy_n(w.view().row(columns[i]), 50, chosen.view().row(i));
  const Int4Matrix alone = Int4Matrix::from_transposed(chosen.view());
  ASSERT_EQ(selected->bytes(), alone.bytes());
  const void* blocks = static_cast<const Int4Matrix&>(*selected).panels(0).first;
  EXPECT_EQ(std::memcmp(alone.panels(0).first, blocks, alone.bytes()), 0);
}

TEST(Int4MatrixTest, TellsOfNumbersThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    Random random(13);
    const LooseMatrix w(random, 3, 40);
    w.view().row(1)[35] = bad;
    EXPECT_FALSE(std::isfinite(Int4Matrix::from_transposed(w.view()).largest()));
  }
}

TEST(Int4MatrixTest, TakesHalfTheMemoryOf8BitsAndAnEighthForScales) {
  const Int4Matrix b(512, 2048);
  EXPECT_EQ(b.bytes(), 512 * 2048 / 32 * 18);
}

TEST(QuantizeRowsTest, OffsetsAreMinus8TimesTheSumsOfGroups) {
  Bench bench;
  Random random(14);
  for (const int count : {1, 31, 32, 33, 100}) {
    const LooseMatrix x(random, 3, count);
    const QuantizedRows rows = quantize_rows(x.view(), RowFormat::kSigned8, bench.arena, bench.threads);
    EXPECT_EQ(rows.stride % 32, 0);
    const int groups = (count + 31) / 32;
    for (int row = 0; row < 3; ++row) {
      for (int group = 0; group < groups; ++group) {
        int sum = 0;
        for (int k = 32 * group; k < 32 * group + 32; ++k) {
          const int q = rows.row(row)[k];
          if (k >= count) {
            EXPECT_EQ(q, 0);
          } else {
            EXPECT_NEAR(q * rows.scales[row], x.view().row(row)[k], rows.scales[row] * 0.5001f);
          }
          sum += q;
        }
        EXPECT_EQ(rows.offsets[row * groups + group], -8 * sum);
      }
    }
  }
}

}  // namespace
}  // namespace transformer
