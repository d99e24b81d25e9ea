// src/kernels/quantize_nibbles: against a twin that tries one scale after the other, number by number.
#include "kernels/quantize_nibbles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

using Weights = std::array<float, kNibbleGroup>;

float nearest(float steps) { return std::clamp(std::nearbyint(steps), -8.0f, 7.0f); }

std::uint16_t to_bf16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float squared_error(const Weights& w, float inverse) {
  float sums[8] = {};
  for (std::size_t i = 0; i < w.size(); ++i) {
    const float error = w[i] * inverse - nearest(w[i] * inverse);
    sums[i % 8] += error * error;
  }
  float sum = 0;
  for (const float one : sums) sum += one;
  return sum;
}

std::uint16_t naive_scale(const Weights& w) {
  float largest = 0;
  for (const float x : w) largest = std::max(largest, std::abs(x));
  if (largest < 1e-32f) return 0;
  std::uint16_t best = 0;
  float least = 0;
  for (const float divisor : {8.5f, 8.0f, 7.5f, 7.0f, 6.0f, 5.0f, 4.0f, 3.0f, 2.0f, 1.0f}) {
    const std::uint16_t rounded = to_bf16(largest / divisor);
    const float scale = from_bf16(rounded), inverse = 1.0f / scale;
    const bool is_exact = std::all_of(
        w.begin(), w.end(), [&](float x) { return std::abs(x * inverse - nearest(x * inverse)) <= 1.0f / 32; });
    if (divisor < 7 && !is_exact) continue;
    const float error = squared_error(w, inverse) * (scale / largest * (scale / largest));
    if (best != 0 && !(error < least)) continue;
    least = error;
    best = rounded;
  }
  return best;
}

void expect_twin(const Weights& w) {
  const NibbleGroup group = quantize_nibbles(w.data());
  const std::uint16_t scale = naive_scale(w);
  ASSERT_EQ(group.scale, scale);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const int integer = scale == 0 ? 0 : static_cast<int>(nearest(w[i] * (1.0f / from_bf16(scale))));
    const int both = group.integers[i / 8 * 4 + i % 4];
    ASSERT_EQ((i % 8 < 4 ? both & 15 : both >> 4) - 8, integer) << "at " << i;
  }
}

// Numbers of any size, integers of any range with and without noise, zeros, and the greatest numbers there are.
TEST(QuantizeNibblesTest, MatchesTheTwin) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const float size = std::ldexp(1.0f, random_int(random, -112, 126));
    const int most = random_int(random, 1, 8);
    const float noise = random_int(random, 0, 1) == 0 ? 0.0f : 0x1p-7f;
    Weights any, integers, few, ends;
    for (std::size_t i = 0; i < any.size(); ++i) {
      any[i] = size * random_float(random);
      integers[i] = size / 16 * (static_cast<float>(random_int(random, -most, most)) + noise * random_float(random));
      few[i] = random_int(random, 0, 3) == 0 ? any[i] : 0.0f;
      ends[i] = std::numeric_limits<float>::max() * (static_cast<float>(random_int(random, -2, 2)) / 2);
    }
    for (const Weights& w : {any, integers, few, ends}) ASSERT_NO_FATAL_FAILURE(expect_twin(w)) << "round " << round;
  }
}

TEST(QuantizeNibblesTest, HasNoScaleForNumbersThatAreNotFiniteOrTooSmall) {
  for (const float x : {0.0f, -9e-33f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Weights w = {};
    w[17] = x;
    const NibbleGroup group = quantize_nibbles(w.data());
    EXPECT_EQ(group.scale, 0);
    EXPECT_EQ(std::isfinite(group.largest), std::isfinite(x));
    for (const std::uint8_t both : group.integers) EXPECT_EQ(both, 0x88);
  }
}

}  // namespace
}  // namespace transformer
