#include "kernels/quantize_nibbles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/half.h"
#include "base/magnitude.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

// Groups of smaller numbers than this count as zero: the inverse of their scale would overflow.
constexpr float kSmallestLargest = 1e-32f;

// Four scales are compared at once, one in each lane.
using Four = xsimd::make_sized_batch_t<float, 4>;
using FourIntegers = xsimd::make_sized_batch_t<std::int32_t, 4>;

// A group's scale is its greatest magnitude divided by one of these. 8 and 7 suit a greatest number that is negative or
// positive; 7.5 and 8.5 clip it a little, for a finer scale: the error of normally distributed weights is 10 % below
// that of 7 alone. From 6 on they find the scale of numbers that were in 4 bits already, and serve no others.
constexpr float kDivisors[] = {8.5f, 8.0f, 7.5f, 7.0f, 6.0f, 5.0f, 4.0f, 3.0f, 2.0f, 1.0f, 1.0f, 1.0f};
constexpr int kForAll = 4;

// How far a number may be from a multiple of its scale that was rounded to bfloat16, in steps: 8 * 2^-9, and some more.
constexpr float kExactly = 0x1p-5f;

// Rounds numbers of few steps.
class Rounding {
 public:
  // The nearest of the integers, ties to even, from -8 to 7.
  Four operator()(Four steps) const { return xsimd::min(xsimd::max(steps + rounder_ - rounder_, lowest_), highest_); }

  // The same plus 8, in the low bits.
  FourIntegers integers(Four steps) const { return xsimd::bitwise_cast<std::int32_t>((*this)(steps) + to_bits_); }

 private:
  static constexpr float kRounder = 0x1.8p23f;
  static constexpr float kConstants[] = {kRounder, -8.0f, 7.0f, kRounder + 8.0f};

  const float* constants_ = opaque(kConstants);  // in registers for a whole loop: see Exp
  Four rounder_ = Four(constants_[0]);
  Four lowest_ = Four(constants_[1]);
  Four highest_ = Four(constants_[2]);
  Four to_bits_ = Four(constants_[3]);
};

// The sums of the squared errors of four scales, in steps. The order of each is that of eight partial sums.
Four squared_errors(const float* w, Four inverses) {
  constexpr int kSums = 8;
  const Rounding nearest;
  Four total(0.0f);
#if defined(__clang__)
#pragma clang loop unroll(disable)  // for its size
#endif
  for (int first = 0; first < kSums; ++first) {
    Four sum(0.0f);
    for (int i = first; i < kNibbleGroup; i += kSums) {
      const Four steps = Four(w[i]) * inverses;
      const Four error = steps - nearest(steps);
      sum += error * error;
    }
    total += sum;
  }
  return total;
}

// Of which scales all numbers are multiples. Not inlined, for its size.
[[gnu::noinline]] xsimd::batch_bool<float, Four::arch_type> are_multiples(const float* w, int count, Four inverses) {
  const Rounding nearest;
  Four farthest(0.0f);
  for (int i = 0; i < count; ++i) {
    const Four steps = Four(w[i]) * inverses;
    farthest = xsimd::max(farthest, xsimd::abs(steps - nearest(steps)));
  }
  return farthest <= Four(kExactly);
}

// Rounds positive numbers to bfloat16, ties to even.
Four to_bf16(Four numbers) {
  const FourIntegers bits = xsimd::bitwise_cast<std::int32_t>(numbers);
  const FourIntegers rounded = bits + FourIntegers(0x7fff) + ((bits >> 16) & FourIntegers(1));
  return xsimd::bitwise_cast<float>(rounded & FourIntegers(-0x10000));
}

// Four scales of a group.
struct Candidates {
  Candidates(float largest, int first_divisor)
      : first(first_divisor),
        scales(to_bf16(Four(largest) / Four::load_unaligned(kDivisors + first))),
        inverses(Four(1.0f) / scales) {}

  int first;  // of kDivisors
  Four scales;
  Four inverses;
};

// The best of them, as a number that is less for a better one, and then for an earlier one: its error, its place, and
// the scale in the lowest 16 bits. Which one it is cannot be predicted: with branches, all took 1.2 times as long.
std::uint64_t best_of(const Candidates& candidates, Four errors) {
  std::uint32_t error_bits[4], scale_bits[4];
  xsimd::bitwise_cast<std::uint32_t>(errors).store_unaligned(error_bits);
  xsimd::bitwise_cast<std::uint32_t>(candidates.scales).store_unaligned(scale_bits);
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t rest = (candidates.first + i) << 16 | scale_bits[i] >> 16;
    best = std::min(best, std::uint64_t{error_bits[i]} << 32 | rest);
  }
  return best;
}

Four errors_of(const float* w, float largest, const Candidates& candidates) {
  const Four steps = candidates.scales / Four(largest);
  return squared_errors(w, candidates.inverses) * (steps * steps);
}

void store_integers(const float* w, float inverse, std::uint8_t* to) {
  const Rounding nearest;
  std::int32_t words[kNibbleGroup / 2];
  for (int k = 0; k < kNibbleGroup; k += 8) {
    const FourIntegers low = nearest.integers(Four::load_unaligned(w + k) * Four(inverse));
    const FourIntegers high = nearest.integers(Four::load_unaligned(w + k + 4) * Four(inverse));
    (low | (high << 4)).store_unaligned(words + k / 2);
  }
  for (int i = 0; i < kNibbleGroup / 2; ++i) to[i] = static_cast<std::uint8_t>(words[i]);
}

}  // namespace

NibbleGroup quantize_nibbles(const float* w) {
  NibbleGroup group = {largest_magnitude({w, kNibbleGroup})};
  // NaN and infinity are refused before the matrix is used.
  if (!(group.largest >= kSmallestLargest) || !std::isfinite(group.largest)) {
    std::fill_n(group.integers, kNibbleGroup / 2, std::uint8_t{0x88});
    return group;
  }
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
#if defined(__clang__)
#pragma clang loop unroll(disable)  // for its size
#endif
  for (int first = 0; first < static_cast<int>(std::size(kDivisors)); first += 4) {
    const Candidates candidates(group.largest, first);
    const bool is_for_all = first < kForAll;
    constexpr int kFirstLook = 4;
    if (!is_for_all && !xsimd::any(are_multiples(w, kFirstLook, candidates.inverses))) continue;
    Four errors = errors_of(w, group.largest, candidates);
    if (!is_for_all) {
      const Four none(std::numeric_limits<float>::infinity());
      errors = xsimd::select(are_multiples(w, kNibbleGroup, candidates.inverses), errors, none);
    }
    best = std::min(best, best_of(candidates, errors));
  }
  group.scale = static_cast<std::uint16_t>(best);
  store_integers(w, 1.0f / from_bf16(group.scale), group.integers);
  return group;
}

}  // namespace transformer
