#include "kernels/machine_limits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "base/buffer.h"
#include "kernels/gemm_int8.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// Long enough for browsers' clocks, which are rounded to 0.1 ms.
constexpr double kTrialSeconds = 0.01;

// Disturbances only slow a trial down, so the best one counts. The measurement ends when this many consecutive trials
// were not better by 1 %; the first ones run before the JavaScript engine has optimized the code.
constexpr int kTrialsInVain = 12;

// What a thread repeats; `share`: the floats that it reads, of those measurements that do.
using Run = void (*)(int times, const float* share, std::size_t count);

// Units per second of all threads, each of which does `units` per time, with a share of `count` floats.
double best_rate(double units, ThreadPool& threads, Run run, const float* shares = nullptr, std::size_t count = 0) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int times) {
    const Clock::time_point begin = Clock::now();
    threads.parallel_for(threads.size(), [&](int task, int) { run(times, shares + task * count, count); });
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  int times = 1;
  double best = 0;
  for (int in_vain = 0; in_vain < kTrialsInVain;) {
    const double trial = seconds(times);
    if (trial < kTrialSeconds / 2 && times < 1 << 28) {
      times *= 2;
      continue;
    }
    const double rate = units * threads.size() * times / trial;
    in_vain = rate > 1.01 * best ? 0 : in_vain + 1;
    best = std::max(best, rate);
  }
  return best;
}

// A sink for unused results, so that the compiler does not remove their computation.
void discard(float result) { [[maybe_unused]] volatile float there = result; }

// A multiply-add as in the matrix product. Where it is two instructions, the sum itself is multiplied: a product of
// constants would be computed only once.
inline Vec next_in_chain(Vec sum, Vec factor, Vec term) {
#if defined(TRANSFORMER_RELAXED_SIMD)
  return multiply_add(factor, term, sum);
#else
  return multiply_add(sum, factor, term);
#endif
}

// Twelve sums, separate variables so that they stay in registers. A multiply-add has a latency of four cycles and two
// start per cycle, so eight must be in flight; as two instructions, the latency doubles. More sums, with the factor and
// the term, would not fit V8's 15 registers. Measured in V8 11.3 and 13.6, GFLOP/s at 3.1 GHz: 8 sums 40 to 43, 10 43,
// 12 45 to 48; as two instructions, 25, 30 and 32.
constexpr int kSums = 12;

// A call takes a few microseconds. Separate functions that are called often: JavaScript engines optimize these.
constexpr int kRepeats = 500;
constexpr int kUnrolled = 4;  // without unrolling it is 5 to 10 % slower

struct Chains {
  float sums[kSums];  // distinct: the compiler would compute equal ones once
  float factor;       // both from memory: V8 would rebuild a constant each time
  float term;
};

[[gnu::noinline]] void multiply_add_in_registers(Chains& chains) {
  const Vec factor(chains.factor), term(chains.term);
  float* const sums = chains.sums;
  Vec a(sums[0]), b(sums[1]), c(sums[2]), d(sums[3]), e(sums[4]), f(sums[5]);
  Vec g(sums[6]), h(sums[7]), i(sums[8]), j(sums[9]), k(sums[10]), l(sums[11]);
  const auto step = [&] {
    a = next_in_chain(a, factor, term);
    b = next_in_chain(b, factor, term);
    c = next_in_chain(c, factor, term);
    d = next_in_chain(d, factor, term);
    e = next_in_chain(e, factor, term);
    f = next_in_chain(f, factor, term);
    g = next_in_chain(g, factor, term);
    h = next_in_chain(h, factor, term);
    i = next_in_chain(i, factor, term);
    j = next_in_chain(j, factor, term);
    k = next_in_chain(k, factor, term);
    l = next_in_chain(l, factor, term);
  };
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (int unrolled = 0; unrolled < kUnrolled; ++unrolled) step();
  }
  sums[0] = xsimd::reduce_add(a + b + c + d + e + f + g + h + i + j + k + l) / (kSums * kLanes);
}

// Reads in as many streams as products do: one alone reads 0.75 of that on Zen 3. A cache line of each in turn; one
// vector at a time, older engines read at half the speed.
constexpr int kStreams = 8;
constexpr int kLine = 4 * kLanes;
constexpr std::size_t kBlock = kStreams * 128 * kLine;  // floats per call, 64 KiB in wasm

[[gnu::noinline]] float read_block(const float* from, std::size_t stride) {
  Vec a(0.0f), b(0.0f), c(0.0f), d(0.0f);
  for (std::size_t i = 0; i < kBlock / kStreams; i += kLine) {
#pragma GCC unroll 1  // for its size
    for (int stream = 0; stream < kStreams; ++stream) {
      const float* line = from + stream * stride + i;
      a += load(line);
      b += load(line + kLanes);
      c += load(line + 2 * kLanes);
      d += load(line + 3 * kLanes);
    }
  }
  return xsimd::reduce_add(a + b + c + d);
}

void multiply_add(int times, const float*, std::size_t) {
  Chains chains = {.sums = {}, .factor = 0.5f, .term = 1.0f};
  std::iota(chains.sums, chains.sums + kSums, static_cast<float>(times));
  for (int time = 0; time < times; ++time) multiply_add_in_registers(chains);
  discard(chains.sums[0]);
}

// A multiple of every tile's rows; 16 KiB at most.
constexpr int kRows = 12, kDepth = 512;

void multiply_integers(int times, const float*, std::size_t) {
  const std::array<std::int8_t, sizeof(std::int16_t) * kRows * kDepth> integers = {};
  const std::array<std::int32_t, kRows> zeros = {};
  const std::array<float, kRows> scales = {};
  std::array<float, kRows * kIntegerPanel> c;
  const DotGroup group = int8_dot_group();
  const int groups = kDepth / size_of(group);
  const std::ptrdiff_t stride = groups * static_cast<std::ptrdiff_t>(sizeof(std::int32_t));
  const QuantizedRows a = {integers.data(), stride, scales.data(), zeros.data(), nullptr, kRows};
  const BytePanels b = {integers.data(), 0, groups, group, scales.data(), zeros.data()};
  for (int time = 0; time < times; ++time) gemm_block(a, 0, b, View(c.data(), kRows, kIntegerPanel));
  discard(c[0]);
}

void read_share(int times, const float* share, std::size_t count) {
  const std::size_t stride = count / kStreams;
  for (int time = 0; time < times; ++time) {
    for (std::size_t at = 0; at < stride; at += kBlock / kStreams) discard(read_block(share + at, stride));
  }
}

}  // namespace

double measure_multiply_adds(ThreadPool& threads) {
  return best_rate(2.0 * kSums * kLanes * kRepeats * kUnrolled, threads, multiply_add);
}

double measure_integer_products(ThreadPool& threads) {
  return best_rate(2.0 * kRows * kDepth * kIntegerPanel, threads, multiply_integers);
}

double measure_reading(std::size_t bytes, ThreadPool& threads) {
  const int shares = threads.size();
  const std::size_t share = std::max<std::size_t>(bytes / sizeof(float) / kBlock / shares, 1) * kBlock;
  Buffer buffer(share * shares);
  std::fill_n(buffer.data(), buffer.size(), 1.0f);
  return best_rate(static_cast<double>(share * sizeof(float)), threads, read_share, buffer.data(), share);
}

}  // namespace transformer
