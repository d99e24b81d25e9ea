// src/transformer/ssru: against the equations in double precision, and its cells against tokens one by one.
#include "transformer/ssru.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/bench.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;

constexpr int kWidth = 13;

struct Unit {
  explicit Unit(std::uint64_t seed) : random(seed) {
    w = add_random(weights, random, "input.weight", {kWidth, kWidth});
    w_f = add_random(weights, random, "forget_gate.weight", {kWidth, kWidth});
    b_f = add_random(weights, random, "forget_gate.bias", {kWidth});
    layer.emplace(WeightScope(weights), kWidth);
  }

  // Feeds the tokens, rows of x, that each sequence has -> h + x.
  Tensor feed(const Tensor& x, const Segments& tokens, SsruCells& cells) {
    Tensor out({x.axis(0), kWidth});
    layer->forward(x.matrix(), tokens, cells, {out.matrix(), x.matrix()}, bench.workspace);
    return out;
  }

  Random random;
  Weights weights;
  Tensor w, w_f, b_f;
  std::optional<Ssru> layer;
  Bench bench;
};

Tensor rows_of(const Tensor& x, std::vector<int> rows) {
  Tensor some({count_of(rows), x.axis(1)});
  for (int i = 0; i < count_of(rows); ++i) std::copy_n(x.matrix().row(rows[i]), x.axis(1), some.matrix().row(i));
  return some;
}

TEST(SsruTest, MatchesTheEquations) {
  Unit unit(1);
  const int time = 9;
  const Tensor x = random_tensor(unit.random, {time, kWidth});
  SsruCells cells = unit.layer->start(1);
  const Tensor out = unit.feed(x, {1, time}, cells);
  std::vector<double> c(kWidth);
  for (int t = 0; t < time; ++t) {
    for (int i = 0; i < kWidth; ++i) {
      Sum u, f;
      for (int k = 0; k < kWidth; ++k) {
        u.add(unit.w.matrix().row(i)[k], x.matrix().row(t)[k]);
        f.add(unit.w_f.matrix().row(i)[k], x.matrix().row(t)[k]);
      }
      const double gate = 1 / (1 + std::exp(-(f.value + unit.b_f.data()[i])));
      c[i] = gate * c[i] + (1 - gate) * u.value;
      // The sums of 13 products below 1 are good to 13 ulp, the gate to a quarter of that and 2; and so at each step.
      EXPECT_NEAR(out.matrix().row(t)[i], std::max(c[i], 0.0) + x.matrix().row(t)[i], 64 * (t + 1) * kEpsilon);
    }
  }
  EXPECT_EQ(cells.length(0), time);
}

TEST(SsruTest, TokensTogetherAreTokensOneByOne) {
  Unit unit(2);
  const Tensor x = random_tensor(unit.random, {7, kWidth});
  const std::vector<int> offsets = {0, 3, 3, 7};
  SsruCells together = unit.layer->start(3);
  const Tensor expected = unit.feed(x, {3, 4, offsets}, together);
  for (const int sequence : {0, 2}) {
    SsruCells alone = unit.layer->start(1);
    for (int row = offsets[sequence]; row < offsets[sequence + 1]; ++row) {
      const Tensor next = unit.feed(rows_of(x, {row}), {1, 1}, alone);
      EXPECT_TRUE(same_bits(next.matrix(), expected.matrix().row_range(row, 1))) << row;
    }
  }
  EXPECT_THAT((std::vector{together.length(0), together.length(1), together.length(2)}),
              ::testing::ElementsAre(3, 0, 4));
}

TEST(SsruTest, CellsFollowTheirRows) {
  Unit unit(3);
  const Tensor x = random_tensor(unit.random, {4, kWidth}), next = random_tensor(unit.random, {3, kWidth});
  SsruCells cells = unit.layer->start(2);
  unit.feed(x, {2, 2}, cells);
  SsruCells joining = unit.layer->start(1);
  cells.reorder(std::vector{1, 1, 0});
  const Tensor out = unit.feed(next, {3, 1}, cells);
  for (int row = 0; row < 3; ++row) {
    SsruCells alone = unit.layer->start(1);
    const int first = row == 2 ? 0 : 2;
    unit.feed(rows_of(x, {first, first + 1}), {1, 2}, alone);
    EXPECT_TRUE(same_bits(unit.feed(rows_of(next, {row}), {1, 1}, alone).matrix(), out.matrix().row_range(row, 1)));
  }
  cells.reserve_for(joining);
  cells.join(std::move(joining));
  EXPECT_EQ(cells.rows(), 4);
  EXPECT_EQ(cells.length(2), 3);
  EXPECT_EQ(cells.length(3), 0);
}

TEST(SsruTest, ForgottenTokensLeaveNoTrace) {
  Unit unit(4);
  const int time = 3 * SsruCells::kRemembered;
  const Tensor x = random_tensor(unit.random, {time, kWidth});
  SsruCells cells = unit.layer->start(1), plain = unit.layer->start(1);
  for (int row = 0; row < time; ++row) {
    const Tensor expected = unit.feed(rows_of(x, {row}), {1, 1}, plain);
    ASSERT_TRUE(same_bits(unit.feed(rows_of(x, {row}), {1, 1}, cells).matrix(), expected.matrix())) << row;
    const int guesses = std::min(row % 5, time - row - 1);
    if (guesses == 0) continue;
    unit.feed(rows_of(x, std::vector<int>(guesses, 0)), {1, guesses}, cells);
    cells.forget(0, guesses);
  }
  EXPECT_EQ(cells.length(0), time);
  EXPECT_THAT(message_of([&] { cells.forget(0, time); }), ::testing::HasSubstr("not remembered"));
}

}  // namespace
}  // namespace transformer
