// base/half, base/half_matrix and their product: the same bits as float32 with the same numbers.
#include "matrices/half_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/activation.h"
#include "support/bench.h"
#include "support/naive.h"
#include "support/product.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

constexpr HalfType kTypes[] = {HalfType::kBf16, HalfType::kF16};
constexpr int kCodes = 1 << 16;

// All numbers of the type that are finite, or all.
std::vector<float> all_numbers(HalfType type, bool finite) {
  std::vector<float> numbers;
  for (int code = 0; code < kCodes; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    const float number = type == HalfType::kBf16 ? from_bf16(bits) : from_f16(bits);
    if (!finite || std::isfinite(number)) numbers.push_back(number);
  }
  return numbers;
}

// A matrix [rows, cols] of numbers of the type: most of them like weights, some zero, subnormal or extreme; without
// great ones in every other matrix.
Tensor random_halves(Random& random, int rows, int cols, HalfType type) {
  const bool has_great = random_int(random, 0, 1) == 0;
  static const std::vector<float> finite[] = {all_numbers(HalfType::kBf16, true), all_numbers(HalfType::kF16, true)};
  const std::vector<float>& numbers = finite[type == HalfType::kBf16 ? 0 : 1];
  Tensor matrix({rows, cols});
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    float number = numbers[random_int(random, 0, static_cast<int>(numbers.size()) - 1)];
    // Of bfloat16 all but the greatest, whose products would be infinite.
    if (std::abs(number) > 0x1p60f) number *= 0x1p-100f;
    if (!has_great && std::abs(number) >= 128.0f) number = 0.0f;
    matrix.data()[i] = number;
  }
  return matrix;
}

TEST(HalfTest, WidensExactly) {
  EXPECT_EQ(from_bf16(0x3f80), 1.0f);
  EXPECT_EQ(from_bf16(0x0001), 0x1p-133f);
  EXPECT_EQ(from_f16(0x3c00), 1.0f);
  EXPECT_EQ(from_f16(0xc500), -5.0f);
  EXPECT_EQ(from_f16(0x7bff), 65504.0f);
  EXPECT_EQ(from_f16(0x0400), 0x1p-14f);
  EXPECT_EQ(from_f16(0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(from_f16(0x8001), -0x1p-24f);
  EXPECT_TRUE(std::signbit(from_f16(0x8000)));
  EXPECT_EQ(from_f16(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(from_f16(0x7e00)));
}

TEST(HalfCodeTest, HoldsEveryFiniteNumber) {
  for (const HalfType type : kTypes) {
    for (const float number : all_numbers(type, true)) {
      for (const HalfCode code : {HalfCode::for_weights(type), HalfCode::for_all(type)}) {
        if (code.scale == 0x1p102f && std::abs(number) >= 128) continue;
        const float held = code.number(code.code(number));
        ASSERT_EQ(std::bit_cast<std::uint32_t>(held), std::bit_cast<std::uint32_t>(number)) << number;
      }
    }
  }
}

TEST(HalfCodeTest, HasNoSubnormalNumbersForWeights) {
  const HalfCode code = HalfCode::for_weights(HalfType::kF16);
  for (const float number : all_numbers(HalfType::kF16, true)) {
    ASSERT_TRUE(std::abs(number) >= 128 || number == 0 || std::isnormal(number / code.scale)) << number;
  }
}

// Weights first, and later, in another piece, a number that needs the other code.
TEST(HalfMatrixTest, HoldsNumbersOfEveryMagnitude) {
  const std::vector<float> weights = {0.5f, -0x1p-24f, 0.0f, -127.9375f}, great = {128.0f, -65504.0f};
  HalfMatrix matrix(3, 2, HalfType::kF16);
  matrix.store_transposed(0, weights);
  EXPECT_EQ(matrix.code().scale, HalfCode::for_weights(HalfType::kF16).scale);
  matrix.store_transposed(weights.size(), great);
  EXPECT_EQ(matrix.code().scale, HalfCode::for_all(HalfType::kF16).scale);
  std::vector<float> columns(6);
  for (const int col : {0, 1}) matrix.copy_column(col, columns.data() + 3 * col);
  EXPECT_EQ(columns, (std::vector<float>{0.5f, -0x1p-24f, 0.0f, -127.9375f, 128.0f, -65504.0f}));
}

TEST(HalfMatrixTest, GivesBackItsColumnsAndSelectsThem) {
  Random random(1);
  for (const HalfType type : kTypes) {
    for (const int n : {1, 7, 8, 9, 16, 33, 70}) {
      const Tensor w = random_halves(random, n, 19, type);
      const HalfMatrix matrix = HalfMatrix::from_transposed(w.matrix(), type);
      const int chosen[] = {n - 1, 0, n / 2};
      const std::unique_ptr<Matrix> selected = matrix.select_columns(chosen);
      EXPECT_EQ(selected->cols(), 3);
      for (int col = 0; col < n; ++col) {
        Tensor column({1, 19});
        matrix.copy_column(col, column.data());
        EXPECT_TRUE(same_bits(column.matrix(), w.matrix().row_range(col, 1)));
      }
      for (int i = 0; i < 3; ++i) {
        Tensor column({1, 19});
        selected->copy_column(i, column.data());
        EXPECT_TRUE(same_bits(column.matrix(), w.matrix().row_range(chosen[i], 1)));
      }
    }
  }
}

TEST(HalfMatrixTest, IsTheSameInPiecesAndTakesHalfOfTheMemory) {
  Random random(2);
  const Tensor w = random_halves(random, 40, 32, HalfType::kF16);
  const HalfMatrix whole = HalfMatrix::from_transposed(w.matrix(), HalfType::kF16);
  HalfMatrix pieces(32, 40, HalfType::kF16);
  std::size_t first = 0;
  for (const std::size_t count : {1, 30, 33, 100, 1116}) {
    pieces.store_transposed(first, {w.data() + first, count});
    first += count;
  }
  ASSERT_EQ(first, w.size());
  EXPECT_EQ(std::memcmp(whole.panels(0).first, pieces.panels(0).first, whole.bytes()), 0);
  EXPECT_EQ(whole.largest(), pieces.largest());
  EXPECT_EQ(2 * whole.bytes(), FloatMatrix::from_transposed(w.matrix()).bytes());
}

TEST(HalfMatrixTest, KnowsWhetherAllNumbersAreFinite) {
  for (const HalfType type : kTypes) {
    HalfMatrix matrix(3, 2, type);
    EXPECT_EQ(matrix.largest(), 0.0f);
    matrix.store_transposed(0, std::vector<float>{1.0f, -2.0f});
    EXPECT_EQ(matrix.largest(), 2.0f);
    matrix.store_transposed(2, std::vector<float>{-INFINITY});
    EXPECT_EQ(matrix.largest(), INFINITY);
    matrix.store_transposed(3, std::vector<float>{NAN, 1.0f, 0.0f});
    EXPECT_TRUE(std::isnan(matrix.largest()));
  }
}

// One row and several: the kernel widens in registers, or a slice at once.
TEST(HalfGemmTest, WidensEveryNumberExactly) {
  Bench bench(1);
  for (const HalfType type : kTypes) {
    const std::vector<float> numbers = all_numbers(type, type == HalfType::kF16);
    Tensor w({count_of(numbers), 1});
    std::copy(numbers.begin(), numbers.end(), w.data());
    for (const int m : {1, 2, 5, 9}) {
      Tensor a({m, 1});
      for (int row = 0; row < m; ++row) a.data()[row] = row % 2 == 0 ? 1.0f : -1.0f;
      Tensor expected({m, w.matrix().rows}), actual({m, w.matrix().rows});
      multiply(a.matrix(), FloatMatrix::from_transposed(w.matrix()), expected.matrix(), {}, bench.workspace);
      multiply(a.matrix(), HalfMatrix::from_transposed(w.matrix(), type), actual.matrix(), {}, bench.workspace);
      for (int row = 0; row < m; ++row) {
        for (int col = 0; col < expected.matrix().cols; ++col) {
          const float x = expected.matrix().row(row)[col], y = actual.matrix().row(row)[col];
          ASSERT_TRUE(std::isnan(x) ? std::isnan(y)
                                    : std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y))
              << "m " << m << ", number " << numbers[col] << ": " << y;
        }
      }
    }
  }
}

TEST(HalfGemmTest, HasTheBitsOfFloat32AtEverySize) {
  Bench bench(3);
  Random random(3);
  for (const HalfType type : kTypes) {
    for (const int k : {0, 1, 3, 17, 70, 256, 257, 600}) {
      for (const int n : {0, 1, 7, 8, 9, 17, 33, 64, 65, 130}) {
        const Tensor w = random_halves(random, n, k, type);
        const FloatMatrix wide = FloatMatrix::from_transposed(w.matrix());
        const HalfMatrix half = HalfMatrix::from_transposed(w.matrix(), type);
        const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(n));
        for (const int m : {0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 65, 130}) {
          const LooseMatrix a(random, m, k, random_int(random, 0, 5), random_int(random, 0, 5));
          const LooseMatrix residual(random, m, n, 4, 1);
          const LooseMatrix expected(m, n);
          const LooseMatrix actual(m, n, random_int(random, 0, 5), random_int(random, 0, 5));
          const Epilogue epilogue = {bias.data(), Activation::kRelu, residual.view()};
          multiply(a.view(), wide, expected.view(), epilogue, bench.workspace);
          multiply(a.view(), half, actual.view(), epilogue, bench.workspace);
          ASSERT_TRUE(same_bits(actual.view(), expected.view())) << "m " << m << ", n " << n << ", k " << k;
          ASSERT_TRUE(actual.surroundings_untouched()) << "m " << m << ", n " << n << ", k " << k;
        }
      }
    }
  }
}

// The scale of the codes may be multiplied with factors, of which the greatest would become infinite.
TEST(HalfGemmTest, HasTheBitsOfFloat32ForFactorsOfEveryMagnitude) {
  Bench bench;
  Random random(4);
  for (const HalfType type : kTypes) {
    for (const float size : {0x1p-145f, 0x1p-60f, 0x1p15f, 0x1p18f, 0x1p25f, 0x1p27f, 0x1p60f}) {
      const Tensor w = random_halves(random, 40, 33, type);
      for (const int m : {1, 2, 3}) {
        const Tensor a = random_tensor(random, {m, 33}, -size, size);
        Tensor expected({m, 40}), actual({m, 40});
        multiply(a.matrix(), FloatMatrix::from_transposed(w.matrix()), expected.matrix(), {}, bench.workspace);
        multiply(a.matrix(), HalfMatrix::from_transposed(w.matrix(), type), actual.matrix(), {}, bench.workspace);
        ASSERT_TRUE(same_bits(actual.matrix(), expected.matrix())) << "m " << m << ", factors of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace transformer
