// The profile of a pass, and the machine limits of its roofline.
#include "base/profiler.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "kernels/machine_limits.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;

constexpr PlainShape kShape = {.layers = 2, .d_model = 24, .heads = 3, .d_ff = 56, .vocab = 40};
constexpr int kSourceTime = 7, kTargetTime = 5;

const Profiler::Part& part_at(const Profiler& profiler, std::string_view path) {
  for (const Profiler::Part& part : profiler.parts()) {
    if (part.path == path) return part;
  }
  ADD_FAILURE() << "there is no part " << path;
  static const Profiler::Part none;
  return none;
}

// One pass over two sequences, the second of which is padded.
Results run_under(Profiler* profiler, const TransformerConfig& config) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, config);
  Bench bench(1, nullptr, profiler);
  Random random(3);
  const Ids source = random_ids(random, kSourceTime, kShape.vocab);
  const Ids target = random_ids(random, kTargetTime, kShape.vocab);
  return run_model(model, {source, {1, 2}}, {target, {3}}, {}, bench);
}

TEST(ProfilerTest, CountsTheWorkOfAPass) {
  Profiler profiler;
  run_under(&profiler, plain_config(kShape));
  const double d = kShape.d_model, d_ff = kShape.d_ff, source_rows = 2 * kSourceTime, target_rows = 2 * kTargetTime;

  for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
    EXPECT_EQ(part_at(profiler, concat("encoder.layers.1.self_attn.", name)).work.flops, 2 * source_rows * d * d);
  }
  EXPECT_EQ(part_at(profiler, "decoder.layers.0.cross_attn.k_proj").work.flops, 2 * source_rows * d * d);
  EXPECT_EQ(part_at(profiler, "decoder.layers.0.cross_attn.q_proj").work.flops, 2 * target_rows * d * d);
  const Work& fc1 = part_at(profiler, "decoder.layers.1.feed_forward.fc1").work;
  EXPECT_EQ(fc1.flops, 2 * target_rows * d * d_ff);
  EXPECT_EQ(fc1.state_bytes, target_rows * (d + d_ff) * sizeof(float));
  EXPECT_GE(fc1.weight_bytes, d * d_ff * sizeof(float));
  EXPECT_LT(fc1.weight_bytes, d * (d_ff + kPanel) * sizeof(float));
  // The residual is read too.
  EXPECT_EQ(part_at(profiler, "decoder.layers.1.feed_forward.fc2").work.state_bytes,
            target_rows * (d_ff + 2 * d) * sizeof(float));
  EXPECT_EQ(part_at(profiler, "projection").work.flops, 2 * target_rows * d * kShape.vocab);

  // Q K^T and weights times V: d multiply-adds each per pair of query and key.
  EXPECT_EQ(part_at(profiler, "encoder.layers.0.self_attn.scaled_dot_product").work.flops,
            2 * 4 * kSourceTime * kSourceTime * d);
  EXPECT_EQ(part_at(profiler, "decoder.layers.0.cross_attn.scaled_dot_product").work.flops,
            2 * 4 * kTargetTime * kSourceTime * d);
  EXPECT_EQ(part_at(profiler, "decoder.layers.0.self_attn.scaled_dot_product").work.flops,
            2 * 4 * (kTargetTime * (kTargetTime + 1) / 2) * d);
}

TEST(ProfilerTest, AccumulatesOverPassesUntilCleared) {
  Profiler profiler;
  const TransformerConfig config = plain_config(kShape);
  run_under(&profiler, config);
  const double once = part_at(profiler, "projection").work.flops;
  const std::size_t parts = profiler.parts().size();
  run_under(&profiler, config);
  EXPECT_EQ(part_at(profiler, "projection").work.flops, 2 * once);
  EXPECT_EQ(profiler.parts().size(), parts);
  profiler.clear();
  EXPECT_TRUE(profiler.parts().empty());
}

TEST(ProfilerTest, ProfilingChangesNoBits) {
  Profiler profiler;
  const TransformerConfig config = plain_config(kShape);
  const Results seen = run_under(&profiler, config), unseen = run_under(nullptr, config);
  EXPECT_TRUE(same_bits(seen.memory, unseen.memory));
  EXPECT_TRUE(same_bits(seen.logits, unseen.logits));
}

TEST(ProfilerTest, TimeBelongsToTheInnermostPart) {
  using namespace std::chrono_literals;
  Profiler profiler;
  Bench bench(1, nullptr, &profiler);
  std::this_thread::sleep_for(1ms);  // outside of all parts
  {
    const PathScope outer(bench.workspace, "outer");
    std::this_thread::sleep_for(10ms);
    {
      const PathScope inner(bench.workspace, "inner", 2);
      bench.workspace.count({.flops = 3, .weight_bytes = 4, .state_bytes = 5});
      std::this_thread::sleep_for(30ms);
    }
  }
  ASSERT_EQ(profiler.parts().size(), 2u);
  const Profiler::Part &outer = profiler.parts()[0], &inner = profiler.parts()[1];
  EXPECT_EQ(outer.path, "outer");
  EXPECT_EQ(inner.path, "outer.inner.2");
  EXPECT_GE(outer.seconds, 0.010);
  EXPECT_GE(inner.seconds, 0.030);
  EXPECT_LT(outer.seconds, inner.seconds);
  EXPECT_EQ(inner.work.flops, 3);
  EXPECT_EQ(outer.work.flops, 0);
}

TEST(MachineLimitsTest, ArePlausibleRates) {
  for (const int size : {1, 2}) {
    ThreadPool threads(size);
    const double flops = measure_multiply_adds(threads);
    EXPECT_GT(flops, 1e6);
    EXPECT_LT(flops, 1e12 * size);  // more would mean that the loop was optimised away
    const double integers = measure_integer_products(threads);
    EXPECT_GT(integers, 1e6);
    EXPECT_LT(integers, 4e12 * size);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 18, std::size_t{1} << 22}) {
      const double rate = measure_reading(bytes, threads);
      EXPECT_GT(rate, 1e6) << bytes;
      EXPECT_LT(rate, 1e12 * size) << bytes;
    }
  }
}

}  // namespace
}  // namespace transformer
