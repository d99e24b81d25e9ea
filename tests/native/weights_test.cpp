// src/weights: tensors by name, and the errors for missing and faulty ones.
#include "weights/weights.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/errors.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WeightsTest, GivesEachTensorOnce) {
  Weights weights;
  add_tensor(weights, "a.weight", {2, 3}, std::vector<float>(6, 1.5f));
  add_tensor(weights, "b", {4}, std::vector<float>(4, 2.5f));
  EXPECT_TRUE(weights.has("a.weight"));
  EXPECT_THAT(weights.names(), ElementsAre("a.weight", "b"));
  const Tensor tensor = weights.take("a.weight", {2, 3});
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.data()[5], 1.5f);
  EXPECT_FALSE(weights.has("a.weight"));
  EXPECT_EQ(weights.parameters_taken(), 6u);
  EXPECT_THAT(weights.names(), ElementsAre("b"));
  EXPECT_EQ(code_of([&] { weights.take("a.weight", {2, 3}); }), ErrorCode::kBadCheckpoint);
}

TEST(WeightsTest, NamesAMissingTensorAndItsShape) {
  Weights weights;
  const Error error = error_of([&] { (WeightScope(weights) / "encoder" / "layers" / 3).take("fc1.weight", {5, 7}); });
  EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("encoder.layers.3.fc1.weight"), HasSubstr("[5, 7]"), HasSubstr("missing")));
}

TEST(WeightsTest, ShowsTheActualShapeAgainstTheExpected) {
  Weights weights;
  add_tensor(weights, "w", {7, 5}, std::vector<float>(35));
  const Error error = error_of([&] { weights.take("w", {5, 7}); });
  EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'w'"), HasSubstr("[7, 5]"), HasSubstr("[5, 7]")));
  EXPECT_TRUE(weights.has("w")) << "a refused tensor stays";
  // So is another shape of the same size.
  EXPECT_EQ(code_of([&] { weights.take("w", {35}); }), ErrorCode::kBadCheckpoint);
}

TEST(WeightsTest, RefusesNonFiniteNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
    for (const std::optional<DotGroup> group : {std::optional<DotGroup>(), std::optional(DotGroup::kQuads)}) {
      Weights weights(group);
      std::vector<float> numbers(12, 1.0f);
      numbers[7] = bad;
      add_tensor(weights, "w", {3, 4}, numbers);
      const Error error = error_of([&] { weights.take_matrix("w", 3, 4); });
      EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("'w'"), HasSubstr(std::isnan(bad) ? "NaN" : "infinite")));
    }
  }
}

TEST(WeightsTest, RefusesADuplicateNameAndAnImpossibleShape) {
  Weights weights;
  weights.add("w", {1});
  EXPECT_EQ(code_of([&] { weights.add("w", {2}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { weights.add("negative", {2, -1}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { weights.add("vast", {1 << 20, 1 << 20}); }), ErrorCode::kInvalidArgument);
  EXPECT_THAT(weights.names(), ElementsAre("w")) << "refused tensors are not added";
}

TEST(WeightsTest, KeepsFactorsInEightBitsAndTablesAsTheyAre) {
  Random random(2);
  Weights weights(DotGroup::kQuads);
  const Tensor factor = add_random(weights, random, "layer.fc1.weight", {5, 7});
  for (const char* name : {"encoder.positions.weight", "relative_bias.weight", "encoder.token_types.weight"}) {
    const Tensor table = add_random(weights, random, name, {5, 7});
    EXPECT_TRUE(same_bits(weights.take(name, {5, 7}), table)) << name;
  }
  const Matrix matrix = weights.take_matrix("layer.fc1.weight", 5, 7);
  ASSERT_NE(matrix.quantized(), nullptr);
  EXPECT_EQ(matrix.quantized()->group(), DotGroup::kQuads);
  EXPECT_EQ(weights.parameters_taken(), 4u * 35);
  EXPECT_EQ(weights.bytes_taken(), 3 * 35 * sizeof(float) + matrix.bytes());
  const Matrix drawn = Weights::random(1, DotGroup::kPairs).take_matrix("drawn", 5, 7);
  ASSERT_NE(drawn.quantized(), nullptr);
  EXPECT_EQ(drawn.quantized()->group(), DotGroup::kPairs);
}

TEST(WeightsTest, KeepsEmbeddingsInEightBitsAndOtherFactorsInFour) {
  Random random(2);
  Weights weights(DotGroup::kQuads, QuantizedBits::k4);
  for (const char* name : {"embedding.weight", "encoder.embedding.weight", "layer.fc1.weight", "positions.weight"}) {
    add_random(weights, random, name, {5, 70});
  }
  EXPECT_NE(weights.take_matrix("embedding.weight", 5, 70).quantized(), nullptr);
  EXPECT_NE(weights.take_matrix("encoder.embedding.weight", 5, 70).quantized(), nullptr);
  EXPECT_NE(weights.take_matrix("layer.fc1.weight", 5, 70).int4(), nullptr);
  EXPECT_EQ(weights.take("positions.weight", {5, 70}).size(), 350u);
  const Matrix drawn = Weights::random(1, DotGroup::kPairs, QuantizedBits::k4).take_matrix("drawn", 5, 7);
  EXPECT_NE(drawn.int4(), nullptr);
}

// Reading 8 or 4 bits back as float32 would lose precision silently.
TEST(WeightsTest, RefusesToReadAQuantisedMatrixAsATensor) {
  for (const QuantizedBits bits : {QuantizedBits::k4, QuantizedBits::k8}) {
    Random random(3);
    Weights weights(DotGroup::kPairs, bits);
    add_random(weights, random, "a.weight", {5, 7});
    const Error error = error_of([&] { weights.take("a.weight", {5, 7}); });
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_THAT(error.what(), HasSubstr("'a.weight'"));
  }
}

// A file arrives in pieces that ignore the rows.
TEST(WeightsTest, StoresATensorPieceByPiece) {
  Random random(1);
  for (const Shape& shape : {Shape{37}, Shape{5, 19}, Shape{19, 5}, Shape{2, 3, 4}}) {
    const Tensor expected = random_tensor(random, shape);
    Weights weights;
    weights.add("w", shape);
    for (std::size_t first = 0; first < expected.size();) {
      const std::size_t count = std::min(static_cast<std::size_t>(random_int(random, 0, 11)), expected.size() - first);
      weights.store("w", first, {expected.data() + first, count});
      first += count;
    }
    if (shape.size() != 2) {
      EXPECT_TRUE(same_bits(weights.get("w"), expected)) << to_string(shape);
    } else {
      EXPECT_EQ(code_of([&] { weights.get("w"); }), ErrorCode::kInvalidArgument);
    }
    EXPECT_EQ(code_of([&] { weights.store("w", expected.size(), std::vector<float>(1)); }),
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { weights.store("v", 0, std::vector<float>(1)); }), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(same_bits(weights.take("w", shape), expected)) << to_string(shape);
  }
}

TEST(WeightsTest, RenamesATensor) {
  Weights weights;
  add_tensor(weights, "a", {2, 3}, {1, 2, 3, 4, 5, 6});
  add_tensor(weights, "b", {1}, {7});
  EXPECT_EQ(code_of([&] { weights.rename("a", "b"); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { weights.rename("c", "d"); }), ErrorCode::kInvalidArgument);
  weights.rename("a", "w");
  EXPECT_FALSE(weights.has("a"));
  EXPECT_EQ(weights.take("w", {2, 3}).data()[4], 5.0f);
}

TEST(WeightScopeTest, DeepensNames) {
  Weights weights;
  add_tensor(weights, "a.b.0.c", {1}, {4.0f});
  const WeightScope scope = WeightScope(weights) / "a" / "b";
  EXPECT_TRUE((scope / 0).has("c"));
  EXPECT_FALSE(scope.has("c"));
  EXPECT_EQ((scope / 0).take("c", {1}).data()[0], 4.0f);
}

TEST(RandomWeightsTest, FollowFromSeedAndName) {
  auto draw = [](std::uint64_t seed, const char* name) { return Weights::random(seed).take(name, {8, 24}); };
  EXPECT_TRUE(same_bits(draw(1, "a.weight"), draw(1, "a.weight")));
  EXPECT_FALSE(same_bits(draw(1, "a.weight"), draw(2, "a.weight")));
  EXPECT_FALSE(same_bits(draw(1, "a.weight"), draw(1, "b.weight")));
}

TEST(RandomWeightsTest, AreXavierUniformMatricesUnitNormsAndZeroBiases) {
  Weights weights = Weights::random(5);
  const Tensor matrix = weights.take("a.weight", {100, 200});
  const double bound = std::sqrt(6.0 / 300);
  double square = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    ASSERT_LE(std::abs(matrix.data()[i]), bound * (1 + 1e-6));
    square += static_cast<double>(matrix.data()[i]) * matrix.data()[i] / static_cast<double>(matrix.size());
  }
  // The variance of a uniform number is bound^2 / 3; its mean square over 20,000 of them spreads by less than 1 %.
  EXPECT_NEAR(square, bound * bound / 3, 0.05 * bound * bound / 3);
  const Tensor norm = weights.take("norm.weight", {7});
  const Tensor bias = weights.take("norm.bias", {7});
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(norm.data()[i], 1.0f);
    EXPECT_EQ(bias.data()[i], 0.0f);
  }
  EXPECT_EQ(weights.parameters_taken(), 20000u + 14u);
}

TEST(RandomWeightsTest, GivenTensorsTakePrecedence) {
  Weights weights = Weights::random(5);
  add_tensor(weights, "w", {1, 1}, {42.0f});
  EXPECT_EQ(weights.take("w", {1, 1}).data()[0], 42.0f);
}

}  // namespace
}  // namespace transformer
