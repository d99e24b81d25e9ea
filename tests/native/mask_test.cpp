// src/attention/mask: the masks and biases of a caller, as terms of the scores.
#include "attention/mask.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/errors.h"
#include "support/naive_tensors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const Shape kScores = {2, 3, 4, 5};  // [batch, heads, queries, keys]

Tensor random_mask(Random& random, const Shape& shape) {
  Tensor mask(shape);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = random_int(random, 0, 1) == 1 ? 1.0f : 0.0f;
  return mask;
}

float at(const ScoreBias& bias, const Index& i) {
  return bias.data ? bias.data[i[0] * bias.batch + i[1] * bias.head + i[2] * bias.query + i[3] * bias.key] : 0.0f;
}

TEST(MaskTest, BroadcastsAMaskAndABias) {
  Random random(1);
  for (const Shape& shape : {Shape{5}, Shape{1}, Shape{4, 5}, Shape{4, 1}, Shape{1, 5}, Shape{3, 4, 5}, Shape{1, 4, 5},
                             Shape{3, 1, 1}, Shape{2, 1, 4, 5}, Shape{1, 3, 1, 5}, Shape{2, 3, 4, 5}}) {
    const Tensor mask = random_mask(random, shape), bias = random_tensor(random, shape);
    const OwnedMask owned = make_mask({mask.clone(), bias.clone(), {}}, {}, kScores);
    for (const Index& index : indices_of(kScores)) {
      ASSERT_EQ(at(owned.view.mask, index), broadcast_at(mask, index) == 1.0f ? 0.0f : kForbidden) << to_string(shape);
      ASSERT_EQ(at(owned.view.bias, index), broadcast_at(bias, index)) << to_string(shape);
      ASSERT_EQ(at(owned.view.padding, index), 0.0f);
    }
  }
}

// As PyTorch stores them.
TEST(MaskTest, SplitsAMergedAxisOfBatchAndHeads) {
  Random random(2);
  const Tensor mask = random_mask(random, {6, 4, 5}), bias = random_tensor(random, {6, 4, 5});
  const OwnedMask owned = make_mask({mask.clone(), bias.clone(), {}}, {}, kScores);
  for (const Index& index : indices_of(kScores)) {
    const Index merged = {index[0] * 3 + index[1], index[2], index[3]};
    ASSERT_EQ(at(owned.view.mask, index), broadcast_at(mask, merged) == 1.0f ? 0.0f : kForbidden);
    ASSERT_EQ(at(owned.view.bias, index), broadcast_at(bias, merged));
  }
}

TEST(MaskTest, PaddingForbidsTheKeysOfItsSequence) {
  Random random(3);
  const Tensor padding = random_mask(random, {2, 5});
  const OwnedMask owned = make_mask({{}, {}, padding.clone()}, {}, kScores);
  for (const Index& index : indices_of(kScores)) {
    ASSERT_EQ(at(owned.view.padding, index), broadcast_at(padding, {index[0], index[3]}) == 1.0f ? 0.0f : kForbidden);
  }
  const OwnedMask of_one = make_mask({{}, {}, random_mask(random, {5})}, {}, {1, 3, 4, 5});
  EXPECT_EQ(of_one.view.padding.key, 1) << "a batch of one needs no batch axis";
}

TEST(MaskTest, NothingGivenAddsNothing) {
  const OwnedMask owned = make_mask({}, {}, kScores);
  EXPECT_EQ(owned.view.mask.data, nullptr);
  EXPECT_EQ(owned.view.bias.data, nullptr);
  EXPECT_EQ(owned.view.padding.data, nullptr);
}

TEST(MaskTest, KeepsMinusInfinityInABias) {
  Tensor bias = Tensor::zeros({5});
  bias.data()[2] = kForbidden;
  const OwnedMask owned = make_mask({{}, std::move(bias), {}}, {}, kScores);
  EXPECT_EQ(at(owned.view.bias, {1, 2, 3, 2}), kForbidden);
}

TEST(MaskTest, RefusesWhatIsNoMask) {
  const MaskNames names = {"memoryMask", "memoryBias", "memoryKeyPaddingMask"};
  const auto refused = [&](MaskTensors tensors, const char* message) {
    const Error error = error_of([&] { make_mask(std::move(tensors), names, kScores); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(message));
  };
  const auto filled = [](const Shape& shape, float number) {
    Tensor tensor(shape);
    std::fill_n(tensor.data(), tensor.size(), number);
    return tensor;
  };
  refused({Tensor::zeros({4, 6}), {}, {}}, "memoryMask of shape [4, 6] does not broadcast");
  refused({{}, Tensor::zeros({1, 1, 1, 1, 5}), {}}, "memoryBias of shape [1, 1, 1, 1, 5] does not broadcast");
  refused({{}, {}, Tensor::zeros({5})}, "memoryKeyPaddingMask must have the shape [batch, keys] = [2, 5], got [5]");
  refused({{}, {}, Tensor::zeros({2, 4})}, "memoryKeyPaddingMask must have the shape");
  refused({filled({5}, 0.5f), {}, {}}, "memoryMask must hold 0 and 1");
  refused({filled({5}, kForbidden), {}, {}}, "memoryMask must hold 0 and 1");
  refused({{}, filled({5}, NAN), {}}, "memoryBias must hold finite numbers or -infinity");
  refused({{}, filled({5}, -kForbidden), {}}, "memoryBias must hold finite numbers or -infinity");
  refused({{}, {}, filled({2, 5}, 2.0f)}, "memoryKeyPaddingMask must hold 0 and 1");
}

}  // namespace
}  // namespace transformer
