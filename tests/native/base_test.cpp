// src/base: threads, scratch memory, tensors, errors, random numbers.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "base/arena.h"
#include "base/power.h"
#include "base/random.h"
#include "base/workspace.h"
#include "support/errors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using testing::code_of;
using testing::random_int;

class ThreadPoolTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolTest, RunsEveryTaskOnceOnAThreadOfThePool) {
  ThreadPool pool(GetParam());
  for (int tasks : {0, 1, 2, 3, 7, 64, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
    std::atomic<bool> is_thread_known = true;
    pool.parallel_for(tasks, [&](int task, int thread) {
      runs[task].fetch_add(1);
      if (thread < 0 || thread >= pool.size()) is_thread_known = false;
    });
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count.load(), 1);
    EXPECT_TRUE(is_thread_known);
  }
}

TEST_P(ThreadPoolTest, NoTwoTasksShareAThreadNumberAtTheSameTime) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(pool.size()));
  std::atomic<int> collisions = 0;
  for (int round = 0; round < 50; ++round) {
    pool.parallel_for(20, [&](int, int thread) {
      if (busy[thread].exchange(1) != 0) collisions.fetch_add(1);
      std::this_thread::yield();
      busy[thread].store(0);
    });
  }
  EXPECT_EQ(collisions.load(), 0);
}

// Memory written in one loop is read by other threads in the next, as thousands of times in a forward pass.
TEST_P(ThreadPoolTest, ManySmallLoopsSeeEachOthersResults) {
  ThreadPool pool(GetParam());
  Random random(7);
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> expected = numbers;
  for (int round = 0; round < 5000; ++round) {
    const int tasks = random_int(random, 1, 64);
    const std::vector<int> before = numbers;
    pool.parallel_for(tasks, [&](int task, int) {
      const auto at = static_cast<std::size_t>(task);
      numbers[at] = before[(at + 1) % 64] + 1;
    });
    for (int task = 0; task < tasks; ++task) {
      const auto at = static_cast<std::size_t>(task);
      expected[at] = before[(at + 1) % 64] + 1;
    }
    ASSERT_EQ(numbers, expected) << "round " << round;
  }
}

// A worker without work goes to sleep, and must wake for the next loop.
TEST_P(ThreadPoolTest, WakesSleepingWorkers) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> runs = 0;
    pool.parallel_for(8, [&](int, int) { runs.fetch_add(1); });
    EXPECT_EQ(runs.load(), 8);
  }
}

TEST_P(ThreadPoolTest, CanBeDestroyedAtOnce) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(GetParam());
    if (round % 2 == 0) pool.parallel_for(4, [](int, int) {});
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, ::testing::Values(1, 2, 3, 4, 8));

TEST(ThreadPoolTest, RunsSmallLoopsInTheCaller) {
  ThreadPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0;
  pool.parallel_for(100, 10.0, [&](int, int) { elsewhere.fetch_add(std::this_thread::get_id() != caller); });
  EXPECT_EQ(elsewhere.load(), 0);
}

TEST(ThreadPoolTest, RefusesACountOutsideOfItsRange) {
  for (int threads : {-1, 0, ThreadPool::kMaxThreads + 1}) {
    EXPECT_EQ(code_of([&] { ThreadPool pool(threads); }), ErrorCode::kInvalidArgument) << threads;
  }
}

TEST(ArenaTest, GivesAlignedMemoryThatDoesNotOverlap) {
  Arena arena;
  Random random(1);
  std::vector<std::pair<float*, std::size_t>> taken;
  for (int i = 0; i < 200; ++i) {
    const auto count = static_cast<std::size_t>(random_int(random, 0, 5000));
    float* memory = arena.take(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kCacheLine, 0u);
    std::fill_n(memory, count, static_cast<float>(i));
    taken.emplace_back(memory, count);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const auto [memory, count] = taken[i];
    EXPECT_EQ(std::count(memory, memory + count, static_cast<float>(i)), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(ArenaTest, TheSamePassAgainAllocatesNothingAndGetsTheSameMemory) {
  Arena arena;
  auto pass = [&arena] {
    const Arena::Scope scope(arena);
    std::vector<const float*> places;
    for (int layer = 0; layer < 10; ++layer) {
      const Arena::Scope inner(arena);
      places.push_back(arena.take(33, 777).data);
      places.push_back(arena.take(5000));
    }
    return places;
  };
  pass();
  const std::size_t capacity = arena.capacity();
  const std::vector<const float*> second = pass();
  EXPECT_EQ(pass(), second);
  EXPECT_EQ(arena.capacity(), capacity);
  EXPECT_LT(capacity, 4u * (33 * 777 + 5000)) << "scopes must reuse what inner scopes gave back";
}

TEST(BufferTest, RefusesMoreThanMemoryCanAddress) {
  EXPECT_EQ(float_count({}), 1u);
  EXPECT_EQ(float_count({3, 0, 5}), 0u);
  EXPECT_EQ(float_count({3, 4, 5}), 60u);
  EXPECT_THROW(float_count({INT_MAX, INT_MAX, INT_MAX}), std::bad_alloc);
  EXPECT_THROW(Buffer(SIZE_MAX / 2), std::bad_alloc);
}

TEST(TensorTest, CountsItsElements) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({2, 3, 4}), 24u);
  EXPECT_EQ(element_count({2, 0, 4}), 0u);
  EXPECT_EQ(code_of([] { element_count({2, -1}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { element_count({1 << 16, 1 << 15}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { element_count({INT_MAX, INT_MAX, INT_MAX, INT_MAX}); }), ErrorCode::kInvalidArgument);
  // Loops run over the axes of a tensor without elements, too.
  EXPECT_EQ(element_count({0, 512, 50000}), 0u);
  EXPECT_EQ(code_of([] { element_count({INT_MAX, 0}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { element_count({0, 1 << 20, 1 << 20}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(to_string({2, 7, 16}), "[2, 7, 16]");
}

TEST(TensorTest, IsSeenAsAMatrixOfItsLastAxis) {
  Tensor tensor = Tensor::zeros({2, 3, 4});
  std::iota(tensor.data(), tensor.data() + tensor.size(), 0.0f);
  const View matrix = tensor.matrix();
  EXPECT_EQ(matrix.rows, 6);
  EXPECT_EQ(matrix.cols, 4);
  EXPECT_EQ(matrix.row(5)[3], 23.0f);
  EXPECT_EQ(matrix.row_range(2, 3).column_range(1, 2).row(2)[1], 18.0f);
  EXPECT_EQ(Tensor({0, 4}).matrix().rows, 0);
  EXPECT_EQ(Tensor({4, 0}).matrix().rows, 4);
  EXPECT_EQ(Tensor(Shape{}).matrix().rows, 1);
  EXPECT_EQ(Tensor().matrix().rows, 0);
  EXPECT_TRUE(Tensor().empty());

  const Tensor copy = tensor.clone();
  tensor.data()[0] = 99.0f;
  EXPECT_EQ(copy.data()[0], 0.0f);
  EXPECT_EQ(copy.shape(), tensor.shape());
}

TEST(ErrorTest, NamesItsCodesAsJavaScriptSeesThem) {
  EXPECT_EQ(name_of(ErrorCode::kInvalidArgument), "invalid_argument");
  EXPECT_EQ(name_of(ErrorCode::kBadCheckpoint), "bad_checkpoint");
  EXPECT_EQ(name_of(ErrorCode::kOutOfMemory), "out_of_memory");
  EXPECT_EQ(concat("a ", 1, std::string(" b "), std::string_view("c")), "a 1 b c");
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_EQ(code_of([] { require(false, "why"); }), ErrorCode::kInvalidArgument);
}

TEST(ErrorTest, WritesNumbersShortly) {
  EXPECT_EQ(concat(-7, " ", 1'000'000'000'000, " ", 2.0f, " ", 0.5f, " ", -0.001), "-7 1000000000000 2 0.5 -0.001");
  EXPECT_EQ(text_of(1.0 / 3.0), "0.333333");
  EXPECT_EQ(text_of(0.9999999), "1");
  EXPECT_EQ(text_of(10.05), "10.05");
  EXPECT_EQ(text_of(-0.0), "0");
  EXPECT_EQ(text_of(1e-10), "1e-10");
  EXPECT_EQ(text_of(-2.5e20), "-2.5e20");
  EXPECT_EQ(text_of(std::numeric_limits<double>::max()), "1.797693e308");
  EXPECT_EQ(text_of(std::nan("")), "NaN");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(PowerTest, IsWithinRoundingOfTheCLibrarys) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double base = 1e-3 + 1e5 * random.uniform();
    const double exponent = 8.0 * random.uniform() - 4.0;
    const double expected = std::pow(base, exponent);
    EXPECT_NEAR(power(base, exponent) / expected, 1.0, 2e-14) << base << "^" << exponent;
  }
  EXPECT_EQ(power(10000.0, 0.0), 1.0);
}

TEST(RandomTest, FollowsFromTheSeedAndIsUniform) {
  Random random(1234567);
  // The first numbers of the reference implementation of SplitMix64 for this seed.
  EXPECT_EQ(random.next(), 6457827717110365317ull);
  EXPECT_EQ(random.next(), 3203168211198807973ull);
  EXPECT_EQ(random.next(), 9817491932198370423ull);

  std::vector<int> counts(10);
  const int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++counts[x * 10];
  }
  // Five standard deviations of a binomial count with p = 1/10; the seed is fixed.
  for (int count : counts) EXPECT_NEAR(count, draws / 10, 5 * std::sqrt(draws * 0.1 * 0.9));
}

class Listener : public Observer {
 public:
  bool wants(std::string_view path) const override { return path != "a.ignored"; }
  void record(std::string_view path, Tensor tensor) override { recorded.emplace_back(path, std::move(tensor)); }
  std::vector<std::pair<std::string, Tensor>> recorded;
};

TEST(WorkspaceTest, OffersTensorsUnderThePathOfTheScopes) {
  Arena arena;
  ThreadPool threads(1);
  Listener listener;
  Workspace workspace{arena, threads, &listener};
  Tensor x = Tensor::zeros({2, 2});
  workspace.offer("top", x.matrix(), {2, 2});
  {
    const PathScope scope(workspace, "a");
    workspace.offer("ignored", x.matrix(), {4});
    {
      const PathScope inner(workspace, "layers", 3);
      workspace.offer("output", x.matrix(), {4});
    }
    workspace.offer("after", x.matrix(), {4});
  }
  EXPECT_EQ(workspace.path, "");
  ASSERT_EQ(listener.recorded.size(), 3u);
  EXPECT_EQ(listener.recorded[0].first, "top");
  EXPECT_EQ(listener.recorded[1].first, "a.layers.3.output");
  EXPECT_EQ(listener.recorded[1].second.shape(), Shape{4});
  EXPECT_EQ(listener.recorded[2].first, "a.after");

  Workspace unwatched{arena, threads};
  const PathScope scope(unwatched, "a");
  EXPECT_FALSE(unwatched.wants("x"));
  EXPECT_EQ(unwatched.path, "");
}

TEST(WorkspaceTest, FindsTheFactorsOfTheRunningLayer) {
  Arena arena;
  ThreadPool threads(1);
  const HeadFactors factors = {{"a.self_attn", {0.5f, 2.0f}}, {"a", {3.0f}}};
  Workspace workspace{.arena = arena, .threads = threads, .head_factors = &factors};
  EXPECT_TRUE(workspace.factors_of_heads().empty());
  {
    const PathScope outer(workspace, "a");
    EXPECT_EQ(workspace.factors_of_heads().size(), 1u);
    {
      const PathScope inner(workspace, "self_attn");
      ASSERT_EQ(workspace.factors_of_heads().size(), 2u);
      EXPECT_EQ(workspace.factors_of_heads()[1], 2.0f);
      EXPECT_FALSE(workspace.wants("weights"));
    }
    const PathScope other(workspace, "cross_attn");
    EXPECT_TRUE(workspace.factors_of_heads().empty());
  }
  Workspace without{arena, threads};
  const PathScope scope(without, "a");
  EXPECT_TRUE(without.factors_of_heads().empty());
}

}  // namespace
}  // namespace transformer
