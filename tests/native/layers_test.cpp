// src/layers: linear, embedding, feed-forward, norms.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "kernels/activation.h"
#include "layers/embedding.h"
#include "layers/feed_forward.h"
#include "layers/norm.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(LinearTest, IsXTimesTheTransposedWeightPlusBias) {
  Bench bench(2);
  Random random(1);
  for (const bool has_bias : {true, false}) {
    for (int rows : {0, 1, 5}) {
      Weights weights;
      const Tensor weight = add_random(weights, random, "weight", {11, 7});
      const Tensor bias = has_bias ? add_random(weights, random, "bias", {11}) : Tensor();
      const Linear linear(WeightScope(weights), 7, 11, has_bias);
      EXPECT_EQ(linear.in_features(), 7);
      EXPECT_EQ(linear.out_features(), 11);
      EXPECT_TRUE(weights.names().empty());
      const LooseMatrix x(random, rows, 7, 2, 1), residual(random, rows, 11), out(rows, 11, 1);
      linear.forward(x.view(), out.view(), bench.workspace, Activation::kTanh, residual.view());
      for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < 11; ++i) {
          Sum sum;
          for (int k = 0; k < 7; ++k) sum.add(x.view().row(row)[k], weight.matrix().row(i)[k]);
          const double before = sum.value + (has_bias ? bias.data()[i] : 0.0f);
          const double exact = std::tanh(before) + residual.view().row(row)[i];
          EXPECT_NEAR(out.view().row(row)[i], exact, kEpsilon * (10 * (sum.magnitude + 1) + 3));
        }
      }
    }
  }
}

TEST(LinearTest, SelectedOutputsAreThoseOfTheWhole) {
  Bench bench;
  Random random(2);
  for (const bool has_bias : {true, false}) {
    Weights weights;
    add_random(weights, random, "weight", {37, 9});
    if (has_bias) add_random(weights, random, "bias", {37});
    const Linear linear(WeightScope(weights), 9, 37, has_bias);
    const std::vector<int> outputs = {36, 0, 5, 31, 32, 5, 17, 8, 16, 1};
    const Linear selected = linear.select(outputs);
    EXPECT_EQ(selected.out_features(), 10);
    const LooseMatrix x(random, 3, 9), whole(3, 37), part(3, 10);
    linear.forward(x.view(), whole.view(), bench.workspace);
    selected.forward(x.view(), part.view(), bench.workspace);
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(part.view().row(row)[i], whole.view().row(row)[outputs[i]]);
      }
    }
  }
}

TEST(EmbeddingTest, LooksUpScaledRowsOfTheTable) {
  Random random(2);
  Weights weights;
  const Tensor table = add_random(weights, random, "weight", {37, 5}, MatrixPurpose::kEmbedding);
  const SharedMatrix matrix = take_embedding(WeightScope(weights), 37, 5);
  const Embedding embedding(matrix, 3.0f);
  EXPECT_EQ(embedding.vocab(), 37);
  std::vector<int> ids(37);
  std::iota(ids.begin(), ids.end(), 0);
  const LooseMatrix out(37, 5, 2);
  embedding.forward(ids, out.view());
  for (int id = 0; id < 37; ++id) {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(out.view().row(id)[i], table.matrix().row(id)[i] * 3.0f);
  }
  for (int bad : {-1, 37}) {
    const Error error = error_of([&] { embedding.forward(std::vector<int>{bad}, out.view()); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(bad)));
  }
}

double naive_silu(double x) { return x / (1 + std::exp(-x)); }

// f(x W1 + b1) W2 + b2, or (f(x W1 + b1) * (x V + c)) W2 + b2.
TEST(FeedForwardTest, MatchesTheTwinGatedAndNot) {
  Bench bench(2);
  Random random(3);
  const int d_model = 6, d_ff = 21;
  for (const bool gated : {false, true}) {
    for (int rows : {0, 1, 4, 300}) {  // 300: more than one block of rows
      Weights weights;
      const Tensor w1 = add_random(weights, random, "fc1.weight", {d_ff, d_model});
      const Tensor b1 = add_random(weights, random, "fc1.bias", {d_ff});
      const Tensor w2 = add_random(weights, random, "fc2.weight", {d_model, d_ff});
      const Tensor b2 = add_random(weights, random, "fc2.bias", {d_model});
      const Tensor v = gated ? add_random(weights, random, "gate.weight", {d_ff, d_model}) : Tensor();
      const Tensor c = gated ? add_random(weights, random, "gate.bias", {d_ff}) : Tensor();
      const FeedForward layer(WeightScope(weights), {d_model, d_ff, Activation::kSilu, gated, true});
      EXPECT_TRUE(weights.names().empty());
      const LooseMatrix x(random, rows, d_model), residual(random, rows, d_model), out(rows, d_model);
      layer.forward(x.view(), {out.view(), residual.view()}, bench.workspace);
      for (int row = 0; row < rows; ++row) {
        std::vector<double> inner(d_ff);
        for (int j = 0; j < d_ff; ++j) {
          double sum = b1.data()[j], gate = gated ? c.data()[j] : 1.0;
          for (int k = 0; k < d_model; ++k) {
            sum += static_cast<double>(x.view().row(row)[k]) * w1.matrix().row(j)[k];
            if (gated) gate += static_cast<double>(x.view().row(row)[k]) * v.matrix().row(j)[k];
          }
          inner[j] = naive_silu(sum) * gate;
        }
        for (int i = 0; i < d_model; ++i) {
          Sum sum;
          for (int j = 0; j < d_ff; ++j) sum.add(inner[j], w2.matrix().row(i)[j]);
          const double exact = sum.value + b2.data()[i] + residual.view().row(row)[i];
          // A hidden number is a sum of d_model + 1 <= 7 terms of at most 1, two of them if gated: its error is at most
          // 2 * (d_model + 8) * 7 eps. |w2| <= 1 passes it on, and the second sum adds (d_ff + 3) eps of its magnitude.
          const double bound = kEpsilon * (d_ff * 2 * (d_model + 8) * 7 + (d_ff + 3) * (sum.magnitude + 2));
          ASSERT_NEAR(out.view().row(row)[i], exact, bound) << "gated " << gated << ", row " << row;
        }
      }
    }
  }
}

TEST(NormLayerTest, SharesRowsAmongThreadsWithTheSameBits) {
  Random random(4);
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    Weights weights;
    add_random(weights, random, "weight", {300});
    if (kind == NormKind::kLayer) add_random(weights, random, "bias", {300});
    const Norm norm(WeightScope(weights), 300, {kind, 1e-6f, true});
    Bench one(1), three(3);
    const LooseMatrix x(random, 500, 300), a(500, 300), b(500, 300);
    norm.forward(x.view(), a.view(), one.workspace);
    norm.forward(x.view(), b.view(), three.workspace);
    EXPECT_TRUE(same_bits(a.view(), b.view()));
    for (int row = 0; row < 500; row += 77) {
      norm.forward(x.view().row_range(row, 1), b.view().row_range(row, 1), one.workspace);
    }
    EXPECT_TRUE(same_bits(a.view(), b.view())) << "a row alone";
    norm.forward(x.view(), x.view(), three.workspace);
    EXPECT_TRUE(same_bits(a.view(), x.view())) << "in place";
  }
}

}  // namespace
}  // namespace transformer
