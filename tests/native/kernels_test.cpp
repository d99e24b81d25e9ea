// src/kernels without the matrix products: each against its twin in double precision, at lengths around the vector
// width.
#include <gtest/gtest.h>

#include <bit>

#include "kernels/activation.h"
#include "kernels/elementwise.h"
#include "kernels/exp.h"
#include "kernels/norm.h"
#include "kernels/sigmoid.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "kernels/transpose.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<int> lengths() {
  std::vector<int> all;
  for (int length = 0; length <= 70; ++length) all.push_back(length);
  all.insert(all.end(), {127, 500, 1001});
  return all;
}

// The greatest error of f in ulps, over evenly spaced numbers in [low, high].
template <class F, class Exact>
double worst_ulps(const F& f, const Exact& exact, double low, double high) {
  constexpr int kPoints = 200000;
  double worst = 0;
  for (int i = 0; i < kPoints; i += kLanes) {
    alignas(64) float x[kLanes], y[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) x[lane] = static_cast<float>(low + (high - low) * (i + lane) / kPoints);
    f(Vec::load_aligned(x)).store_aligned(y);
    for (int lane = 0; lane < kLanes; ++lane)
      worst = std::max(worst, ulps(y[lane], exact(static_cast<double>(x[lane]))));
  }
  return worst;
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// tanh is xsimd's, the others are our own. Measured with AVX2: tanh 1.2, exp 0.9, the logistic function 2.2, Phi 2.8
// ulp.
TEST(ElementaryFunctionsTest, AreAccurateToAFewUlps) {
  const auto expect_within = [](const char* name, const auto& f, const auto& exact, double low, double high,
                                double ulps) {
    const double error = worst_ulps(f, exact, low, high);
    RecordProperty(name, std::to_string(error));
    EXPECT_LE(error, ulps) << name;
  };
  const auto exp_of = [](double x) { return std::exp(x); };
  const auto logistic_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  expect_within("tanh", [](Vec x) { return xsimd::tanh(x); }, [](double x) { return std::tanh(x); }, -10, 10, 2);
  expect_within("exp", Exp(), exp_of, -87, 88, 2);
  expect_within("logistic", Logistic(), logistic_of, -87, 87, 3);
  expect_within("Phi", NormalCdf(), normal_cdf, 0, 10, 3);
}

// Where Phi is small, its error is one of the 1/2 that cancels.
TEST(ElementaryFunctionsTest, PhiIsAccurateBelowZero) {
  for (double x = -8; x < 0; x += 1e-3) {
    alignas(64) float y[kLanes];
    NormalCdf()(Vec(static_cast<float>(x))).store_aligned(y);
    ASSERT_NEAR(y[0], normal_cdf(static_cast<float>(x)), 1.5 * kEpsilon) << x;
  }
}

TEST(ElementaryFunctionsTest, AreRightAtTheirLimits) {
  auto at = [](auto f, float x) {
    alignas(64) float y[kLanes];
    f(Vec(x)).store_aligned(y);
    return y[0];
  };
  auto tanh_of = [](Vec x) { return xsimd::tanh(x); };
  const Exp exp;
  for (float x : {-kInfinity, -1e30f, -88.0f, -89.0f}) {
    EXPECT_EQ(at(exp, x), 0.0f) << "a forbidden key must have exactly no weight: " << x;
  }
  EXPECT_EQ(at(exp, 0.0f), 1.0f);
  EXPECT_GE(at(exp, -87.6f), 0.0f);
  EXPECT_EQ(at(exp, Exp::kMost), kInfinity);
  EXPECT_EQ(at(Logistic(), -kInfinity), 0.0f);
  EXPECT_EQ(at(Logistic(), -1e30f), 0.0f);
  EXPECT_EQ(at(Logistic(), 0.0f), 0.5f);
  EXPECT_EQ(at(Logistic(), kInfinity), 1.0f);
  EXPECT_EQ(at(tanh_of, kInfinity), 1.0f);
  EXPECT_EQ(at(tanh_of, -kInfinity), -1.0f);
  EXPECT_EQ(at(tanh_of, 0.0f), 0.0f);
  for (float x : {5.6f, 100.0f, 1e30f, kInfinity}) {
    EXPECT_EQ(at(NormalCdf(), x), 1.0f) << x;
    EXPECT_EQ(at(NormalCdf(), -x), 0.0f) << x;
  }
  EXPECT_EQ(at(NormalCdf(), 0.0f), 0.5f);
  const float nan = std::bit_cast<float>(0x7fc12345);
  for (float y : {at(exp, nan), at(Logistic(), nan), at(tanh_of, nan), at(NormalCdf(), nan)}) {
    EXPECT_TRUE(std::isnan(y));
  }
}

double naive_activation(Activation activation, double x) {
  const double sigmoid = 1 / (1 + std::exp(-x));
  switch (activation) {
    case Activation::kNone: return x;
    case Activation::kRelu: return std::max(x, 0.0);
    case Activation::kRelu2: return x > 0 ? x * x : 0.0;
    case Activation::kRelu6: return std::min(std::max(x, 0.0), 6.0);
    case Activation::kGelu: return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case Activation::kGeluTanh: return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kQuickGelu: return x / (1 + std::exp(-1.702 * x));
    case Activation::kSilu: return x * sigmoid;
    case Activation::kMish: return x * std::tanh(std::log1p(std::exp(x)));
    case Activation::kSigmoid: return sigmoid;
    case Activation::kTanh: return std::tanh(x);
  }
  return 0;
}

constexpr Activation kActivations[] = {Activation::kNone,      Activation::kRelu, Activation::kRelu2,
                                       Activation::kRelu6,     Activation::kGelu, Activation::kGeluTanh,
                                       Activation::kQuickGelu, Activation::kSilu, Activation::kMish,
                                       Activation::kSigmoid,   Activation::kTanh};

// x Phi(x) cancels where Phi is near 0: an error of the 1/2 in it, at most 1.5 eps, becomes 1.5 eps |x|. The argument
// of gelu_tanh's exponential has 4 roundings of up to 1 + 3 * 0.044715 x^2 eps each, which the slope of its logistic
// function passes on (at most 1, and 0 beyond |x| = 6). The others have a few roundings and an exponential of 2 ulp,
// all relative to x or to the result.
double activation_bound(double x, double exact) { return kEpsilon * (1e-30 + 8 * (std::abs(x) + std::abs(exact))); }

TEST(ActivationTest, MatchesTheTwin) {
  Random random(1);
  for (Activation activation : kActivations) {
    for (int length : lengths()) {
      const LooseMatrix x(random, 2, length, 3, 1);
      const LooseMatrix gate(random, 2, length, 1, 2);
      for (int row = 0; row < 2; ++row) scale_row(x.view().row(row), x.view().row(row), length, 9.0f);
      const LooseMatrix plain(2, length, 2, 1), gated(2, length, 2, 1);
      for (int row = 0; row < 2; ++row) {
        for (const LooseMatrix* copy : {&plain, &gated}) std::copy_n(x.view().row(row), length, copy->view().row(row));
      }
      activate(activation, plain.view());
      activate_gated(activation, gated.view(), gate.view());
      for (int row = 0; row < 2; ++row) {
        for (int i = 0; i < length; ++i) {
          const double in = x.view().row(row)[i];
          const double exact = naive_activation(activation, in);
          const double bound = activation_bound(in, exact);
          ASSERT_NEAR(plain.view().row(row)[i], exact, bound)
              << "activation " << static_cast<int>(activation) << " of " << in;
          ASSERT_NEAR(gated.view().row(row)[i], exact * gate.view().row(row)[i], bound + kEpsilon * std::abs(exact));
        }
      }
      EXPECT_TRUE(plain.surroundings_untouched() && gated.surroundings_untouched());
    }
  }
}

TEST(ActivationTest, KeepsNaNAndTheLimits) {
  for (Activation activation : kActivations) {
    float x[4] = {kNaN, 100.0f, -100.0f, -1e38f};
    activate(activation, {x, 1, 4, 4});
    EXPECT_TRUE(std::isnan(x[0])) << "NaN must not be hidden by activation " << static_cast<int>(activation);
    EXPECT_EQ(x[1], naive_activation(activation, 100.0));
    EXPECT_NEAR(x[2], naive_activation(activation, -100.0), 1e-30);
    EXPECT_EQ(x[3], static_cast<float>(naive_activation(activation, -1e38)));
  }
}

TEST(ElementwiseTest, MatchesTheTwin) {
  Random random(2);
  for (int length : lengths()) {
    const LooseMatrix x(random, 1, length, 0, 1), y(random, 1, length, 0, 3), out(1, length, 0, 2);
    const float *a = x.view().data, *b = y.view().data;
    float* c = out.view().data;
    auto expect_each = [&](auto exact) {
      for (int i = 0; i < length; ++i) ASSERT_EQ(c[i], exact(a[i], b[i])) << i << " of " << length;
      ASSERT_TRUE(out.surroundings_untouched());
    };
    std::copy_n(b, length, c);
    add_row(a, c, length);
    expect_each([](float p, float q) { return p + q; });
    std::copy_n(b, length, c);
    add_scaled_row(a, 1.7f, c, length);
    for (int i = 0; i < length; ++i) {
      ASSERT_NEAR(c[i], 1.7f * static_cast<double>(a[i]) + b[i], kEpsilon * (2 * std::abs(a[i]) + std::abs(b[i])));
    }
    scale_row(a, c, length, 1.7f);
    expect_each([](float p, float) { return p * 1.7f; });
    divide_row(a, c, length, 1.7f);
    expect_each([](float p, float) { return p / 1.7f; });
    tanh_of_sum(a, b, c, length);
    for (int i = 0; i < length; ++i) ASSERT_LE(ulps(c[i], std::tanh(static_cast<double>(a[i] + b[i]))), 2);
    Sum sum;
    for (int i = 0; i < length; ++i) sum.add(a[i], b[i]);
    ASSERT_NEAR(dot(a, b, length), sum.value, (length + 2) * kEpsilon * sum.magnitude);
  }
}

TEST(NormTest, MatchesTheTwin) {
  Random random(3);
  for (int length : lengths()) {
    if (length == 0) continue;
    const LooseMatrix x(random, 3, length, 2, 1), out(3, length, 1, 3);
    const std::vector<float> weight = random_floats(random, static_cast<std::size_t>(length));
    const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(length));
    for (const bool is_layer : {true, false}) {
      for (const bool has_weights : {true, false}) {
        const float* w = has_weights ? weight.data() : nullptr;
        const float* b = has_weights && is_layer ? bias.data() : nullptr;
        const float eps = 1e-5f;
        is_layer ? layer_norm(x.view(), w, b, eps, out.view()) : rms_norm(x.view(), w, eps, out.view());
        for (int row = 0; row < 3; ++row) {
          const float* in = x.view().row(row);
          double mean = 0, square = 0;
          for (int i = 0; is_layer && i < length; ++i) mean += in[i] / static_cast<double>(length);
          for (int i = 0; i < length; ++i) square += (in[i] - mean) * (in[i] - mean) / length;
          const double scale = 1 / std::sqrt(square + static_cast<double>(eps));
          for (int i = 0; i < length; ++i) {
            const double exact = (in[i] - mean) * scale * (w ? w[i] : 1.0) + (b ? b[i] : 0.0);
            // |x| <= 1, so the errors of mean and variance are at most (length + 2) eps/2; the mean is scaled like x,
            // the variance enters by its square root; five roundings follow.
            const double bound = (length + 2) * kEpsilon * scale * (1 + scale) + 5 * kEpsilon * (std::abs(exact) + 1);
            ASSERT_NEAR(out.view().row(row)[i], exact, bound) << i << " of " << length;
          }
        }
        ASSERT_TRUE(out.surroundings_untouched());
      }
    }
  }
}

TEST(NormTest, WorksInPlaceAndCentresALargeMean) {
  float x[5] = {10000.0f, 10001.0f, 10002.0f, 10003.0f, 10004.0f};  // exact in single precision, and so is their mean
  layer_norm({x, 1, 5, 5}, nullptr, nullptr, 0.0f, {x, 1, 5, 5});
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(x[i], (i - 2) / std::sqrt(2.0), 4 * kEpsilon);
}

TEST(SoftmaxTest, MatchesTheTwin) {
  Random random(4);
  for (int length : lengths()) {
    for (float range : {1.0f, 30.0f}) {
      const LooseMatrix x(random, 2, length, 2, 1), out(2, length, 1, 3), logs(2, length, 0, 1);
      for (int row = 0; row < 2; ++row) {
        scale_row(x.view().row(row), x.view().row(row), length, range);
        for (int i = 0; i < length; i += 5) {
          if (row == 1 && i + 1 < length) x.view().row(row)[i] = -kInfinity;
        }
      }
      softmax(x.view(), out.view());
      log_softmax(x.view(), logs.view());
      for (int row = 0; row < 2; ++row) {
        const std::vector<double> in = as_doubles(x.view().row(row), length);
        const std::vector<double> exact = naive_softmax(in);
        const std::vector<double> exact_logs = naive_log_softmax(in);
        for (int i = 0; i < length; ++i) {
          const auto at = static_cast<std::size_t>(i);
          // x - max has one rounding, |x - max| eps/2, which becomes a relative error of its exponential; exp adds 2
          // ulp, the sum of positive numbers (length + 1) eps/2, and the division eps/2.
          const double relative = kEpsilon * (2 * range + 3 + length);
          ASSERT_NEAR(out.view().row(row)[i], exact[at], relative * exact[at]) << i << " of " << length;
          if (std::isinf(in[at])) {
            ASSERT_EQ(logs.view().row(row)[i], -kInfinity);
          } else {
            ASSERT_NEAR(logs.view().row(row)[i], exact_logs[at], relative + 4 * kEpsilon * std::abs(exact_logs[at]));
          }
        }
      }
      ASSERT_TRUE(out.surroundings_untouched() && logs.surroundings_untouched());
      softmax(x.view(), x.view());
      EXPECT_TRUE(same_bits(x.view(), out.view())) << "in place";
    }
  }
}

TEST(SoftmaxTest, LogSoftmaxWorksInPlace) {
  Random random(5);
  const LooseMatrix x(random, 3, 37), out(3, 37);
  log_softmax(x.view(), out.view());
  log_softmax(x.view(), x.view());
  EXPECT_TRUE(same_bits(x.view(), out.view()));
}

TEST(SoftmaxTest, AFullyForbiddenRowBecomesZeros) {
  std::vector<float> x(19, -kInfinity);
  const View row = {x.data(), 1, 19, 19};
  softmax(row, row);
  for (float value : x) EXPECT_EQ(value, 0.0f);
  std::fill(x.begin(), x.end(), -kInfinity);
  log_softmax(row, row);
  for (float value : x) EXPECT_EQ(value, -kInfinity);
}

TEST(SoftmaxTest, NaNAnywhereFillsTheWholeRow) {
  for (int length : {1, 3, 8, 19}) {
    for (int at = 0; at < length; ++at) {
      std::vector<float> x(static_cast<std::size_t>(length), 1.0f);
      x[at] = kNaN;
      EXPECT_TRUE(std::isnan(row_max(x.data(), length)));
      softmax({x.data(), 1, length, length}, {x.data(), 1, length, length});
      for (float value : x) EXPECT_TRUE(std::isnan(value));
    }
  }
}

TEST(SoftmaxTest, RowMaxFindsTheLargest) {
  Random random(6);
  EXPECT_EQ(row_max(nullptr, 0), -kInfinity);
  for (int length : lengths()) {
    if (length == 0) continue;
    const std::vector<float> x = random_floats(random, static_cast<std::size_t>(length), -3.0f, -1.0f);
    EXPECT_EQ(row_max(x.data(), length), *std::max_element(x.begin(), x.end()));
  }
}

// Padding appends -inf to a row: it must change no bit of the sum.
TEST(SoftmaxTest, AppendedForbiddenScoresChangeNoBits) {
  Random random(7);
  for (int length : {1, 5, 8, 13, 32, 63}) {
    const std::vector<float> x = random_floats(random, static_cast<std::size_t>(length));
    std::vector<float> alone = x;
    const float sum = exp_and_sum(alone.data(), length, 1.0f);
    for (int padding : {1, 2, 7, 8, 9, 40}) {
      std::vector<float> padded = x;
      padded.insert(padded.end(), static_cast<std::size_t>(padding), -kInfinity);
      EXPECT_EQ(exp_and_sum(padded.data(), length + padding, 1.0f), sum);
      EXPECT_TRUE(same_bits(padded.data(), alone.data(), static_cast<std::size_t>(length)));
      EXPECT_EQ(padded.back(), 0.0f);
    }
  }
}

TEST(SortByKeysTest, IsAStableSort) {
  Random random(23);
  const float infinity = std::numeric_limits<float>::infinity();
  for (int count : {0, 1, 2, 3, 64, 2049, 5000}) {
    for (const float scale : {1e-42f, 1.0f, 1e30f}) {
      std::vector<float> keys = random_floats(random, static_cast<std::size_t>(count));
      for (float& key : keys) {
        key = scale * std::round(100 * key);  // many are equal
        if (random_int(random, 0, 9) == 0) key = random_int(random, 0, 1) ? -0.0f : infinity;
        if (random_int(random, 0, 9) == 0) key = -key;
      }
      std::vector<int> columns;
      for (int column = 0; column < count; ++column) {
        if (random_int(random, 0, 3) > 0) columns.push_back(column);
      }
      std::vector<int> expected = columns;
      std::sort(expected.begin(), expected.end(),
                [&](int a, int b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
      sort_by_keys(keys, columns);
      ASSERT_EQ(columns, expected) << count << " columns";
    }
  }
}

TEST(TransposeTest, PutsRowsInTheColumnsOfAPanel) {
  Random random(8);
  for (int cols : {0, 1, 3, 4, 5, 8, 9, 15, 16, 17, 40}) {
    const LooseMatrix x(random, kPanel, cols, 2, 1), panel(cols, kPanel, 0, 3);
    transpose_to_panel(x.view(), panel.view().data);
    EXPECT_TRUE(panel.surroundings_untouched());
    for (int row = 0; row < kPanel; ++row) {
      for (int col = 0; col < cols; ++col) ASSERT_EQ(panel.view().row(col)[row], x.view().row(row)[col]);
    }
  }
}

}  // namespace
}  // namespace transformer
