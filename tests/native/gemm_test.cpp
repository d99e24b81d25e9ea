// src/kernels/gemm: the product against its twin, and that no row or column depends on the others.
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include "kernels/activation.h"
#include "matrices/product.h"
#include "support/bench.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

Tensor transposed(ConstView b) {
  Tensor w({b.cols, b.rows});
  for (int row = 0; row < b.rows; ++row) {
    for (int col = 0; col < b.cols; ++col) w.matrix().row(col)[row] = b.row(row)[col];
  }
  return w;
}

void expect_product(ConstView a, ConstView b, ConstView c) {
  for (int row = 0; row < c.rows; ++row) {
    for (int col = 0; col < c.cols; ++col) {
      const Sum exact = naive_product(a, b, row, col);
      ASSERT_NEAR(c.row(row)[col], exact.value, (a.cols + 2) * kEpsilon * exact.magnitude)
          << "m " << a.rows << ", k " << a.cols << ", n " << b.cols << " at " << row << ", " << col;
    }
  }
}

TEST(GemmTest, MatchesTheTwinAtEverySmallSize) {
  ThreadPool threads(1);
  Random random(1);
  for (int m : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 33}) {
    for (int n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 47, 63, 64, 65, 70}) {
      for (int k : {0, 1, 2, 3, 8, 17, 70}) {
        const LooseMatrix a(random, m, k, random_int(random, 0, 5), random_int(random, 0, 5));
        const LooseMatrix b(random, k, n, random_int(random, 0, 5), random_int(random, 0, 5));
        const LooseMatrix c(m, n, random_int(random, 0, 5), random_int(random, 0, 5));
        multiply(a.view(), FloatMatrix::from_rows(b.view()), c.view(), {}, threads);
        expect_product(a.view(), b.view(), c.view());
        ASSERT_TRUE(c.surroundings_untouched()) << "m " << m << ", n " << n << ", k " << k;
      }
    }
  }
}

// More than one depth block, row task and panel task.
TEST(GemmTest, MatchesTheTwinAtLargeSizes) {
  ThreadPool threads(2);
  Random random(2);
  struct Size {
    int m, k, n;
  };
  for (const Size size : {Size{130, 70, 300}, Size{3, 1500, 40}, Size{70, 513, 257}, Size{1, 1025, 1000},
                          Size{1, 40, 2111}, Size{2, 40, 2111}, Size{5, 40, 2111}}) {
    const LooseMatrix a(random, size.m, size.k, 3, 1);
    const LooseMatrix b(random, size.k, size.n);
    const LooseMatrix c(size.m, size.n, 1, 3);
    multiply(a.view(), FloatMatrix::from_rows(b.view()), c.view(), {}, threads);
    expect_product(a.view(), b.view(), c.view());
    EXPECT_TRUE(c.surroundings_untouched());
  }
}

TEST(GemmTest, IsExactOnSmallIntegers) {
  ThreadPool threads(1);
  Random random(3);
  const LooseMatrix a(11, 600);
  const LooseMatrix b(600, 37);
  for (const LooseMatrix* matrix : {&a, &b}) {
    for (int row = 0; row < matrix->view().rows; ++row) {
      for (int col = 0; col < matrix->view().cols; ++col) {
        matrix->view().row(row)[col] = static_cast<float>(random_int(random, -8, 8));
      }
    }
  }
  const LooseMatrix c(11, 37);
  multiply(a.view(), FloatMatrix::from_rows(b.view()), c.view(), {}, threads);
  for (int row = 0; row < 11; ++row) {
    for (int col = 0; col < 37; ++col) {
      EXPECT_EQ(c.view().row(row)[col], naive_product(a.view(), b.view(), row, col).value);
    }
  }
}

TEST(GemmTest, AddsBiasThenActivatesThenAddsTheResidual) {
  ThreadPool threads(1);
  Random random(4);
  const int m = 70, k = 19, n = 43;
  const LooseMatrix a(random, m, k);
  const LooseMatrix b(random, k, n);
  const LooseMatrix residual(random, m, n, 4, 1);
  const std::vector<float> bias = random_floats(random, n);
  const FloatMatrix packed = FloatMatrix::from_rows(b.view());
  const LooseMatrix c(m, n);
  multiply(a.view(), packed, c.view(), {bias.data(), Activation::kRelu, residual.view()}, threads);
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      const Sum sum = naive_product(a.view(), b.view(), row, col);
      const double added = residual.view().row(row)[col];
      const double exact = std::max(sum.value + bias[col], 0.0) + added;
      // Two more roundings: of the bias and of the residual.
      const double bound = (k + 2) * kEpsilon * (sum.magnitude + 1) + kEpsilon * (std::abs(exact) + 1);
      ASSERT_NEAR(c.view().row(row)[col], exact, bound);
    }
  }
}

// The basis of "the same bits in any batch": a row alone, and at any place in a batch of any size.
TEST(GemmTest, ARowHasTheSameBitsAloneAndInABatch) {
  Random random(5);
  const int most = 9 + 64;
  for (int k : {1, 5, 64, 600}) {
    for (int n : {1, 7, 8, 15, 16, 17, 33, 64, 65, 130, 300}) {
      const LooseMatrix a(random, most, k, 1, 1);
      const LooseMatrix b(random, k, n);
      const FloatMatrix packed = FloatMatrix::from_rows(b.view());
      const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(n));
      const LooseMatrix alone(most, n);
      ThreadPool one(1);
      for (int row = 0; row < most; ++row) {
        multiply(a.view().row_range(row, 1), packed, alone.view().row_range(row, 1), {bias.data(), Activation::kGelu},
                 one);
      }
      ThreadPool three(3);
      for (int m : {1, 2, 3, 4, 5, 6, 7, 8, 9, most}) {
        const int first = random_int(random, 0, most - m);
        const LooseMatrix c(m, n, 3, 2);
        multiply(a.view().row_range(first, m), packed, c.view(), {bias.data(), Activation::kGelu}, three);
        ASSERT_TRUE(same_bits(c.view(), alone.view().row_range(first, m))) << "m " << m << ", k " << k << ", n " << n;
      }
    }
  }
}

// The same for columns.
TEST(GemmTest, AColumnHasTheSameBitsAloneAndBesideOthers) {
  ThreadPool threads(1);
  Random random(6);
  const int m = 6, k = 77, n = 70;
  const LooseMatrix a(random, m, k);
  const LooseMatrix b(random, k, n);
  const LooseMatrix all(m, n);
  multiply(a.view(), FloatMatrix::from_rows(b.view()), all.view(), {}, threads);
  for (int first : {0, 1, 15, 16, 33, 69}) {
    for (int count : {1, 2, 17, n - first}) {
      if (first + count > n) continue;
      const LooseMatrix some(m, count);
      multiply(a.view(), FloatMatrix::from_rows(b.view().column_range(first, count)), some.view(), {}, threads);
      EXPECT_TRUE(same_bits(some.view(), all.view().column_range(first, count))) << first << ", " << count;
    }
  }
}

// What is fetched from memory first is multiplied in smaller blocks.
TEST(GemmTest, TheDistanceOfBChangesNoBits) {
  Random random(16);
  for (int k : {1, 3, 511, 512, 513, 1100}) {
    for (int n : {1, kPanel - 1, 3 * kPanel, 8 * kPanel, 8 * kPanel + 1, 17 * kPanel + 5}) {
      const LooseMatrix b(random, k, n);
      const FloatMatrix packed = FloatMatrix::from_rows(b.view());
      for (int m : {1, 2, 6, 7, 20, 64}) {
        const LooseMatrix a(random, m, k, 1, 3), near(m, n, 2, 1), far(m, n, 3, 5);
        gemm_block(a.view(), packed.panels(0), near.view(), Distance::kNear);
        gemm_block(a.view(), packed.panels(0), far.view(), Distance::kFar);
        ASSERT_TRUE(same_bits(far.view(), near.view())) << "m " << m << ", k " << k << ", n " << n;
        ASSERT_TRUE(far.surroundings_untouched());
      }
    }
  }
}

// A matrix that is too large for the caches, by the rows that it is multiplied with.
TEST(GemmTest, ARowHasTheSameBitsWithAMatrixOfMegabytes) {
  Random random(17);
  const int k = 600, n = 900, most = 66;
  const LooseMatrix a(random, most, k, 1, 1);
  const FloatMatrix packed = FloatMatrix::from_rows(LooseMatrix(random, k, n).view());
  ASSERT_GE(packed.bytes(), std::size_t{2} << 20);
  const auto multiply_last = [&](View c) {
    Bench bench(2);
    const RowsProduct products[] = {{&packed, c}};
    multiply_together(a.view().row_range(most - c.rows, c.rows), products, bench.workspace);
  };
  const LooseMatrix all(most, n);
  multiply_last(all.view());
  for (int rows : {1, 5, 6, 20, 64, 65}) {
    const LooseMatrix some(rows, n);
    multiply_last(some.view());
    EXPECT_TRUE(same_bits(some.view(), all.view().row_range(most - rows, rows))) << rows << " rows";
  }
}

TEST(FloatMatrixTest, HoldsTheSameNumbersFromRowsAndTransposed) {
  ThreadPool threads(1);
  Random random(7);
  for (int k : {0, 1, 5, 33}) {
    for (int n : {0, 1, 7, 16, 17, 40}) {
      const LooseMatrix b(random, k, n, 2, 1);
      const FloatMatrix from_rows = FloatMatrix::from_rows(b.view());
      const FloatMatrix from_transposed = FloatMatrix::from_transposed(transposed(b.view()).matrix());
      for (const FloatMatrix* packed : {&from_rows, &from_transposed}) {
        EXPECT_EQ(packed->depth(), k);
        EXPECT_EQ(packed->cols(), n);
        EXPECT_EQ(packed->bytes(), sizeof(float) * panel_count(n) * kPanel * k);
        std::vector<float> column(static_cast<std::size_t>(k));
        for (int col = 0; col < n; ++col) {
          packed->copy_column(col, column.data());
          for (int row = 0; row < k; ++row) ASSERT_EQ(column[row], b.view().row(row)[col]);
        }
        for (int col = n; col < panel_count(n) * kPanel; ++col) {
          for (int row = 0; row < k; ++row) {
            ASSERT_EQ(packed->panels(col / kPanel).first[row * kPanel + col % kPanel], 0.0f)
                << "missing columns are zero";
          }
        }
      }
    }
  }
}

TEST(GemmPanelsTest, RowsOfSeveralHeadsHaveTheSameBitsAsAlone) {
  Random random(19);
  for (const auto& [count, depth, panels] : std::vector<std::array<int, 3>>{
           {4, 1, 1}, {4, 5, 3}, {4, 64, 8}, {3, 1, 3}, {3, 64, 8}, {2, 5, 1}, {2, 64, 3}}) {
    const int n = panels * kPanel;
    const LooseMatrix a(random, count, depth, 1, 3);
    const LooseMatrix expected(count, n, 1, 1), found(count, n, 3, 2);
    std::vector<FloatMatrix> factors;
    for (int strip = 0; strip < count; ++strip) {
      factors.push_back(FloatMatrix::from_rows(LooseMatrix(random, depth, n).view()));
    }
    for (bool accumulate : {false, true}) {
      RowStrips rows = {{}, count, factors[0].panels(0).stride, panels, depth};
      for (int strip = 0; strip < count; ++strip) {
        const View row = expected.view().row_range(strip, 1);
        gemm_panels(a.view().row_range(strip, 1), factors[strip].panels(0), row, accumulate);
        rows.strips[strip] = {a.view().row(strip), factors[strip].panels(0).first, found.view().row(strip)};
      }
      gemm_row_strips(rows, accumulate);
      EXPECT_TRUE(same_bits(found.view(), expected.view())) << count << " of " << depth << " x " << n;
    }
    EXPECT_TRUE(found.surroundings_untouched());
  }
}

TEST(GemmPanelsTest, AccumulatesIntoTheResult) {
  Random random(8);
  const int k = 20, n = 3 * kPanel;
  const LooseMatrix b(random, k, n);
  const FloatMatrix packed = FloatMatrix::from_rows(b.view());
  for (int m : {0, 1, 2, 3, 4, 5, 33}) {
    const LooseMatrix a(random, m, k, 1, 3);
    const LooseMatrix whole(m, n, 0, 1);
    gemm_panels(a.view(), packed.panels(0), whole.view(), false);
    expect_product(a.view(), b.view(), whole.view());
    const LooseMatrix in_two(m, n, 5, 2);
    gemm_panels(a.view().column_range(0, 7), packed.panels(0), in_two.view(), false);
    gemm_panels(a.view().column_range(7, k - 7), {packed.panels(0).first + 7 * kPanel, packed.panels(0).stride},
                in_two.view(), true);
    EXPECT_TRUE(same_bits(whole.view(), in_two.view())) << "a sum in two pieces is the same sum";
    EXPECT_TRUE(in_two.surroundings_untouched());
  }
}

}  // namespace
}  // namespace transformer
