// src/transformer/residual_block: where the norms are, and the scale of what is added.
#include "transformer/residual_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/bench.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;

constexpr int kRows = 5, kWidth = 11;

struct Case {
  NormPlace place;
  float scale = 1.0f;
  bool has_norm = true;
  bool layer_scale = false;
};

// f(x) = 2x + 1
const auto twice_and_one = [](ConstView in, const ResidualOutput& result) {
  for (int row = 0; row < in.rows; ++row) {
    for (int col = 0; col < in.cols; ++col) {
      const float residual = result.residual.data ? result.residual.row(row)[col] : 0.0f;
      result.out.row(row)[col] = 2.0f * in.row(row)[col] + 1.0f + residual;
    }
  }
};

struct Block {
  explicit Block(const Case& one) {
    config.d_model = kWidth;
    config.norm = {NormKind::kRms, 1e-6f, false};
    config.norm_place = one.place;
    config.residual_scale = one.scale;
    config.layer_scale = one.layer_scale;
    Random random(5);
    weight = add_random(weights, random, "self_attn_norm.weight", {kWidth});
    post = add_random(weights, random, "self_attn_post_norm.weight", {kWidth});
    if (one.layer_scale) factors = add_random(weights, random, "self_attn_scale.weight", {kWidth});
    block.emplace(WeightScope(weights), "self_attn", config, one.has_norm);
    x = random_tensor(random, {kRows, kWidth});
  }

  Tensor forward() {
    Tensor out = x.clone();
    block->forward({out.matrix(), out.matrix(), {1, kRows}}, bench.workspace, twice_and_one);
    return out;
  }

  std::vector<double> normed(std::vector<double> row, const Tensor& by) const {
    double mean = 0;
    for (const double one : row) mean += one * one / kWidth;
    for (int col = 0; col < kWidth; ++col) row[col] *= by.data()[col] / std::sqrt(mean + 1e-6);
    return row;
  }

  Weights weights;
  LayerConfig config;
  Tensor weight, post, factors, x;
  std::optional<ResidualBlock> block;
  Bench bench;
};

// Step by step, in double precision.
std::vector<double> naive(const Block& block, const Case& one, int row) {
  const std::vector<double> x(block.x.matrix().row(row), block.x.matrix().row(row) + kWidth);
  const bool is_before = one.place != NormPlace::kPost && one.place != NormPlace::kBranch;
  std::vector<double> branch = is_before && one.has_norm ? block.normed(x, block.weight) : x;
  const std::vector<double> residual = one.place == NormPlace::kPreResidual ? branch : x;
  for (double& value : branch) value = 2 * value + 1;
  if (one.place == NormPlace::kSandwich) branch = block.normed(branch, block.post);
  if (one.place == NormPlace::kBranch) branch = block.normed(branch, block.weight);
  for (int col = 0; col < kWidth; ++col) {
    const double factor = one.layer_scale ? block.factors.data()[col] : 1.0;
    branch[col] = residual[col] + one.scale * factor * branch[col];
  }
  return one.place == NormPlace::kPost ? block.normed(branch, block.weight) : branch;
}

TEST(ResidualBlockTest, MatchesTheFormulaOfEachPlace) {
  for (const NormPlace place : {NormPlace::kPost, NormPlace::kPre, NormPlace::kPreResidual, NormPlace::kParallel,
                                NormPlace::kBranch, NormPlace::kSandwich}) {
    for (const auto& [scale, layer_scale] : {std::pair(1.0f, false), {0.4f, false}, {1.0f, true}, {0.4f, true}}) {
      const Case one = {place, scale, true, layer_scale};
      Block block(one);
      const Tensor out = block.forward();
      for (int row = 0; row < kRows; ++row) {
        const std::vector<double> expected = naive(block, one, row);
        for (int col = 0; col < kWidth; ++col) {
          EXPECT_NEAR(out.matrix().row(row)[col], expected[col], 2e-5) << static_cast<int>(place) << " " << scale;
        }
      }
    }
  }
}

TEST(ResidualBlockTest, TheFirstLayerMayHaveNoNorm) {
  for (const NormPlace place : {NormPlace::kPre, NormPlace::kSandwich}) {
    const Case one = {place, 1.0f, false};
    Block block(one);
    const Tensor out = block.forward();
    for (int row = 0; row < kRows; ++row) {
      const std::vector<double> expected = naive(block, one, row);
      for (int col = 0; col < kWidth; ++col) EXPECT_NEAR(out.matrix().row(row)[col], expected[col], 2e-5);
    }
  }
}

}  // namespace
}  // namespace transformer
