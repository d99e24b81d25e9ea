// src/kernels/gates: against the equations in double precision, at every size around a vector.
#include "kernels/gates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/naive.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Gates of up to 12 in size are rounded once where they are summed up, which moves a sigmoid or a tanh by at most
// 12 eps / 2; these are good to 2 ulp themselves, and a state is made of at most three products of them.
constexpr double kBound = 3 * (6 + 4) * kEpsilon;

TEST(GatesTest, MatchTheEquations) {
  Random random(1);
  for (int size = 0; size <= 70; ++size) {
    const LooseMatrix x(random, 1, 4 * size, 0, 1), u(random, 1, 4 * size, 0, 2), h(random, 1, size, 0, 3),
        c(random, 1, size, 0, 1), first(1, size, 0, 1);
    for (const LooseMatrix* gates : {&x, &u}) {
      for (int i = 0; i < 4 * size; ++i) gates->view().data[i] *= 6;
    }
    const float *X = x.view().data, *U = u.view().data;
    std::copy_n(h.view().data, size, first.view().data);
    gru_gates(X, U, h.view().data, size);
    for (int i = 0; i < size; ++i) {
      const double r = sigmoid(X[i] + U[i]), z = sigmoid(X[size + i] + U[size + i]);
      const double n = std::tanh(X[2 * size + i] + r * U[2 * size + i]);
      ASSERT_NEAR(h.view().data[i], (1 - z) * n + z * first.view().data[i], kBound) << size;
    }
    std::copy_n(c.view().data, size, first.view().data);
    lstm_gates(X, U, c.view().data, h.view().data, size);
    for (int i = 0; i < size; ++i) {
      const auto sum = [&](int gate) { return static_cast<double>(X[gate * size + i]) + U[gate * size + i]; };
      const double next = sigmoid(sum(1)) * first.view().data[i] + sigmoid(sum(0)) * std::tanh(sum(2));
      ASSERT_NEAR(c.view().data[i], next, kBound) << size;
      ASSERT_NEAR(h.view().data[i], sigmoid(sum(3)) * std::tanh(next), kBound) << size;
    }
    EXPECT_TRUE(h.surroundings_untouched() && c.surroundings_untouched());
  }
}

TEST(GatesTest, SaturateWithoutNaN) {
  for (const float big : {100.0f, 1e30f}) {
    for (const float sign : {-1.0f, 1.0f}) {
      std::vector<float> x(4, sign * big), u(4, 0.0f);
      float h = 0.5f, c = 0.25f;
      gru_gates(x.data(), u.data(), &h, 1);
      EXPECT_EQ(h, sign > 0 ? 0.5f : -1.0f) << "z keeps the state, or n takes its place";
      lstm_gates(x.data(), u.data(), &c, &h, 1);
      EXPECT_EQ(c, sign > 0 ? 1.25f : 0.0f);
      EXPECT_TRUE(std::isfinite(h));
    }
  }
}

}  // namespace
}  // namespace transformer
