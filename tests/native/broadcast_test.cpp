// src/base/broadcast and kernels over whole tensors: shapes matched as NumPy does, against elements by their index.
#include "base/broadcast.h"

#include <gmock/gmock.h>

#include "kernels/norm.h"
#include "matrices/matmul.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/naive_tensors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

void expect_refused(const Error& error, const char* message) {
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr(message));
}

TEST(BroadcastTest, MatchesShapesFromTheRight) {
  EXPECT_EQ(broadcast_shapes({}, {}, "both"), Shape{});
  EXPECT_EQ(broadcast_shapes({3}, {}, "both"), Shape{3});
  EXPECT_EQ(broadcast_shapes({2, 1, 4}, {3, 1}, "both"), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({1}, {0}, "both"), Shape{0}) << "an empty axis stays empty";
  expect_refused(error_of([] { broadcast_shapes({2, 3}, {2, 4}, "a and b"); }),
                 "a and b do not broadcast: [2, 3] and [2, 4]");
  expect_refused(error_of([] { broadcast_shapes({2}, {0}, "a and b"); }), "[2] and [0]");
}

TEST(BroadcastTest, SplitsLeadingAxesFromTheLast) {
  const Tensor x = Tensor::zeros({2, 3, 4, 5});
  EXPECT_EQ(leading_axes(x, 2, "x", "[..., m, k]"), (Shape{2, 3}));
  EXPECT_EQ(leading_axes(x, 4, "x", "[..., a, b, c, d]"), Shape{});
  EXPECT_EQ(last_axis(x), 5);
  EXPECT_EQ(last_axis(x, 4), 2);
  EXPECT_EQ(joined({2, 3}, {4}), (Shape{2, 3, 4}));
  expect_refused(error_of([] { leading_axes(Tensor({4}), 2, "x", "[..., m, k]"); }),
                 "x must have the shape [..., m, k], got [4]");
}

TEST(BroadcastTest, RepeatsLeadingAxes) {
  Random random(1);
  const Shape leading = {2, 3, 2};
  for (const Shape& own : {Shape{}, Shape{2}, Shape{1}, Shape{3, 1}, Shape{1, 2}, Shape{2, 1, 2}, Shape{2, 3, 2}}) {
    const Tensor x = random_tensor(random, joined(own, {4, 5}));
    const Tensor result = broadcast_leading(x.clone(), leading, 2, "x");
    const Shape shape = joined(leading, {4, 5});
    ASSERT_EQ(result.shape(), shape);
    for (const Index& index : indices_of(shape)) {
      // The last two axes are not repeated, so they are those of x at any leading index.
      ASSERT_EQ(broadcast_at(result, index), broadcast_at(x, index)) << to_string(own);
    }
    int place = 0;
    for (const Index& index : indices_of(leading)) {
      const ConstView matrix = matrix_at(result, place++);
      EXPECT_EQ(matrix.rows, 4);
      EXPECT_EQ(matrix.row(3)[2], broadcast_at(x, joined_index(index, {3, 2})));
    }
  }
  expect_refused(error_of([] { broadcast_leading(Tensor({3, 4, 5}), {2}, 2, "x"); }),
                 "the leading axes of x do not broadcast: [3] and [2]");
  expect_refused(error_of([] { broadcast_leading(Tensor({2, 4, 5}), {1}, 2, "x"); }),
                 "[2] of x do not broadcast to [1]");
}

TEST(MatmulTest, MatchesTheTwinWithBroadcastLeadingAxes) {
  Random random(2);
  ThreadPool threads(2);
  const std::pair<Shape, Shape> leading[] = {
      {{}, {}}, {{3}, {}}, {{}, {3}}, {{2, 1}, {3}}, {{1}, {2}}, {{2, 3}, {2, 3}}, {{2, 1, 2}, {1, 3, 1}}, {{0}, {}}};
  for (const auto& [of_a, of_b] : leading) {
    for (const auto& [m, k, n] : {std::array{1, 1, 1}, std::array{5, 7, 9}, std::array{3, 0, 4}}) {
      const Tensor a = random_tensor(random, joined(of_a, {m, k})), b = random_tensor(random, joined(of_b, {k, n}));
      const Tensor c = matmul(a.clone(), b.clone(), threads);
      const Shape shape = broadcast_shapes(of_a, of_b, "");
      ASSERT_EQ(c.shape(), joined(shape, {m, n}));
      for (const Index& at : indices_of(shape)) {
        for (int row = 0; row < m; ++row) {
          for (int col = 0; col < n; ++col) {
            Sum sum;
            for (int i = 0; i < k; ++i) {
              sum.add(broadcast_at(a, joined_index(at, {row, i})), broadcast_at(b, joined_index(at, {i, col})));
            }
            ASSERT_NEAR(broadcast_at(c, joined_index(at, {row, col})), sum.value, kEpsilon * (k + 1) * sum.magnitude);
          }
        }
      }
    }
  }
}

TEST(MatmulTest, RefusesShapesThatDoNotFit) {
  ThreadPool threads(1);
  const auto refused = [&](const Shape& a, const Shape& b, const char* message) {
    expect_refused(error_of([&] { matmul(Tensor(a), Tensor(b), threads); }), message);
  };
  refused({2, 3}, {2, 3}, "a and b cannot be multiplied: [2, 3] and [2, 3]");
  refused({3}, {3, 2}, "a must have the shape [..., m, k], got [3]");
  refused({2, 3}, {3}, "b must have the shape [..., k, n], got [3]");
  refused({2, 4, 3}, {3, 3, 5}, "the leading axes of a and b do not broadcast: [2] and [3]");
}

TEST(NormTensorTest, NormalisesTheLastAxis) {
  Random random(3);
  const float eps = 1e-5f;
  const Tensor weight = random_tensor(random, {6}), bias = random_tensor(random, {6});
  for (const Shape& shape : {Shape{6}, Shape{2, 6}, Shape{2, 3, 6}, Shape{0, 6}}) {
    const Tensor x = random_tensor(random, shape);
    Tensor layer(shape), rms(shape), plain(shape);
    layer_norm(x.matrix(), weight.data(), bias.data(), eps, layer.matrix());
    layer_norm(x.matrix(), nullptr, nullptr, eps, plain.matrix());
    rms_norm(x.matrix(), weight.data(), eps, rms.matrix());
    EXPECT_TRUE(same_bits(layer_norm(x.clone(), weight, bias, eps), layer)) << to_string(shape);
    EXPECT_TRUE(same_bits(layer_norm(x.clone(), {}, {}, eps), plain)) << to_string(shape);
    EXPECT_TRUE(same_bits(rms_norm(x.clone(), weight, eps), rms)) << to_string(shape);
  }
  const Tensor x = random_tensor(random, {2, 5});
  expect_refused(error_of([&] { layer_norm(x.clone(), weight, {}, eps); }), "weight must have the shape [5], got [6]");
  expect_refused(error_of([&] { layer_norm(x.clone(), {}, bias, eps); }), "bias must have the shape [5], got [6]");
  expect_refused(error_of([&] { rms_norm(x.clone(), weight, eps); }), "weight must have the shape [5], got [6]");
}

}  // namespace
}  // namespace transformer
