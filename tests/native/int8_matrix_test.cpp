// src/matrices/int8_matrix, its product and quantisation: against an exact twin in integers, for both dot product
// groups.
#include "matrices/int8_matrix.h"

#include <gmock/gmock.h>

#include <cmath>

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
using ::testing::HasSubstr;

constexpr DotGroup kGroups[] = {DotGroup::kPairs, DotGroup::kQuads};

std::size_t integer_bytes(const Int8Matrix& matrix) {
  return static_cast<std::size_t>(ceil_div(matrix.cols(), kIntegerPanel) * matrix.panels(0).stride);
}

// A row of activations as integers: x = (q - zero) * scale.
struct NaiveRow {
  std::vector<int> integers;
  int zero = 0;
  float scale = 0;
};

NaiveRow naive_quantize(const float* x, int count, DotGroup group) {
  NaiveRow row;
  float low = 0, high = 0;
  for (int k = 0; k < count; ++k) {
    low = std::min(low, x[k]);
    high = std::max(high, x[k]);
  }
  const int largest = largest_activation(row_format(group), count);
  const auto steps = static_cast<float>(largest);
  row.scale = group == DotGroup::kQuads ? high / steps - low / steps : std::max(high, -low) / steps;
  row.integers.assign(static_cast<std::size_t>(count), 0);
  if (row.scale == 0) return row;
  const float inverse = 1.0f / row.scale;
  if (group == DotGroup::kQuads) row.zero = static_cast<int>(std::nearbyint(-low * inverse));
  for (int k = 0; k < count; ++k) {
    const int q = static_cast<int>(std::nearbyint(x[k] * inverse)) + row.zero;
    row.integers[k] = std::min(q, largest);
  }
  return row;
}

// A row of W as integers, with a scale of 17 bits.
NaiveRow naive_weights(const float* w, int count) {
  NaiveRow row;
  float largest = 0;
  for (int k = 0; k < count; ++k) largest = std::max(largest, std::abs(w[k]));
  int exponent = 0;
  const float mantissa = std::frexp(largest / 127.0f, &exponent);
  row.scale = std::ldexp(std::floor(mantissa * 131072.0f + 0.5f), exponent - 17);
  for (int k = 0; k < count; ++k) {
    row.integers.push_back(row.scale > 0 ? static_cast<int>(std::nearbyint(w[k] / row.scale)) : 0);
  }
  return row;
}

float naive_product(const NaiveRow& a, const NaiveRow& b) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < a.integers.size(); ++k) {
    sum += static_cast<std::int64_t>(a.integers[k] - a.zero) * b.integers[k];
  }
  EXPECT_LT(std::abs(sum), std::int64_t{1} << 31);
  return static_cast<float>(sum) * (a.scale * b.scale);
}

void expect_twin(ConstView a, ConstView w, ConstView c, DotGroup group) {
  std::vector<NaiveRow> columns;
  for (int col = 0; col < w.rows; ++col) columns.push_back(naive_weights(w.row(col), w.cols));
  for (int row = 0; row < a.rows; ++row) {
    const NaiveRow quantized = naive_quantize(a.row(row), a.cols, group);
    for (int col = 0; col < w.rows; ++col) {
      ASSERT_EQ(c.row(row)[col], naive_product(quantized, columns[col]))
          << "m " << a.rows << ", k " << a.cols << ", n " << w.rows << " at " << row << ", " << col;
    }
  }
}

TEST(Int8ProductTest, MatchesTheTwinAtEverySmallSize) {
  Bench bench;
  Random random(1);
  for (const DotGroup group : kGroups) {
    for (int m : {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 33}) {
      for (int n : {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 40, 65}) {
        for (int k : {0, 1, 2, 3, 4, 5, 7, 16, 17, 70}) {
          const LooseMatrix a(random, m, k, random_int(random, 0, 5), random_int(random, 0, 5));
          const LooseMatrix w(random, n, k, random_int(random, 0, 5), random_int(random, 0, 5));
          const LooseMatrix c(m, n, random_int(random, 0, 5), random_int(random, 0, 5));
          multiply(a.view(), Int8Matrix::from_transposed(w.view(), group), c.view(), {}, bench.workspace);
          expect_twin(a.view(), w.view(), c.view(), group);
          ASSERT_TRUE(c.surroundings_untouched()) << "m " << m << ", n " << n << ", k " << k;
        }
      }
    }
  }
}

// More than one row task and panel task.
TEST(Int8ProductTest, MatchesTheTwinAtLargeSizesOnThreeThreads) {
  Bench bench(3);
  Random random(2);
  struct Size {
    int m, k, n;
  };
  for (const DotGroup group : kGroups) {
    for (const Size size : {Size{130, 70, 300}, Size{3, 5000, 40}, Size{70, 513, 257}, Size{1, 1025, 1000},
                            Size{1, 40, 2111}, Size{2, 40, 2111}, Size{5, 40, 2111}}) {
      const LooseMatrix a(random, size.m, size.k, 3, 1);
      const LooseMatrix w(random, size.n, size.k);
      const LooseMatrix c(size.m, size.n, 1, 3);
      multiply(a.view(), Int8Matrix::from_transposed(w.view(), group), c.view(), {}, bench.workspace);
      expect_twin(a.view(), w.view(), c.view(), group);
      EXPECT_TRUE(c.surroundings_untouched());
    }
  }
}

// The greatest possible sums, at the greatest depth.
TEST(Int8ProductTest, IsExactAtItsLimits) {
  Bench bench;
  Random random(3);
  for (const DotGroup group : kGroups) {
    for (const int depth : {512, 4096, Int8Matrix::kMaxDepth}) {
      for (const float sign : {-1.0f, 1.0f}) {
        const LooseMatrix a(2, depth), w(9, depth), c(2, 9);
        for (int k = 0; k < depth; ++k) {
          a.view().row(0)[k] = 3.0f;
          a.view().row(1)[k] = k % 2 == 0 ? 3.0f : -2.0f;
          for (int col = 0; col < 9; ++col) w.view().row(col)[k] = col % 3 == 0 ? sign : random_float(random);
        }
        multiply(a.view(), Int8Matrix::from_transposed(w.view(), group), c.view(), {}, bench.workspace);
        expect_twin(a.view(), w.view(), c.view(), group);
      }
    }
  }
}

TEST(Int8ProductTest, AddsBiasThenActivatesThenAddsTheResidual) {
  Bench bench;
  Random random(4);
  const int m = 70, k = 19, n = 43;
  const LooseMatrix a(random, m, k), w(random, n, k), residual(random, m, n, 4, 1);
  const std::vector<float> bias = random_floats(random, n);
  for (const DotGroup group : kGroups) {
    const Int8Matrix quantized = Int8Matrix::from_transposed(w.view(), group);
    const LooseMatrix plain(m, n), c(m, n, 2);
    multiply(a.view(), quantized, plain.view(), {}, bench.workspace);
    multiply(a.view(), quantized, c.view(), {bias.data(), Activation::kRelu, residual.view()}, bench.workspace);
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        const float sum = plain.view().row(row)[col] + bias[col];
        ASSERT_EQ(c.view().row(row)[col], std::max(sum, 0.0f) + residual.view().row(row)[col]);
      }
    }
  }
}

// The distance to the product in float32: each weight and each activation is off by at most half a step.
TEST(Int8ProductTest, StaysWithinTheQuantisationError) {
  Bench bench;
  Random random(5);
  const int m = 20, k = 300, n = 30;
  const LooseMatrix a(random, m, k), w(random, n, k), c(m, n);
  for (const DotGroup group : kGroups) {
    multiply(a.view(), Int8Matrix::from_transposed(w.view(), group), c.view(), {}, bench.workspace);
    for (int row = 0; row < m; ++row) {
      const float step_a = naive_quantize(a.view().row(row), k, group).scale;
      for (int col = 0; col < n; ++col) {
        const float step_w = naive_weights(w.view().row(col), k).scale;
        double exact = 0, bound = 0;
        for (int i = 0; i < k; ++i) {
          const double x = a.view().row(row)[i], y = w.view().row(col)[i];
          exact += x * y;
          // The greatest activation may be clipped by half a step more.
          bound += std::abs(x) * step_w / 2 + (std::abs(y) + step_w / 2) * step_a;
        }
        ASSERT_NEAR(c.view().row(row)[col], exact, bound * (1 + 1e-5));
      }
    }
  }
}

TEST(Int8ProductTest, ARowHasTheSameBitsAloneAndInABatch) {
  Random random(6);
  const int most = 9 + 64;
  for (const DotGroup group : kGroups) {
    for (int k : {1, 64, 601}) {
      for (int n : {1, 8, 17, 65, 300}) {
        const LooseMatrix a(random, most, k, 1, 1), w(random, n, k), alone(most, n);
        const Int8Matrix quantized = Int8Matrix::from_transposed(w.view(), group);
        const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(n));
        const Epilogue epilogue = {bias.data(), Activation::kGelu};
        Bench one(1), three(3);
        for (int row = 0; row < most; ++row) {
          multiply(a.view().row_range(row, 1), quantized, alone.view().row_range(row, 1), epilogue, one.workspace);
        }
        for (int m : {1, 2, 3, 4, 5, 6, 7, 8, 9, most}) {
          const int first = random_int(random, 0, most - m);
          const LooseMatrix c(m, n, 3, 2);
          multiply(a.view().row_range(first, m), quantized, c.view(), epilogue, three.workspace);
          ASSERT_TRUE(same_bits(c.view(), alone.view().row_range(first, m))) << "m " << m << ", k " << k << ", n " << n;
        }
      }
    }
  }
}

TEST(Int8ProductTest, ANonFiniteNumberAffectsOnlyItsRow) {
  Bench bench;
  Random random(7);
  const float infinity = std::numeric_limits<float>::infinity();
  const LooseMatrix w(random, 13, 35);
  for (const DotGroup group : kGroups) {
    const Int8Matrix quantized = Int8Matrix::from_transposed(w.view(), group);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
      for (const int place : {0, 7, 34}) {
        const LooseMatrix a(random, 3, 35), clean(3, 13), c(3, 13);
        multiply(a.view(), quantized, clean.view(), {}, bench.workspace);
        a.view().row(1)[place] = bad;
        multiply(a.view(), quantized, c.view(), {nullptr, Activation::kRelu}, bench.workspace);
        activate(Activation::kRelu, clean.view());
        for (const int row : {0, 2}) EXPECT_TRUE(same_bits(c.view().row_range(row, 1), clean.view().row_range(row, 1)));
        for (int col = 0; col < 13; ++col) EXPECT_TRUE(std::isnan(c.view().row(1)[col]));
      }
    }
  }
}

TEST(Int8ProductTest, AcceptsActivationsOfAnyMagnitude) {
  Bench bench;
  const LooseMatrix w(1, 2);
  w.view().row(0)[0] = 1;
  w.view().row(0)[1] = -0.5f;
  for (const DotGroup group : kGroups) {
    const Int8Matrix quantized = Int8Matrix::from_transposed(w.view(), group);
    for (const float size : {0.0f, 1e-40f, 1e-33f, 1e-20f, 1.0f, 1e20f, 1.5e38f, 3e38f}) {
      const LooseMatrix a(1, 2), c(1, 1);
      a.view().row(0)[0] = size;
      a.view().row(0)[1] = -size;
      multiply(a.view(), quantized, c.view(), {}, bench.workspace);
      const float exact = 1.5f * size;  // overflows to infinity in the last case
      if (std::isinf(exact)) {
        EXPECT_EQ(c.view().row(0)[0], exact);
      } else {
        EXPECT_NEAR(c.view().row(0)[0], exact, 0.02 * exact + 1e-32);
      }
    }
  }
}

// Zero stays zero, the whole range is used, and no error exceeds half a step.
TEST(QuantizeRowsTest, UsesTheWholeRangeOfARow) {
  Bench bench;
  Random random(8);
  for (const DotGroup group : kGroups) {
    for (const int count : {1, 3, 16, 17, 100}) {
      for (const auto& [low, high] :
           {std::pair{-1.0f, 1.0f}, {0.0f, 2.0f}, {-3.0f, 0.0f}, {5.0f, 6.0f}, {-0.1f, 9.0f}}) {
        const LooseMatrix x(1, count);
        for (int k = 0; k < count; ++k) x.view().row(0)[k] = random_float(random, low, high);
        x.view().row(0)[count / 2] = 0;
        const QuantizedRows rows = quantize_rows(x.view(), row_format(group), bench.arena, bench.threads);
        const int zero = rows.zeros[0];
        int smallest = 0, largest = 0;
        for (int k = 0; k < count; ++k) {
          const int q =
              group == DotGroup::kQuads ? rows.row(0)[k] : reinterpret_cast<const std::int16_t*>(rows.row(0))[k];
          smallest = std::min(smallest, q - zero);
          largest = std::max(largest, q - zero);
          EXPECT_GE(q, group == DotGroup::kQuads ? 0 : -32767);
          EXPECT_NEAR((q - zero) * rows.scales[0], x.view().row(0)[k], rows.scales[0] / 2 + 10 * kEpsilon);
        }
        if (count == 1) continue;
        if (group == DotGroup::kQuads) {
          EXPECT_GE(largest - smallest, 126);
        } else {
          EXPECT_EQ(std::max(largest, -smallest), 32767);
        }
      }
    }
  }
  EXPECT_EQ(largest_activation(RowFormat::kSigned16, 512), 32767);
  EXPECT_EQ(largest_activation(RowFormat::kSigned16, 4096), 4128);
  EXPECT_EQ(largest_activation(RowFormat::kSigned16, Int8Matrix::kMaxDepth), 127);
}

TEST(Int8MatrixTest, KeepsRowsToHalfAStepAndTheLargestExactly) {
  Random random(9);
  for (const DotGroup group : kGroups) {
    for (int k : {0, 1, 3, 4, 33}) {
      for (int n : {0, 1, 8, 17}) {
        const LooseMatrix w(random, n, k, 2, 1);
        const Int8Matrix quantized = Int8Matrix::from_transposed(w.view(), group);
        EXPECT_EQ(quantized.depth(), k);
        EXPECT_EQ(quantized.cols(), n);
        std::vector<float> row(static_cast<std::size_t>(k));
        for (int i = 0; i < n; ++i) {
          quantized.copy_column(i, row.data());
          const NaiveRow twin = naive_weights(w.view().row(i), k);
          for (int j = 0; j < k; ++j) {
            const auto at = static_cast<std::size_t>(j);
            ASSERT_EQ(row[at], static_cast<float>(twin.integers[at]) * twin.scale);
            ASSERT_NEAR(row[at], w.view().row(i)[j], twin.scale * 0.5001f);
          }
        }
      }
    }
  }
}

// A checkpoint in 8 bits is read as float32 and quantised again: the integers must not change.
TEST(Int8MatrixTest, IsIdempotent) {
  Random random(10);
  const int k = 333, n = 400;
  const LooseMatrix w(n, k), again(n, k);
  for (int row = 0; row < n; ++row) {
    const float size = std::exp(random_float(random, -30.0f, 30.0f));
    for (int col = 0; col < k; ++col) w.view().row(row)[col] = random_float(random, -size, size);
  }
  const Int8Matrix once = Int8Matrix::from_transposed(w.view(), DotGroup::kQuads);
  for (int row = 0; row < n; ++row) once.copy_column(row, again.view().row(row));
  const Int8Matrix twice = Int8Matrix::from_transposed(again.view(), DotGroup::kQuads);
  ASSERT_EQ(std::memcmp(once.panels(0).first, twice.panels(0).first, integer_bytes(once)), 0);
  for (int row = 0; row < n; ++row) {
    EXPECT_EQ(once.panels(0).sums[row], twice.panels(0).sums[row]);
    const auto at = static_cast<std::size_t>(row);
    EXPECT_EQ(twice.scales()[at], once.scales()[at]);
  }
}

TEST(Int8MatrixTest, IsTheSameInPieces) {
  Random random(11);
  const int k = 19, n = 21;
  const Tensor w = random_tensor(random, {n, k});
  const Int8Matrix whole = Int8Matrix::from_transposed(w.matrix(), DotGroup::kPairs);
  Int8Matrix pieces(k, n, DotGroup::kPairs);
  for (std::size_t first = 0; first < w.size();) {
    const std::size_t count = std::min(static_cast<std::size_t>(random_int(random, 0, 50)), w.size() - first);
    pieces.store_transposed(first, {w.data() + first, count});
    first += count;
  }
  EXPECT_EQ(std::memcmp(whole.panels(0).first, pieces.panels(0).first, integer_bytes(whole)), 0);
  EXPECT_TRUE(std::equal(whole.scales().begin(), whole.scales().end(), pieces.scales().begin()));
  Int8Matrix out_of_order(k, n, DotGroup::kPairs);
  EXPECT_EQ(code_of([&] { out_of_order.store_transposed(1, {w.data(), 1}); }), ErrorCode::kInvalidArgument);
}

TEST(Int8MatrixTest, SelectsColumnsUnchanged) {
  Random random(12);
  const LooseMatrix w(random, 20, 19), chosen(3, 19);
  const int columns[] = {17, 0, 9};
  for (const DotGroup group : kGroups) {
    const Int8Matrix all = Int8Matrix::from_transposed(w.view(), group);
    const std::unique_ptr<Matrix> matrix = all.select_columns(columns);
    const auto& selected = static_cast<const Int8Matrix&>(*matrix);
    std::vector<float> expected(19), actual(19);
    for (int i = 0; i < 3; ++i) {
      all.copy_column(columns[i], expected.data());
      selected.copy_column(i, actual.data());
      EXPECT_EQ(actual, expected);
      EXPECT_EQ(selected.panels(0).sums[i], all.panels(0).sums[columns[i]]);
      std::copy_n(w.view().row(columns[i]), 19, chosen.view().row(i));
    }
    const Int8Matrix alone = Int8Matrix::from_transposed(chosen.view(), group);
    EXPECT_EQ(std::memcmp(alone.panels(0).first, selected.panels(0).first, integer_bytes(alone)), 0);
  }
}

TEST(Int8MatrixTest, RefusesADepthWhoseSumsCouldOverflow) {
  const Error error = error_of([] { Int8Matrix(Int8Matrix::kMaxDepth + 1, 1, DotGroup::kQuads); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("133144"));
}

}  // namespace
}  // namespace transformer
