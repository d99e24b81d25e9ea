// Every allocation of a load, a forward and a generation fails once: each time std::bad_alloc or a typed error must
// come out, nothing may leak, and the same objects must work afterwards. The sanitizers watch all of it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "generation/generator.h"
#include "support/random_model.h"
#include "transformer/model_pass.h"
#include "weights/loader.h"

namespace {

std::atomic<long> allocations_until_failure = -1;  // negative: none fails
std::atomic<long> live_allocations = 0;

void* allocate(std::size_t bytes) {
  if (allocations_until_failure.load(std::memory_order_relaxed) >= 0 &&
      allocations_until_failure.fetch_sub(1, std::memory_order_relaxed) == 0) {
    throw std::bad_alloc();
  }
  void* block = std::malloc(bytes > 0 ? bytes : 1);
  if (!block) throw std::bad_alloc();
  live_allocations.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void release(void* block) {
  if (!block) return;
  live_allocations.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

namespace transformer {
namespace {

using namespace testing;

// Runs `work` with its n-th allocation failing, for n = 0, 1, 2, ... until none fails. -> the number of failures
template <class F>
long fail_each_allocation(const F& work) {
  for (long n = 0;; ++n) {
    const long before = live_allocations;
    allocations_until_failure = n;
    bool failed = false;
    try {
      work();
    } catch (const std::bad_alloc&) {
      failed = true;
    } catch (const Error&) {
      failed = true;
    }
    const bool reached = allocations_until_failure < 0;
    allocations_until_failure = -1;
    EXPECT_EQ(live_allocations, before) << "allocation " << n << " leaks";
    if (!reached) return n;
    EXPECT_TRUE(failed) << "allocation " << n << " failed, and nobody was told";
    if (live_allocations != before || !failed) return n;
  }
}

TransformerConfig small_config() {
  return plain_config({.layers = 1, .d_model = 8, .heads = 2, .d_ff = 12, .vocab = 11});
}

TEST(AllocationFailuresTest, InALoad) {
  const long failures = fail_each_allocation([] {
    WeightsLoader loader{Weights()};
    const std::vector<std::uint8_t> bytes(8 * 12 * sizeof(float));
    for (const char* name : {"a.long.name.weight", "another.long.name.weight"}) {
      loader.declare(name, {12, 8}, StoredType::kF32);
      loader.write(name, 0, bytes);
    }
    loader.complete().take_matrix("a.long.name.weight", 12, 8);
  });
  EXPECT_GT(failures, 5);
}

TEST(AllocationFailuresTest, InAModelAndItsPasses) {
  const TransformerConfig config = small_config();
  const long made = fail_each_allocation([&] {
    Weights weights = Weights::random(3, Dtype::kInt8);
    Transformer model(weights, config);
  });
  EXPECT_GT(made, 50);
  Weights weights = Weights::random(3);
  const Transformer model(weights, config);
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    const long failures = fail_each_allocation([&] {
      Arena arena;
      Workspace workspace{arena, pool};
      ForwardCall call;
      call.src = {{2, 3}, true, {1, 2, 3, 4, 5, 6}, {}};
      call.tgt = {{2, 2}, true, {1, 2, 3, 4}, {}};
      forward(model, std::move(call), workspace);
    });
    EXPECT_GT(failures, 10);
  }
}

TEST(AllocationFailuresTest, InAGeneration) {
  Weights weights = Weights::random(3);
  const Transformer model(weights, small_config());
  GenerationInput input;
  input.sources = {{1, 2, 3}, {4, 5}};
  input.prompts = {{1}, {1, 2}};
  GenerationOptions beams, samples;
  beams.num_beams = 3;
  beams.no_repeat_ngram_size = 2;
  beams.bad_words_ids = {{3, 4}};
  samples.do_sample = true;
  samples.num_return_sequences = 2;
  samples.top_k = 5;
  samples.top_p = 0.9f;
  samples.typical_p = 0.9f;
  ThreadPool pool(2);
  for (GenerationOptions* options : {&beams, &samples}) {
    options->max_new_tokens = 4;
    const long failures = fail_each_allocation([&] {
      Arena arena;
      Workspace workspace{arena, pool};
      Generator generator(model, input, *options, workspace);
      while (!generator.done()) generator.step();
      generator.search(0).results();
      generator.search(0).certain();
    });
    EXPECT_GT(failures, 50);
  }
}

// Who is told stops; whoever is not told has the right result, in this batch and in the next one.
TEST(AllocationFailuresTest, AmongCallersThatShareABatch) {
  Weights weights = Weights::random(3);
  const Transformer model(weights, small_config());
  GenerationInput input;
  input.sources = {{1, 2, 3}, {4, 5}};
  input.prompts = {{1}, {1, 2}};
  GenerationOptions options;
  options.num_beams = 2;
  options.max_new_tokens = 4;
  ThreadPool pool(1);
  struct Caller {
    Caller(const Transformer& model, const GenerationInput& input, const GenerationOptions& options, ThreadPool& pool)
        : workspace{arena, pool}, generator(model, input, options, workspace) {}
    std::vector<int> ids() const { return generator.search(0).results()[0].ids; }
    Arena arena;
    Workspace workspace;
    Generator generator;
  };
  Caller alone(model, input, options, pool);
  while (!alone.generator.done()) alone.generator.step();
  const std::vector<int> expected = alone.ids();
  const long failures = fail_each_allocation([&] {
    Company company;
    company.prefixes.limit_to(1 << 20);
    std::unique_ptr<Caller> callers[3];
    bool failed = false;
    const auto attempt = [&](std::unique_ptr<Caller>& caller, const auto& act) {
      try {
        act();
      } catch (const std::bad_alloc&) {
        failed = true;
        caller = nullptr;
      }
    };
    for (int step = 0; step < 20; ++step) {
      // The last two begin together.
      for (auto& caller : std::span(callers).first(step == 0 ? 1 : 3)) {
        if (caller) continue;
        attempt(caller, [&] {
          caller = std::make_unique<Caller>(model, input, options, pool);
          caller->generator.share(company);
        });
      }
      for (auto& caller : callers) {
        if (caller && !caller->generator.done()) attempt(caller, [&] { caller->generator.step(); });
      }
    }
    for (const auto& caller : callers) {
      if (!caller->generator.done() || caller->ids() != expected) throw std::logic_error("a wrong result");
    }
    // Those that could not begin together have begun one by one, and nobody need be told.
    if (failed || allocations_until_failure < 0) throw std::bad_alloc();
  });
  EXPECT_GT(failures, 100);
}

// A batch that is never empty holds no more memory after many callers than after a few.
TEST(AllocationFailuresTest, ABatchKeepsNothingOfCallersThatHaveLeft) {
  Weights weights = Weights::random(3);
  TransformerConfig config = small_config();
  config.encoder.positions = config.decoder.positions = NoPositions();
  const Transformer model(weights, config);
  GenerationInput input;
  input.sources = {{1, 2, 3}};
  input.prompts = {{1, 2}};
  GenerationOptions options;
  options.max_new_tokens = 3;
  ThreadPool pool(1);
  Arena arena, lasting_arena;
  Workspace workspace{arena, pool}, lasting_workspace{lasting_arena, pool};
  Company company;
  GenerationOptions long_options = options;
  long_options.max_new_tokens = 100000;
  Generator lasting(model, input, long_options, lasting_workspace);
  lasting.share(company);
  lasting.step();
  long few = 0;
  for (int i = 0; i < 60; ++i) {
    Generator passing(model, input, options, workspace);
    passing.share(company);
    while (!passing.done()) passing.step();
    lasting.step();
    if (i == 10) few = live_allocations;
  }
  EXPECT_LE(live_allocations, few + 10) << "a page for the lasting text now and then";
}

}  // namespace
}  // namespace transformer
