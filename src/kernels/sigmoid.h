// The functions of activations and gates whose curve is an S. As classes, so that their constants stay in registers for
// a whole loop: see Exp.
#pragma once

#include "kernels/exp.h"
#include "kernels/simd.h"

namespace transformer {

// 1 / (1 + e^-x)
class Logistic {
 public:
  Vec operator()(Vec x) const { return Vec(1.0f) / one_plus_exp(-x); }

  // 1 + e^x
  Vec one_plus_exp(Vec x) const { return Vec(1.0f) + exp_(at_most(x, Vec(Exp::kMost))); }

 private:
  Exp exp_;
};

// Phi(x) = (1 + erf(x / sqrt 2)) / 2, to 1.8e-7 (measured) of itself for x > 0 and of 1 for others. Exactly 0 and 1
// beyond 5.6. NaN stays NaN.
//
// Phi(x) - 1/2 is x P(x^2) / Q(x^2) up to x = 5.5, with the P and Q of degree 5 whose greatest relative error is least,
// 2e-8 (found by Lawson's iteration of weighted least squares; the last bits by trial). Beyond, the quotient no longer
// changes, so that its product with x soon exceeds 1/2 and is cut off there.
//
// With xsimd's error function in its place, an encoder of MiniLM's shape takes 1.12 to 1.15 times as long in 8 bits,
// and 1.05 to 1.11 times in float32 (20 tokens, relaxed SIMD, Zen 3, Node.js 24).
class NormalCdf {
 public:
  Vec operator()(Vec x) const {
    const Vec square = at_most(x * x, end_);
    return half_ + at_least(at_most(x * p_(square) / q_(square), half_), -half_);
  }

 private:
  static constexpr int kDegree = 5;
  static constexpr int kTerms = kDegree + 1;
  // P, Q, the square of the end, and the limit
  static constexpr float kConstants[] = {
      3.989422917e-1f, 3.345855698e-2f, 4.651459865e-3f, 1.645701705e-4f, 6.301538178e-6f, 2.293123735e-8f, 1.0f,
      2.505345345e-1f, 2.841593884e-2f, 1.860625693e-3f, 7.216574159e-5f, 1.199026656e-6f, 5.5f * 5.5f,     0.5f};

  struct Polynomial {
    explicit Polynomial(const float* from) {
      for (Vec& term : terms) term = Vec(*from++);
    }
    Vec operator()(Vec x) const {
      Vec sum = terms[kDegree];
      for (int k = kDegree - 1; k >= 0; --k) sum = multiply_add(sum, x, terms[k]);
      return sum;
    }
    Vec terms[kTerms];
  };

  const float* constants_ = opaque(kConstants);
  Polynomial p_{constants_}, q_{constants_ + kTerms};
  Vec end_ = Vec(constants_[2 * kTerms]);
  Vec half_ = Vec(constants_[2 * kTerms + 1]);
};

}  // namespace transformer
