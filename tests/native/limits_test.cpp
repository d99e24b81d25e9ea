// Calls at the limits: sizes that cost too much, numbers at the ends of their ranges, keys that must not be read.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <limits>
#include <thread>

#include "attention/attention.h"
#include "attention/luong.h"
#include "base/broadcast.h"
#include "generation/generator.h"
#include "generation/sampler.h"
#include "kernels/norm.h"
#include "positions/alibi.h"
#include "positions/rotary.h"
#include "positions/sinusoidal.h"
#include "support/attention_case.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/random_data.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class F>
double seconds_of(const F& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What these calls took before: for ever, 1.6 s, 7 s for the table of a model, 6 s.
TEST(CostTest, IsThatOfTheResultAndNotOfTheNumbersGiven) {
  EXPECT_LT(seconds_of([] { EXPECT_EQ(alibi_bias(1 << 30, 0, 0).size(), 0u); }), 0.2);
  Random random(1);
  EXPECT_LT(seconds_of([&] { rotated(random_tensor(random, {1, 64}), 1000000, {}); }), 0.2);
  EXPECT_LT(seconds_of([] { Sinusoidal(512, {.max_length = INT_MAX}); }), 0.2);
  EXPECT_LT(seconds_of([] { Rotary(64, {.max_length = INT_MAX}); }), 0.2);
  EXPECT_LT(seconds_of([] { EXPECT_EQ(sinusoidal_positions(1 << 30, {.max_length = 0}).size(), 0u); }), 0.2);
  const Shape many(8000, 1);
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(element_count(many), 1u); }), 0.2);
  EXPECT_THAT(to_string(many), HasSubstr("8000 axes"));
}

TEST(CostTest, AModelThatNoMemoryHoldsIsRefusedBeforeItIsMade) {
  TransformerConfig config = plain_config({.layers = INT_MAX, .d_model = 32768, .heads = 1, .d_ff = 65536, .vocab = 9});
  Weights weights = Weights::random(1);
  config.encoder.num_layers = 1000000000;
  config.decoder.num_layers = 1000000000;
  EXPECT_EQ(code_of([&] { Transformer model(weights, config); }), ErrorCode::kOutOfMemory);
}

// A table grows with the sequences; its rows do not depend on how it grew.
TEST(PositionTableTest, HasTheSameRowsHoweverItGrew) {
  Bench bench;
  const Sinusoidal scheme(6, {.max_length = 1000, .offset = 2});
  const Tensor whole = sinusoidal_positions(6, {.max_length = 1000, .offset = 2});
  for (const int first : {0, 3, 70, 999, 400}) {
    Tensor row = Tensor::zeros({1, 6});
    scheme.add_to_input(row.matrix(), first);
    for (int d = 0; d < 6; ++d) EXPECT_EQ(row.data()[d], whole.matrix().row(first)[d]) << first;
  }
  Tensor row = Tensor::zeros({1, 6});
  EXPECT_EQ(code_of([&] { scheme.add_to_input(row.matrix(), 1000); }), ErrorCode::kInvalidArgument);
}

TEST(ThreadPoolLimitsTest, RunsMoreTasksThanFitIntoItsState) {
  ThreadPool pool(3);
  constexpr int kTasks = (1 << 21) + 5;
  std::vector<char> runs(kTasks);
  pool.parallel_for(kTasks, [&](int task, int) { ++runs[task]; });
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), kTasks);
}

// A thread that never finishes its task is what a dead one looks like.
TEST(WatchdogDeathTest, ALoopThatStandsStillEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadPool pool(2, 0.3);
        std::atomic<bool> taken = false;
        pool.parallel_for(2, [&](int, int thread) {
          if (thread > 0) {
            taken = true;
            for (;;) std::this_thread::yield();
          }
          while (!taken) std::this_thread::yield();
        });
      },
      "");
}

TEST(ThreadPoolLimitsTest, PatienceIsNotSpentWhileTasksEnd) {
  ThreadPool pool(2, 0.4);
  std::atomic<int> done = 0;
  pool.parallel_for(8, [&](int, int thread) {
    if (thread > 0) std::this_thread::sleep_for(std::chrono::milliseconds(150));
    ++done;
  });
  EXPECT_EQ(done, 8);
}

AttentionArguments arguments_of(const Tensor& query, const Tensor& key, const Tensor& value) {
  return {query.clone(), key.clone(), value.clone(), {}, {}};
}

// Along axes that are as long as they can be.
TEST(CostTest, NothingToComputeTakesNoTime) {
  Bench bench;
  const Tensor queries({1 << 30, 0}), keys({3, 0}), no_keys({0, 0});
  const auto attend = [&] { scaled_dot_product_attention(arguments_of(queries, keys, keys), {}, bench.workspace); };
  EXPECT_LT(seconds_of(attend), 0.2);
  const auto score = [&] { luong_attention({queries.clone(), no_keys.clone(), {}, {}}, {}, bench.workspace); };
  EXPECT_LT(seconds_of(score), 0.2);
}

TEST(WindowTest, TheGreatestIsNoWindow) {
  Bench bench;
  Random random(2);
  const Tensor query = random_tensor(random, {5, 4}), key = random_tensor(random, {70, 4});
  const AttentionResult all = scaled_dot_product_attention(arguments_of(query, key, key), {}, bench.workspace);
  const AttentionResult windowed =
      scaled_dot_product_attention(arguments_of(query, key, key), {.window = INT_MAX}, bench.workspace);
  EXPECT_TRUE(same_bits(all.output.matrix(), windowed.output.matrix()));
}

Tensor scalar(float number) {
  Tensor tensor{Shape{}};
  tensor.data()[0] = number;
  return tensor;
}

TEST(ScalarTest, IsAMaskABiasOrACentreAndNotAbsent) {
  EXPECT_TRUE(Tensor().empty());
  EXPECT_TRUE(Tensor().clone().empty());
  EXPECT_FALSE(scalar(1).empty());
  EXPECT_FALSE(Tensor(Shape{0}).empty());
  Bench bench;
  Random random(3);
  const Tensor query = random_tensor(random, {3, 4}), key = random_tensor(random, {6, 4});
  AttentionArguments hidden = arguments_of(query, key, key);
  hidden.mask = scalar(0);
  const AttentionResult none = scaled_dot_product_attention(std::move(hidden), {}, bench.workspace);
  for (std::size_t i = 0; i < none.output.size(); ++i) EXPECT_EQ(none.output.data()[i], 0.0f);
  const ScoredAttention masked = luong_attention({query.clone(), key.clone(), {}, scalar(0)}, {}, bench.workspace);
  for (std::size_t i = 0; i < masked.weights.size(); ++i) EXPECT_EQ(masked.weights.data()[i], 0.0f);
  const ScoredAttention local =
      luong_attention({query.clone(), key.clone(), {}, {}}, {.centers = scalar(0), .D = 0.5f}, bench.workspace);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(local.weights.matrix().row(i)[0], 1.0f);
  EXPECT_EQ(code_of([&] { layer_norm(query.clone(), scalar(1), {}, 1e-5f); }), ErrorCode::kInvalidArgument);
}

TEST(MaskRankTest, AShapeThatMayMeanTwoThingsIsRefused) {
  Bench bench;
  Random random(4);
  const Tensor query = random_tensor(random, {3, 3, 4}), key = random_tensor(random, {3, 6, 4});
  const auto attend = [&](const Shape& mask) {
    Tensor ones = Tensor::zeros(mask);
    std::fill_n(ones.data(), ones.size(), 1.0f);
    luong_attention({query.clone(), key.clone(), {}, std::move(ones)}, {}, bench.workspace);
  };
  EXPECT_THAT(message_of([&] { attend({3, 6}); }), HasSubstr("[batch, 1, keys]"));
  attend({3, 1, 6});
  attend({1, 3, 6});
  attend({6});
}

// Hidden by any kind of mask, a key may hold anything: the bits are those without it.
class HiddenKeyTest : public ::testing::TestWithParam<float> {};

TEST_P(HiddenKeyTest, IsNotRead) {
  Random random(5);
  for (const int keys : {5, 64, 130}) {
    Bench bench(2);
    const int queries = 40;
    const Tensor query = random_tensor(random, {2, queries, 8});
    Tensor key = random_tensor(random, {2, keys, 8}), value = random_tensor(random, {2, keys, 5});
    Tensor mask({2, queries, keys});
    for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = random_int(random, 0, 2) > 0 ? 1.0f : 0.0f;
    const int poisoned = keys - 2;
    for (int row = 0; row < 2 * queries; ++row) mask.matrix().row(row)[poisoned] = 0.0f;
    const auto attend = [&] {
      AttentionArguments arguments = arguments_of(query, key, value);
      arguments.mask = mask.clone();
      return scaled_dot_product_attention(std::move(arguments), {.need_weights = true}, bench.workspace);
    };
    const AttentionResult clean = attend();
    for (int batch = 0; batch < 2; ++batch) {
      std::fill_n(matrix_at(key, batch).row(poisoned), 8, GetParam());
      std::fill_n(matrix_at(value, batch).row(poisoned), 5, GetParam());
    }
    const AttentionResult beside = attend();
    EXPECT_TRUE(same_bits(clean.output.matrix(), beside.output.matrix())) << keys;
    EXPECT_TRUE(same_bits(clean.weights.matrix(), beside.weights.matrix())) << keys;
  }
}

TEST_P(HiddenKeyTest, IsNotReadByEarlierTokensOrInTheOtherAttentions) {
  Bench bench;
  Random random(6);
  const Tensor query = random_tensor(random, {1, 7, 4});
  Tensor key = random_tensor(random, {1, 7, 4});
  const auto causal = [&] {
    return scaled_dot_product_attention(arguments_of(query, key, key), {.is_causal = true}, bench.workspace).output;
  };
  const auto luong = [&] {
    Tensor mask({1, 7, 7});
    for (int i = 0; i < 49; ++i) mask.data()[i] = i % 7 == 6 ? 0.0f : 1.0f;
    return luong_attention({query.clone(), key.clone(), {}, std::move(mask)}, {}, bench.workspace).context;
  };
  const Tensor before = causal(), scored = luong();
  std::fill_n(key.matrix().row(6), 4, GetParam());
  EXPECT_TRUE(same_bits(before.matrix().row_range(0, 6), causal().matrix().row_range(0, 6)));
  EXPECT_TRUE(same_bits(scored.matrix(), luong().matrix()));
}

INSTANTIATE_TEST_SUITE_P(Poison, HiddenKeyTest, ::testing::Values(kNaN, kInfinity, -kInfinity));

TEST(TemperatureTest, NearZeroTakesTheMostLikelyToken) {
  Bench bench;
  for (const float temperature : {1e-3f, 1e-30f, 1e-40f, 1e-45f}) {
    for (const float shift : {-50.0f, 0.0f, 50.0f}) {
      std::vector<float> scores = {1 + shift, 3 + shift, 2 + shift};
      GenerationOptions options;
      options.temperature = temperature;
      sampling_distribution(options, scores, bench.workspace);
      EXPECT_EQ(scores, (std::vector<float>{0, 1, 0})) << temperature;
    }
  }
}

}  // namespace
}  // namespace transformer
