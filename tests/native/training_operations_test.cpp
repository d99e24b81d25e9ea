// The gradient of every operation of src/training against differences of its output.
#include <gtest/gtest.h>

#include <functional>

#include "kernels/activation_gradient.h"
#include "support/errors.h"
#include "support/random_data.h"
#include "training/attention.h"
#include "training/operations.h"
#include "training/products.h"

namespace transformer::training {
namespace {

using namespace testing;

// Differences over 2h of an output of size one: rounding gives 1e-7 / 2h, the third derivative h^2.
constexpr float kStep = 5e-3f;
constexpr double kBound = 1e-3;

class TrainingOperationsTest : public ::testing::Test {
 protected:
  // The gradients of `inputs`, as the tape has them, of a weighted sum of what `build` makes.
  void expect_gradients(const std::vector<Parameter*>& inputs, const std::function<Value(Tape&)>& build) {
    const Arena::Scope scope(arena_);
    Tape tape(workspace_, true);
    const Value out = build(tape);
    const Tensor factors = random_tensor(random_, {out.x.rows, out.x.cols});
    copy_rows(factors.matrix(), out.gradient);
    tape.go_back();
    const auto sum = [&] {
      const Arena::Scope inner(arena_);
      Tape again(workspace_, false);
      const Value y = build(again);
      double total = 0;
      for (int row = 0; row < y.x.rows; ++row) {
        for (int col = 0; col < y.x.cols; ++col) total += double{factors.matrix().row(row)[col]} * y.x.row(row)[col];
      }
      return total;
    };
    for (Parameter* input : inputs) {
      for (std::size_t i = 0; i < input->value.size(); ++i) {
        float& number = input->value.data()[i];
        const float before = number;
        number = before + kStep;
        const double above = sum();
        number = before - kStep;
        const double below = sum();
        number = before;
        const double slope = (above - below) / (2.0 * kStep);
        ASSERT_NEAR(input->gradient.data()[i], slope, kBound * std::max(1.0, std::abs(slope))) << input->name << i;
      }
    }
  }

  Parameter parameter(const char* name, Shape shape) {
    return {name, random_tensor(random_, shape), Tensor::zeros(shape), {}, {}};
  }

  Random random_{7};
  Arena arena_;
  ThreadPool threads_{1};
  Workspace workspace_{arena_, threads_};
};

TEST_F(TrainingOperationsTest, Embedding) {
  Parameter table = parameter("table", {5, 3});
  const std::vector<int> ids = {4, 1, 1, 0};
  expect_gradients({&table}, [&](Tape& tape) { return embed(tape, table, ids, 1.5f); });
  const std::vector<int> wrong = {5};
  Tape tape(workspace_, true);
  EXPECT_EQ(message_of([&] { embed(tape, table, wrong, 1); }), "token id 5 is outside of the vocabulary of 5");
}

TEST_F(TrainingOperationsTest, Linear) {
  for (const auto& [rows, in, out] : {std::array{3, 5, 4}, std::array{1, 1, 1}, std::array{7, 18, 33}}) {
    Parameter x = parameter("x", {rows, in}), w = parameter("w", {out, in}), b = parameter("b", {out});
    expect_gradients({&x, &w, &b}, [&](Tape& tape) { return linear(tape, x.as_value(), w, &b); });
    Parameter alone = parameter("w", {out, in});
    expect_gradients({&alone}, [&](Tape& tape) { return linear(tape, x.as_value(), alone, nullptr); });
  }
}

TEST_F(TrainingOperationsTest, Norms) {
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    for (const int width : {2, 7, 24}) {
      Parameter x = parameter("x", {4, width}), w = parameter("w", {width}), b = parameter("b", {width});
      // Far from a row without any spread, where the norm is steep.
      for (int row = 0; row < 4; ++row) x.value.matrix().row(row)[0] += 3;
      const NormConfig config = {kind, 1e-5f, kind == NormKind::kLayer};
      if (config.bias) {
        expect_gradients({&x, &w, &b}, [&](Tape& tape) { return norm(tape, x.as_value(), config, w, &b); });
      } else {
        expect_gradients({&x, &w}, [&](Tape& tape) { return norm(tape, x.as_value(), config, w, nullptr); });
      }
    }
  }
}

TEST_F(TrainingOperationsTest, Activations) {
  for (const Activation kind :
       {Activation::kNone, Activation::kRelu, Activation::kSilu, Activation::kGelu, Activation::kGeluTanh}) {
    Parameter x = parameter("x", {3, 21});
    for (std::size_t i = 0; i < x.value.size(); ++i) {
      float& number = x.value.data()[i];
      number = 5 * number + (number > 0 ? 0.1f : -0.1f);  // not at the corner of relu
    }
    expect_gradients({&x}, [&](Tape& tape) { return activate(tape, x.as_value(), kind); });
  }
}

TEST_F(TrainingOperationsTest, ActivationsThatAreFarFromZero) {
  for (const Activation kind : {Activation::kRelu, Activation::kSilu, Activation::kGelu, Activation::kGeluTanh}) {
    for (const float x : {-1e4f, -100.0f, 100.0f, 1e4f}) {
      Tensor at({1, 1}), slope({1, 1});
      *at.data() = x;
      *slope.data() = 2.0f;
      activate(kind, at.matrix());
      *at.data() = x;
      activate_backward(kind, at.matrix(), slope.matrix());
      EXPECT_NEAR(*slope.data(), x > 0 ? 2.0f : 0.0f, 1e-6) << x;
    }
  }
  Tensor x = Tensor::zeros({1, 1});
  EXPECT_EQ(code_of([&] { activate_backward(Activation::kMish, x.matrix(), x.matrix()); }), ErrorCode::kUnsupported);
}

TEST_F(TrainingOperationsTest, Elementwise) {
  Parameter a = parameter("a", {3, 9}), b = parameter("b", {3, 9});
  expect_gradients({&a, &b}, [&](Tape& tape) { return multiply(tape, a.as_value(), b.as_value()); });
  Parameter c = parameter("c", {3, 9}), d = parameter("d", {3, 9});
  expect_gradients({&c, &d}, [&](Tape& tape) {
    return scale(tape, add(tape, c.as_value(), add(tape, d.as_value(), c.as_value(), 0.5f)), -2.0f);
  });
}

TEST_F(TrainingOperationsTest, HeadsByThemselves) {
  Parameter x = parameter("x", {3, 12}), w = parameter("w", {4});
  const NormConfig config = {NormKind::kRms};
  expect_gradients({&x, &w}, [&](Tape& tape) {
    const Value heads = norm(tape, with_width(x.as_value(), 4), config, w, nullptr);
    EXPECT_EQ(heads.x.rows, 9);
    return with_width(heads, 12);
  });
}

TEST_F(TrainingOperationsTest, Positions) {
  const std::vector<int> offsets = {0, 3, 5};
  const Segments tokens = {2, 3, offsets};
  Parameter x = parameter("x", {5, 6}), table = parameter("table", {4, 6});
  expect_gradients({&x, &table},
                   [&](Tape& tape) { return add_positions(tape, x.as_value(), table.as_value(), tokens); });
  for (const RotaryPositions& config :
       {RotaryPositions{4}, RotaryPositions{4, RotaryLayout::kInterleaved},
        RotaryPositions{4, RotaryLayout::kHalves, 100, {1.0, 0.1}}, RotaryPositions{.max_length = 4, .scale = 1.25}}) {
    const Rotation rotation(config, 6);
    Parameter heads = parameter("heads", {5, 12});
    expect_gradients({&heads}, [&](Tape& tape) { return rotate(tape, heads.as_value(), rotation, tokens); });
  }
}

TEST_F(TrainingOperationsTest, Attention) {
  const std::vector<int> offsets = {0, 4, 5, 8}, other = {0, 2, 7, 8};
  const Segments tokens = {3, 4, offsets}, memory = {3, 5, other};
  for (const HeadsOf& heads : {HeadsOf{2, 2, 3}, HeadsOf{4, 2, 2}, HeadsOf{3, 1, 1}}) {
    for (const bool causal : {false, true}) {
      for (const Segments& keys : {tokens, memory}) {
        Parameter q = parameter("q", {8, heads.heads * heads.d_head});
        Parameter k = parameter("k", {8, heads.kv_heads * heads.d_head});
        Parameter v = parameter("v", {8, heads.kv_heads * heads.d_head});
        expect_gradients({&q, &k, &v}, [&](Tape& tape) {
          return attend(tape, {q.as_value(), k.as_value(), v.as_value(), tokens, keys}, heads, 0.7f, causal);
        });
      }
    }
  }
}

TEST_F(TrainingOperationsTest, CrossEntropy) {
  const std::vector<int> targets = {3, -1, 0, 6};
  for (const float smoothing : {0.0f, 0.2f}) {
    Parameter logits = parameter("logits", {4, 7});
    const auto loss = [&](bool learns) {
      const Arena::Scope scope(arena_);
      Tape tape(workspace_, learns);
      const Loss result = cross_entropy(tape, logits.as_value(), targets, smoothing);
      tape.go_back();
      return result;
    };
    EXPECT_EQ(loss(true).targets, 3);
    for (std::size_t i = 0; i < logits.value.size(); ++i) {
      float& number = logits.value.data()[i];
      const float before = number;
      number = before + kStep;
      const double above = loss(false).mean;
      number = before - kStep;
      const double slope = (above - loss(false).mean) / (2.0 * kStep);
      number = before;
      ASSERT_NEAR(logits.gradient.data()[i], slope, kBound) << i;
    }
  }
}

TEST_F(TrainingOperationsTest, ProductsMatchPlainLoops) {
  for (const auto& [m, k, n] :
       {std::array{1, 1, 1}, std::array{5, 3, 17}, std::array{33, 600, 20}, std::array{2, 40, 70}}) {
    const Tensor a = random_tensor(random_, {m, k}), b = random_tensor(random_, {k, n});
    Tensor at({k, m}), bt({n, k}), plain({m, n}), turned({m, n}), from_turned({m, n});
    transpose(a.matrix(), at.matrix());
    transpose(b.matrix(), bt.matrix());
    const Scratch scratch = {arena_, threads_};
    multiply(a.matrix(), b.matrix(), plain.matrix(), scratch);
    multiply_transposed(a.matrix(), bt.matrix(), turned.matrix(), scratch);
    transposed_multiply(at.matrix(), b.matrix(), from_turned.matrix(), scratch);
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        double sum = 0;
        for (int i = 0; i < k; ++i) sum += double{a.matrix().row(row)[i]} * b.matrix().row(i)[col];
        ASSERT_NEAR(plain.matrix().row(row)[col], sum, 1e-5 * k);
        ASSERT_EQ(plain.matrix().row(row)[col], turned.matrix().row(row)[col]);
        ASSERT_EQ(plain.matrix().row(row)[col], from_turned.matrix().row(row)[col]);
      }
    }
  }
}

}  // namespace
}  // namespace transformer::training
