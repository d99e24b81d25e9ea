// src/kernels for rows as long as a vocabulary: online softmax and top-k, against their twins.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "kernels/online_softmax.h"
#include "kernels/top_k.h"
#include "support/bench.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kLengths[] = {1, 2, 7, 8, 9, 255, 256, 257, 2047, 2048, 2049, 4096, 8191, 32003};

// Some rows have whole blocks of -inf, some have only one finite element.
std::vector<float> random_row(Random& random, int length) {
  std::vector<float> row = random_floats(random, static_cast<std::size_t>(length), -20.0f, 20.0f);
  const int first = random_int(random, 0, length - 1);
  if (random_int(random, 0, 2) == 0) std::fill(row.begin(), row.begin() + first, -kInfinity);
  if (random_int(random, 0, 2) == 0) std::fill(row.begin() + first + 1, row.end(), -kInfinity);
  return row;
}

TEST(OnlineSoftmaxTest, MatchesTheTwin) {
  Random random(5);
  Bench bench, threaded(3);
  for (int length : kLengths) {
    for (int round = 0; round < 10; ++round) {
      const int rows = random_int(random, 1, 4);
      Tensor x({rows, length}), y({rows, length});
      for (int row = 0; row < rows; ++row) {
        const std::vector<float> values = random_row(random, length);
        std::copy(values.begin(), values.end(), x.matrix().row(row));
        std::copy(values.begin(), values.end(), y.matrix().row(row));
      }
      std::vector<RowSummary> summaries(static_cast<std::size_t>(rows)), others(summaries);
      summarize_rows(x.matrix(), summaries, bench.workspace);
      summarize_rows(x.matrix(), others, threaded.workspace);
      log_softmax_rows(y.matrix(), summaries, threaded.workspace);
      for (int row = 0; row < rows; ++row) {
        const float* values = x.matrix().row(row);
        const RowSummary& summary = summaries[row];
        const std::vector<double> expected = naive_log_softmax({values, values + length});
        EXPECT_EQ(summary.best, std::max_element(values, values + length) - values);
        EXPECT_EQ(summary.maximum, values[summary.best]);
        EXPECT_EQ(summary.normalizer, others[row].normalizer);
        for (int col = 0; col < length; ++col) {
          const double exact = expected[col];
          ASSERT_EQ(y.matrix().row(row)[col], summary.log_probability(values[col]));
          if (std::isinf(exact)) {
            ASSERT_EQ(y.matrix().row(row)[col], -kInfinity);
          } else {
            // Two roundings at a magnitude of at most 40 + log 32003, and those of the sum over lanes and blocks.
            ASSERT_NEAR(y.matrix().row(row)[col], exact, kEpsilon * (2 * 51 + 0.01 * length + 20)) << length;
          }
        }
      }
    }
  }
}

TEST(OnlineSoftmaxTest, TheFirstOfEqualElementsIsTheBest) {
  Bench bench;
  Tensor x = Tensor::zeros({1, 5000});
  RowSummary summary;
  for (int first : {4999, 3000, 2048, 2047, 13}) {
    x.data()[first] = 1;
    summarize_rows(x.matrix(), {&summary, 1}, bench.workspace);
    EXPECT_EQ(summary.best, first);
  }
}

TEST(OnlineSoftmaxTest, ReportsNaNAndMinusInfinity) {
  Bench bench;
  RowSummary summary;
  for (int place : {0, 2047, 2048, 4999}) {
    Tensor x = Tensor::zeros({1, 5000});
    x.data()[place] = std::numeric_limits<float>::quiet_NaN();
    x.data()[4500] = kInfinity;
    if (place == 4999) x.data()[0] = kInfinity;
    summarize_rows(x.matrix(), {&summary, 1}, bench.workspace);
    EXPECT_TRUE(std::isnan(summary.maximum)) << place;
  }
  Tensor x({1, 3000});
  std::fill_n(x.data(), x.size(), -kInfinity);
  summarize_rows(x.matrix(), {&summary, 1}, bench.workspace);
  EXPECT_EQ(summary.maximum, -kInfinity);
  EXPECT_EQ(summary.best, 0);
  log_softmax_rows(x.matrix(), {&summary, 1}, bench.workspace);
  EXPECT_TRUE(std::all_of(x.data(), x.data() + x.size(), [](float value) { return value == -kInfinity; }));
}

TEST(TopKTest, MatchesSortingEverything) {
  Random random(6);
  Bench bench, threaded(3);
  std::vector<Ranked> best, others;
  for (int length : kLengths) {
    for (int round = 0; round < 20; ++round) {
      const int rows = random_int(random, 1, 5);
      Tensor x({rows, length});
      std::vector<float> offsets = random_floats(random, static_cast<std::size_t>(rows), -9.0f, 0.0f);
      if (round % 3 == 0) std::fill(offsets.begin(), offsets.end(), -2.0f);
      std::vector<Ranked> expected;
      for (int row = 0; row < rows; ++row) {
        const std::vector<float> values = random_row(random, length);
        for (int col = 0; col < length; ++col) {
          float value = values[col];
          if (round % 3 == 0) value = std::round(value);  // many are equal
          x.matrix().row(row)[col] = value;
          expected.push_back({offsets[row] + value, row, col});
        }
      }
      std::sort(expected.begin(), expected.end(), [](const Ranked& a, const Ranked& b) {
        return std::tie(b.value, a.row, a.col) < std::tie(a.value, b.row, b.col);
      });
      const auto count = static_cast<std::size_t>(random_choice<int>(random, {1, 2, 8, 50, 300}));
      top_k(x.matrix(), offsets, count, best, bench.workspace);
      top_k(x.matrix(), offsets, count, others, threaded.workspace);
      ASSERT_EQ(best.size(), std::min(count, expected.size()));
      ASSERT_EQ(others.size(), best.size());
      for (std::size_t i = 0; i < best.size(); ++i) {
        for (const Ranked& found : {best[i], others[i]}) {
          ASSERT_EQ(found.value, expected[i].value);
          ASSERT_EQ(found.row, expected[i].row);
          ASSERT_EQ(found.col, expected[i].col);
        }
      }
    }
  }
}

}  // namespace
}  // namespace transformer
