// The exponential of the softmax, of which attention computes one for every query and key, and of the activations.
#pragma once

#include <cstdint>

#include "kernels/simd.h"

namespace transformer {

// e^x for x <= kMost, to 0.9 ulp with fused multiply-add and 1.2 without (measured) if the result is a normal number;
// exactly zero below -87.7, and so for -inf; infinite above 88.4. NaN stays NaN.
//
// e^x = 2^n e^r with n = round(x / ln 2) and r = x - n ln 2, ln 2 in two parts (Cephes, expf). e^r = 1 + r + r^2 q(r)
// with the q of degree 4 whose greatest relative error is least, 3e-9. The exponentials of 64 scores take 36 ns; 47
// where constants are loaded for each, and 53 with Cephes' polynomial, which is longer (Zen 4, relaxed SIMD).
class Exp {
 public:
  static constexpr float kMost = 89.0f;  // here n = 128, and 2^n is infinite

  Vec operator()(Vec x) const {
    x = at_least(x, least_);
    const Vec shifted = multiply_add(x, log2_e_, round_);
    const Vec n = shifted - round_;
    const Vec r = multiply_add(n, minus_ln2_low_, multiply_add(n, minus_ln2_high_, x));
    Vec sum = q_[0];
    for (int k = 1; k < kTerms; ++k) sum = multiply_add(sum, r, q_[k]);
    for (int k = 0; k < 2; ++k) sum = multiply_add(sum, r, one_);
    return sum * xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(shifted) << 23);
  }

 private:
  static constexpr int kTerms = 5;
  static constexpr float kLeast = -88.0f;  // here n = -127, and 2^n becomes zero
  // 1.5 * 2^23 + 127: adding it rounds a number to an integer, in the low bits, and makes it the exponent of 2^n.
  static constexpr float kRound = 12583039.0f;
  static constexpr float kConstants[] = {
      kLeast,           kRound,           1.44269504f,      -0.693359375f,    2.12194440e-4f,  1.0f,
      1.3814589236e-3f, 8.3687193107e-3f, 4.1668388359e-2f, 1.6666520612e-1f, 4.9999993446e-1f};

  // In registers for a whole loop: V8 would rebuild literal constants in every iteration.
  const float* constants_ = opaque(kConstants);
  Vec least_ = Vec(constants_[0]);
  Vec round_ = Vec(constants_[1]);
  Vec log2_e_ = Vec(constants_[2]);
  Vec minus_ln2_high_ = Vec(constants_[3]);
  Vec minus_ln2_low_ = Vec(constants_[4]);
  Vec one_ = Vec(constants_[5]);
  Vec q_[kTerms] = {Vec(constants_[6]), Vec(constants_[7]), Vec(constants_[8]), Vec(constants_[9]),
                    Vec(constants_[10])};
};

}  // namespace transformer
