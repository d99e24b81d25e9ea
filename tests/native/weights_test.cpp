// src/weights: tensors by name, and the errors for missing and faulty ones.
#include "weights/weights.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/gemm_int8.h"
#include "matrices/float_matrix.h"
#include "matrices/int4_matrix.h"
#include "matrices/int8_matrix.h"
#include "support/errors.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WeightsTest, GivesEachTensorOnce) {
  Weights weights;
  add_tensor(weights, "a.weight", {2, 3}, std::vector<float>(6, 1.5f), MatrixPurpose::kTable);
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
    for (const auto& [name, dtype] : enum_names(Dtype{})) {
      Weights weights(dtype);
      std::vector<float> numbers(12, 1.0f);
      numbers[7] = bad;
      add_tensor(weights, "w", {3, 4}, numbers);
      const Error error = error_of([&] { weights.take_matrix("w", 3, 4); });
      EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("'w'"), HasSubstr(std::isnan(bad) ? "NaN" : "infinite"))) << name;
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

// The bytes tell the format.
TEST(WeightsTest, KeepsAMatrixInTheFormatForItsPurpose) {
  const std::size_t float32 = FloatMatrix(70, 5).bytes(), bytes = Int8Matrix(70, 5, int8_dot_group()).bytes(),
                    nibbles = Int4Matrix(70, 5).bytes();
  EXPECT_LT(nibbles, bytes);
  EXPECT_LT(bytes, float32);
  const struct {
    Dtype dtype;
    std::size_t factor, embedding;
  } cases[] = {{Dtype::kF32, float32, float32}, {Dtype::kInt8, bytes, bytes}, {Dtype::kInt4, nibbles, bytes}};
  for (const auto& expected : cases) {
    Random random(2);
    Weights weights(expected.dtype);
    add_random(weights, random, "factor", {5, 70}, MatrixPurpose::kFactor);
    add_random(weights, random, "embedding", {5, 70}, MatrixPurpose::kEmbedding);
    const Tensor table = add_random(weights, random, "table", {5, 70}, MatrixPurpose::kTable);
    EXPECT_EQ(weights.take_matrix("factor", 5, 70)->bytes(), expected.factor);
    EXPECT_EQ(weights.take_matrix("embedding", 5, 70, MatrixPurpose::kEmbedding)->bytes(), expected.embedding);
    EXPECT_TRUE(same_bits(weights.take("table", {5, 70}), table));
    EXPECT_EQ(weights.parameters_taken(), 3u * 350);
    EXPECT_EQ(weights.bytes_taken(), 350 * sizeof(float) + expected.factor + expected.embedding);
    Weights drawn = Weights::random(1, expected.dtype);
    EXPECT_EQ(drawn.take_matrix("drawn", 5, 70)->bytes(), expected.factor);
  }
}

// Otherwise a matrix would be in the wrong format, and nobody would know.
TEST(WeightsTest, RefusesAMatrixThatWasDeclaredForSomethingElse) {
  using enum MatrixPurpose;
  for (const MatrixPurpose declared : {kFactor, kEmbedding, kTable}) {
    for (const MatrixPurpose used : {kFactor, kEmbedding, kTable}) {
      Random random(3);
      Weights weights;
      add_random(weights, random, "a.weight", {5, 7}, declared);
      const auto take = [&] {
        if (used == kTable) return weights.take("a.weight", {5, 7}).size();
        return weights.take_matrix("a.weight", 5, 7, used)->bytes();
      };
      if (declared == used) {
        EXPECT_GT(take(), 0u);
        continue;
      }
      const Error error = error_of([&] { take(); });
      EXPECT_EQ(error.code(), ErrorCode::kInternal);
      EXPECT_THAT(error.what(), HasSubstr("'a.weight'"));
    }
  }
}

// A file arrives in pieces that ignore the rows.
TEST(WeightsTest, StoresATensorPieceByPiece) {
  Random random(1);
  for (const Shape& shape : {Shape{37}, Shape{5, 19}, Shape{19, 5}, Shape{2, 3, 4}}) {
    const Tensor expected = random_tensor(random, shape);
    Weights weights;
    const bool is_matrix = shape == Shape{19, 5};
    weights.add("w", shape, {is_matrix ? MatrixPurpose::kFactor : MatrixPurpose::kTable});
    for (std::size_t first = 0; first < expected.size();) {
      const std::size_t count = std::min(static_cast<std::size_t>(random_int(random, 0, 11)), expected.size() - first);
      weights.store("w", first, {expected.data() + first, count});
      first += count;
    }
    if (!is_matrix) {
      EXPECT_TRUE(same_bits(weights.get("w"), expected)) << to_string(shape);
    } else {
      EXPECT_EQ(code_of([&] { weights.get("w"); }), ErrorCode::kInvalidArgument);
    }
    EXPECT_EQ(code_of([&] { weights.store("w", expected.size(), std::vector<float>(1)); }),
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { weights.store("v", 0, std::vector<float>(1)); }), ErrorCode::kInvalidArgument);
    if (is_matrix) {
      const std::unique_ptr<Matrix> matrix = weights.take_matrix("w", 19, 5);
      Tensor rows(shape);
      for (int row = 0; row < 19; ++row) matrix->copy_column(row, rows.matrix().row(row));
      EXPECT_TRUE(same_bits(rows, expected));
    } else {
      EXPECT_TRUE(same_bits(weights.take("w", shape), expected)) << to_string(shape);
    }
  }
}

TEST(OutlineTest, NotesWhatIsMissingOrHasAnotherShape) {
  Weights weights = Weights::outline();
  weights.add("a", {1 << 15, 1 << 15});
  weights.add("b", {3});
  weights.add("c", {4});
  EXPECT_TRUE(weights.has("a"));
  EXPECT_EQ(weights.take_matrix("a", 1 << 15, 1 << 15)->depth(), 1 << 15);
  EXPECT_FALSE(weights.has("a"));
  EXPECT_THAT(weights.problems(), IsEmpty());
  EXPECT_EQ(weights.take("b", {2}).shape(), (Shape{2}));
  EXPECT_EQ(weights.take_matrix("d", 2, 3, MatrixPurpose::kEmbedding)->cols(), 2);
  EXPECT_THAT(weights.problems(), ElementsAre("the tensor 'b' has the shape [3], expected [2]",
                                              "the tensor 'd' of shape [2, 3] is missing"));
  EXPECT_THAT(weights.names(), ElementsAre("c"));
}

TEST(OutlineTest, EndsWhereNearlyAllIsMissing) {
  Weights weights = Weights::outline();
  EXPECT_EQ(code_of([&] {
              for (int i = 0; i < 1 << 20; ++i) weights.take(concat("layers.", i), {1});
            }),
            ErrorCode::kBadCheckpoint);
  EXPECT_EQ(weights.problems().size(), 100u);
}

TEST(OutlineTest, AMatrixWithoutNumbersHasItsColumns) {
  const auto matrix = make_outline(5, 3);
  std::vector<float> column(5, 1.0f);
  matrix->copy_column(2, column.data());
  EXPECT_THAT(column, Each(0.0f));
  const int columns[] = {2, 0};
  EXPECT_EQ(matrix->select_columns(columns)->cols(), 2);
}

TEST(WeightsTest, RenamesATensor) {
  Weights weights;
  add_tensor(weights, "a", {2, 3}, {1, 2, 3, 4, 5, 6}, MatrixPurpose::kTable);
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
  add_tensor(weights, "w", {1, 1}, {42.0f}, MatrixPurpose::kTable);
  EXPECT_EQ(weights.take("w", {1, 1}).data()[0], 42.0f);
}

}  // namespace
}  // namespace transformer
