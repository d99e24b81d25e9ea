#include "kernels/machine_limits.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/buffer.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// Long enough for a clock that a browser rounds to 0.1 ms.
constexpr double kTrialSeconds = 0.01;

// Whatever disturbs a trial makes it slower, so the best one counts: when so many in turn were no better by a
// hundredth, there is none to come. The first ones run in code that the JavaScript engine has yet to optimize.
constexpr int kTrialsInVain = 12;

// Units per second of run(times), which does `units` of something each time.
template <class Run>
double best_rate(double units, const Run& run) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&run](int times) {
    const Clock::time_point begin = Clock::now();
    run(times);
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
    const double rate = units * times / trial;
    in_vain = rate > 1.01 * best ? 0 : in_vain + 1;
    best = std::max(best, rate);
  }
  return best;
}

// Where a result goes that nobody needs, so that no compiler leaves out what makes it.
void discard(float result) { [[maybe_unused]] volatile float there = result; }

// sum <- a product + a sum. Where it is one instruction, as in the product of matrices; where it is two, the sum is
// what is multiplied: a compiler would compute a product of constants once for all.
inline Vec go_on(Vec sum, Vec factor, Vec term) {
#if defined(TRANSFORMER_RELAXED_SIMD)
  return multiply_add(factor, term, sum);
#else
  return multiply_add(sum, factor, term);
#endif
}

// Twelve sums, by name so that they stay in registers: a multiply-add takes four cycles and two begin in each, so eight
// must be on their way; where it is a multiply and an add, the wait is twice as long. More of them, with the factor and
// the term, would not fit the 15 registers that V8 has. Measured in V8 11.3 and 13.6, GFLOP/s at 3.1 GHz: 8 sums 40 to
// 43, 10 43, 12 45 to 48 and, as two instructions, 25, 30 and 32.
constexpr int kSums = 12;

// A call takes some microseconds. Functions of their own, and called often: that is what JavaScript engines optimize.
constexpr int kRepeats = 500;
constexpr int kUnrolled = 4;  // one turn at a time is 5 to 10 % slower

struct Chains {
  float sums[kSums];  // different ones: of equal ones a compiler would compute one
  float factor;       // from memory, both: a constant would be made anew each time
  float term;
};

[[gnu::noinline]] void multiply_add_in_registers(Chains& chains) {
  const Vec factor(chains.factor), term(chains.term);
  float* const sums = chains.sums;
  Vec a(sums[0]), b(sums[1]), c(sums[2]), d(sums[3]), e(sums[4]), f(sums[5]);
  Vec g(sums[6]), h(sums[7]), i(sums[8]), j(sums[9]), k(sums[10]), l(sums[11]);
  const auto turn = [&] {
    a = go_on(a, factor, term);
    b = go_on(b, factor, term);
    c = go_on(c, factor, term);
    d = go_on(d, factor, term);
    e = go_on(e, factor, term);
    f = go_on(f, factor, term);
    g = go_on(g, factor, term);
    h = go_on(h, factor, term);
    i = go_on(i, factor, term);
    j = go_on(j, factor, term);
    k = go_on(k, factor, term);
    l = go_on(l, factor, term);
  };
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (int unrolled = 0; unrolled < kUnrolled; ++unrolled) turn();
  }
  sums[0] = xsimd::reduce_add(a + b + c + d + e + f + g + h + i + j + k + l) / (kSums * kLanes);
}

// Eight vectors a step: older engines read one at a time at half the speed.
constexpr int kStep = 8 * kLanes;
constexpr std::size_t kBlock = 512 * kStep;  // floats a call, 64 KiB in wasm

[[gnu::noinline]] float read_block(const float* from) {
  const float* const end = from + kBlock;
  Vec a(0.0f), b(0.0f), c(0.0f), d(0.0f);
  for (; from != end; from += kStep) {
    a += load(from);
    b += load(from + kLanes);
    c += load(from + 2 * kLanes);
    d += load(from + 3 * kLanes);
    a += load(from + 4 * kLanes);
    b += load(from + 5 * kLanes);
    c += load(from + 6 * kLanes);
    d += load(from + 7 * kLanes);
  }
  return xsimd::reduce_add(a + b + c + d);
}

}  // namespace

double measure_multiply_adds(ThreadPool& threads) {
  return best_rate(2.0 * kSums * kLanes * kRepeats * kUnrolled * threads.size(), [&](int times) {
    threads.parallel_for(threads.size(), [&](int, int) {
      Chains chains = {.sums = {}, .factor = 0.5f, .term = 1.0f};
      std::iota(chains.sums, chains.sums + kSums, static_cast<float>(times));
      for (int time = 0; time < times; ++time) multiply_add_in_registers(chains);
      discard(chains.sums[0]);
    });
  });
}

double measure_reading(std::size_t bytes, ThreadPool& threads) {
  const int shares = threads.size();
  const std::size_t share = std::max<std::size_t>(bytes / sizeof(float) / kBlock / shares, 1) * kBlock;
  Buffer buffer(share * shares);
  std::fill_n(buffer.data(), buffer.size(), 1.0f);
  return best_rate(static_cast<double>(buffer.size() * sizeof(float)), [&](int times) {
    threads.parallel_for(threads.size(), [&](int task, int) {
      const float* const begin = buffer.data() + task * share;
      for (int time = 0; time < times; ++time) {
        for (std::size_t at = 0; at < share; at += kBlock) discard(read_block(begin + at));
      }
    });
  });
}

}  // namespace transformer
