// src/attention: norms of queries and keys.
#include "attention/query_key_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/bench.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;

struct Case {
  QueryKeyNorm span;
  NormKind kind;
};

// In double precision, number by number.
double naive(const LooseMatrix& x, const Tensor& weight, const Case& one, int row, int col, HeadsWidth width) {
  const int part = one.span == QueryKeyNorm::kWidth ? width.heads * width.d_head : width.d_head;
  const int first = col / part * part;
  double mean = 0, variance = 0;
  for (int i = 0; i < part && one.kind == NormKind::kLayer; ++i)
    mean += x.view().row(row)[first + i] / double{1.0 * part};
  for (int i = 0; i < part; ++i) variance += std::pow(x.view().row(row)[first + i] - mean, 2) / part;
  const double weighted = weight.data()[one.span == QueryKeyNorm::kHead ? col % part : col];
  return (x.view().row(row)[col] - mean) / std::sqrt(variance + 1e-5) * weighted;
}

TEST(QueryKeyNormTest, MatchesTheTwinForEverySpanAndKind) {
  Random random(21);
  for (const int d_head : {2, 7, 8, 24}) {
    for (const int rows : {0, 1, 17, 40}) {
      for (const QueryKeyNorm span : {QueryKeyNorm::kHead, QueryKeyNorm::kHeads, QueryKeyNorm::kWidth}) {
        for (const NormKind kind : {NormKind::kRms, NormKind::kLayer}) {
          const HeadsWidth width = {3, d_head};
          const int cols = 3 * d_head;
          Weights weights;
          const Tensor weight =
              add_random(weights, random, "k_norm.weight", {span == QueryKeyNorm::kHead ? d_head : cols});
          const HeadsNorm norm(WeightScope(weights) / "k_norm", span, width, {kind, 1e-5f, true});
          const LooseMatrix x(random, rows, cols, 3, 1), once(rows, cols), twice(rows, cols, 5);
          for (int row = 0; row < rows; ++row) {
            for (const LooseMatrix* copy : {&once, &twice}) std::copy_n(x.view().row(row), cols, copy->view().row(row));
          }
          Bench one(1), two(2);
          norm.forward(once.view(), one.workspace);
          norm.forward(twice.view(), two.workspace);
          ASSERT_TRUE(once.surroundings_untouched() && twice.surroundings_untouched());
          ASSERT_TRUE(same_bits(once.view(), twice.view()));
          for (int row = 0; row < rows; ++row) {
            for (int col = 0; col < cols; ++col) {
              EXPECT_NEAR(once.view().row(row)[col], naive(x, weight, {span, kind}, row, col, width), 2e-5);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace transformer
