// src/weights/quantization: a file gets the integers and scales with which the engine computes.
#include "weights/quantization.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "support/errors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

std::vector<std::uint8_t> bytes_of_floats(const Tensor& tensor) {
  std::vector<std::uint8_t> bytes(tensor.size() * sizeof(float));
  std::memcpy(bytes.data(), tensor.data(), bytes.size());
  return bytes;
}

// Row by row as a reader of the file widens it.
std::vector<float> widened(const QuantizedNumbers& numbers, int columns, int row, Dtype dtype) {
  std::vector<float> widened;
  const auto at = [&](int k) { return static_cast<std::size_t>(row) * columns + k; };
  const int groups = ceil_div(columns, 32);
  for (int k = 0; k < columns; ++k) {
    if (dtype == Dtype::kInt8) {
      float scale;
      std::memcpy(&scale, numbers.scales.data() + row * sizeof scale, sizeof scale);
      widened.push_back(static_cast<float>(static_cast<std::int8_t>(numbers.integers[at(k)])) * scale);
    } else {
      std::uint16_t scale;
      std::memcpy(&scale, numbers.scales.data() + (row * groups + k / 32) * sizeof scale, sizeof scale);
      const int both = numbers.integers[at(k) / 2];
      widened.push_back(static_cast<float>((k % 2 == 0 ? both & 15 : both >> 4) - 8) * from_bf16(scale));
    }
  }
  return widened;
}

TEST(QuantizationTest, GivesTheNumbersOfTheEngine) {
  Random random(1);
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kInt4}) {
    for (const int columns : {8, 32, 40, 264}) {
      const int rows = 19;
      Tensor w = random_tensor(random, {rows, columns});
      std::fill_n(w.matrix().row(7), columns, 0.0f);
      const auto purpose = MatrixPurpose::kFactor;
      const QuantizedRowsOfWeights given = quantize(bytes_of_floats(w), StoredType::kF32, columns, dtype, purpose);
      EXPECT_TRUE(given.finite);
      const std::unique_ptr<Matrix> matrix = make_matrix(dtype, {purpose}, columns, rows);
      matrix->store_transposed(0, {w.data(), w.size()});
      QuantizationError error;
      for (int row = 0; row < rows; ++row) {
        std::vector<float> expected(static_cast<std::size_t>(columns));
        matrix->copy_column(row, expected.data());
        ASSERT_EQ(widened(given.numbers, columns, row, dtype), expected);
        for (int k = 0; k < columns; ++k) {
          const double weight = w.matrix().row(row)[k], difference = weight - expected[static_cast<std::size_t>(k)];
          error.largest = std::max(error.largest, std::abs(difference));
          error.squares += difference * difference;
          error.of_squares += weight * weight;
        }
      }
      EXPECT_EQ(given.error.largest, error.largest);
      EXPECT_EQ(given.error.squares, error.squares);
      EXPECT_EQ(given.error.of_squares, error.of_squares);
    }
  }
}

// Readers refuse a scale of 0 beside integers of 8 bits.
TEST(QuantizationTest, GivesARowOfZerosTheScale1) {
  const QuantizedRowsOfWeights zeros =
      quantize(bytes_of_floats(Tensor::zeros({1, 8})), StoredType::kF32, 8, Dtype::kInt8, MatrixPurpose::kFactor);
  float scale;
  std::memcpy(&scale, zeros.numbers.scales.data(), sizeof scale);
  EXPECT_EQ(scale, 1.0f);
}

TEST(QuantizationTest, TellsOfNumbersThatAreNotFinite) {
  Random random(2);
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kInt4}) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      Tensor w = random_tensor(random, {3, 40});
      w.data()[70] = bad;
      EXPECT_FALSE(quantize(bytes_of_floats(w), StoredType::kF32, 40, dtype, MatrixPurpose::kFactor).finite);
    }
  }
}

TEST(QuantizationTest, RefusesPartialRowsAndTypesThatAreNotIntegers) {
  const std::vector<std::uint8_t> bytes(48);
  const auto code = [&](int columns, Dtype dtype) {
    return code_of([&] { quantize(bytes, StoredType::kF32, columns, dtype, MatrixPurpose::kFactor); });
  };
  EXPECT_EQ(code(5, Dtype::kInt8), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(0, Dtype::kInt8), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(4, Dtype::kF32), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(4, Dtype::kAuto), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace transformer
