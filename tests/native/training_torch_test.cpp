// src/training against PyTorch in float64: losses, every gradient, attention weights, and steps of AdamW.
#include <gtest/gtest.h>

#include "support/training_case.h"

namespace transformer::training {
namespace {

using namespace testing;

constexpr double kBound = 1e-5;

class TrainingTorchTest : public ::testing::TestWithParam<std::string> {};

// Records all attention weights.
class WeightsObserver : public Observer {
 public:
  bool wants(std::string_view path) const override { return path.ends_with(".weights"); }
  void record(std::string_view path, Tensor tensor) override { found.emplace(std::string(path), std::move(tensor)); }

  std::map<std::string, Tensor> found;
};

TEST_P(TrainingTorchTest, GradientsAreThoseOfPyTorch) {
  const TrainingCase given(GetParam());
  const auto trainer = given.trainer();
  ThreadPool threads(1);
  WeightsObserver observer;
  const StepResult result = trainer->step(given.batch, threads, &observer);
  EXPECT_NEAR(result.loss, given.fixture.numbers("loss")[0], kBound);
  EXPECT_NEAR(result.grad_norm, given.fixture.numbers("grad_norm")[0], kBound);
  std::size_t compared = 0;
  for (const Parameter& one : trainer->parameters().all()) {
    expect_near(one.gradient.data(), given.fixture.numbers("grad." + one.name), kBound, one.name);
    compared += 1;
  }
  for (const auto& [name, stored] : given.fixture.tensors()) {
    if (name.starts_with("param.")) compared -= 1;
    if (!name.starts_with("weights.")) continue;
    const auto found = observer.found.find(name.substr(8) + ".weights");
    ASSERT_NE(found, observer.found.end()) << name;
    ASSERT_EQ(found->second.shape(), stored.shape) << name;
    expect_near(found->second.data(), stored.numbers(), kBound, name);
  }
  EXPECT_EQ(compared, 0u) << "every parameter of the twin is one of ours";
}

TEST_P(TrainingTorchTest, StepsAreThoseOfAdamW) {
  const TrainingCase given(GetParam());
  const auto trainer = given.trainer();
  ThreadPool threads(1);
  for (const double expected : given.fixture.numbers("losses")) {
    EXPECT_NEAR(trainer->step(given.batch, threads).loss, expected, kBound);
  }
  // Adam divides each number by its own size, so that rounding decides where a gradient is nothing but rounding: the
  // biases of keys, which shift all scores of a query alike.
  for (const Parameter& one : trainer->parameters().all()) {
    if (one.name.ends_with("k_proj.bias")) continue;
    expect_near(one.value.data(), given.fixture.numbers("after." + one.name), 10 * kBound, one.name);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TrainingTorchTest, ::testing::ValuesIn(kTrainingCases),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace transformer::training
