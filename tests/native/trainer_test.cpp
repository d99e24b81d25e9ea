// src/training/trainer: the same bits for any number of threads, the model of inference, states, and refusals.
#include "training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/errors.h"
#include "support/random_data.h"
#include "support/training_case.h"
#include "transformer/transformer.h"

namespace transformer::training {
namespace {

using namespace testing;

class TrainerTest : public ::testing::TestWithParam<std::string> {};

std::vector<float> all_numbers(Trainer& trainer) {
  std::vector<float> numbers;
  for (const Parameter& one : trainer.parameters().all()) {
    for (const Tensor* part : {&one.value, &one.mean, &one.square}) {
      numbers.insert(numbers.end(), part->data(), part->data() + part->size());
    }
  }
  return numbers;
}

// Of many sequences, so that there is work for several threads.
Batch large_batch(const TrainingCase& given) {
  Random random(3);
  Batch batch;
  const auto fill = [&](TokenRows& rows) {
    rows.offsets = {0};
    for (int row = 0; row < 40; ++row) rows.offsets.push_back(rows.offsets.back() + random_int(random, 1, 9));
    rows.ids = random_ids(random, rows.offsets.back(), given.json["vocab"]);
  };
  fill(batch.inputs);
  if (!given.batch.source.ids.empty()) fill(batch.source);
  batch.targets = random_ids(random, count_of(batch.inputs.ids), given.json["vocab"]);
  return batch;
}

TEST_P(TrainerTest, SameBitsForAnyNumberOfThreads) {
  const TrainingCase given(GetParam());
  const Batch batch = large_batch(given);
  std::vector<float> first;
  for (const int count : {1, 2, 3}) {
    ThreadPool threads(count);
    Trainer trainer(given.config, given.options);
    for (int step = 0; step < 3; ++step) trainer.step(batch, threads);
    if (count == 1) first = all_numbers(trainer);
    EXPECT_EQ(all_numbers(trainer), first) << count;
  }
}

TEST_P(TrainerTest, ItsParametersAreThoseOfInference) {
  const TrainingCase given(GetParam());
  Trainer trainer(given.config, given.options);
  Weights weights = Weights::outline();
  std::size_t count = 0;
  for (const Parameter& one : trainer.parameters().all()) {
    weights.add(one.name, one.value.shape());
    count += one.value.size();
  }
  const Transformer model(weights, given.config);
  EXPECT_TRUE(weights.problems().empty()) << weights.problems().front();
  EXPECT_TRUE(weights.names().empty()) << weights.names().front();
  EXPECT_EQ(trainer.parameters().count(), count);
}

TEST_P(TrainerTest, BeginsWithTheRandomWeightsOfInference) {
  TrainingCase given(GetParam());
  given.options.seed = 5;
  Trainer trainer(given.config, given.options);
  Weights random = Weights::random(5);
  for (const Parameter& one : trainer.parameters().all()) {
    const Tensor expected = random.take(one.name, one.value.shape());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(one.value.data()[i], expected.data()[i]) << one.name;
  }
}

TEST_P(TrainerTest, ContinuesFromAState) {
  const TrainingCase given(GetParam());
  ThreadPool threads(1);
  Trainer whole(given.config, given.options), first(given.config, given.options), second(given.config, given.options);
  for (int step = 0; step < 5; ++step) whole.step(given.batch, threads);
  for (int step = 0; step < 2; ++step) first.step(given.batch, threads);
  for (const Parameter& one : first.parameters().all()) {
    for (const Part part : {Part::kValue, Part::kMean, Part::kSquare}) {
      second.restore(one.name, part, first.part(one.name, part));
    }
  }
  second.restore_steps(first.steps());
  for (int step = 2; step < 5; ++step) EXPECT_EQ(second.step(given.batch, threads).step, step + 1);
  EXPECT_EQ(all_numbers(second), all_numbers(whole));
}

INSTANTIATE_TEST_SUITE_P(All, TrainerTest, ::testing::ValuesIn(kTrainingCases),
                         [](const auto& test) { return test.param; });

TEST(TrainerErrorsTest, ALossThatIsNotFiniteChangesNothing) {
  const TrainingCase given("decoder_learned");
  const auto trainer = given.trainer();
  ThreadPool threads(1);
  trainer->step(given.batch, threads);
  Parameter& weight = trainer->parameters().find("decoder.layers.0.feed_forward.fc1.weight");
  const float number = *weight.value.data();
  *weight.value.data() = std::numeric_limits<float>::quiet_NaN();
  const auto before = trainer->part("projection.weight", Part::kValue).clone();
  const Error error = error_of([&] { trainer->step(given.batch, threads); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(std::string(error.what()).find("the loss of step 2 is NaN"), std::string::npos) << error.what();
  const Tensor& after = trainer->part("projection.weight", Part::kValue);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before.data()[i], after.data()[i]);
  *weight.value.data() = number;
  EXPECT_EQ(trainer->step(given.batch, threads).step, 2);
}

TEST(TrainerErrorsTest, BatchesThatDoNotFit) {
  const TrainingCase given("both_sinusoidal");
  const auto trainer = given.trainer();
  ThreadPool threads(1);
  const auto message = [&](const auto& change) {
    Batch batch = given.batch;
    change(batch);
    return message_of([&] { trainer->step(batch, threads); });
  };
  EXPECT_EQ(message([](Batch& b) { b.targets.pop_back(); }),
            "targets must be as many as the tokens of inputs (15), got 14");
  EXPECT_EQ(message([](Batch& b) { b.targets[0] = 11; }), "the target 11 is outside of the vocabulary of 11");
  EXPECT_EQ(message([](Batch& b) { b.inputs.ids[0] = -1; }), "token id -1 is outside of the vocabulary of 11");
  EXPECT_EQ(message([](Batch& b) { b.source.offsets[1] = 0; }), "sequence 0 of source is empty");
  EXPECT_EQ(message([](Batch& b) { b.source = {}; }), "source must be at least one sequence of token ids");
  EXPECT_EQ(message([](Batch& b) { b.source.offsets = {0, 12}; }),
            "source and inputs must have as many sequences, got 1 and 3");
  EXPECT_NE(message([](Batch& b) { b.source.offsets = {0, 10, 11, 12}; }).find("9"), std::string::npos);
  EXPECT_NE(message([](Batch& b) { b.targets.assign(15, -1); }).find("no target"), std::string::npos);
}

TEST(TrainerErrorsTest, SettingsThatTrainingDoesNotKnow) {
  const TrainingCase given("decoder_learned");
  const auto code = [&](const auto& change) {
    TransformerConfig config = given.config;
    TrainingOptions options = given.options;
    change(config, options);
    return code_of([&] { Trainer(config, options); });
  };
  EXPECT_EQ(code([](auto& config, auto&) { config.decoder.windows = {1, 1}; }), ErrorCode::kUnsupported);
  EXPECT_EQ(code([](auto& config, auto&) { config.decoder.positions = AlibiPositions{}; }), ErrorCode::kUnsupported);
  EXPECT_EQ(code([](auto& config, auto&) { config.decoder.layer.feed_forward.activation = Activation::kMish; }),
            ErrorCode::kUnsupported);
  EXPECT_EQ(code([](auto& config, auto&) { config.projection.vocab = 0; }), ErrorCode::kUnsupported);
  EXPECT_EQ(code([](auto& config, auto&) { config.decoder.vocab = config.projection.vocab = 10'000'000; }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto&, auto& options) { options.optimizer.learning_rate = 0; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto&, auto& options) { options.optimizer.total_steps = 1; }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code([](auto&, auto& options) { options.label_smoothing = 1; }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace transformer::training
