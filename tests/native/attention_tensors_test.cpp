// src/attention over whole tensors: scaled dot-product, additive and Luong attention with any leading axes, against
// their formulas element by element.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <functional>

#include "attention/additive.h"
#include "attention/attention.h"
#include "attention/luong.h"
#include "base/broadcast.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/naive_tensors.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// Sums of at most 20 products of numbers of at most 1, through a softmax: a few hundred roundings at a magnitude of 20.
constexpr double kBound = 20 * 300 * kEpsilon;

Tensor random_mask(Random& random, const Shape& shape) {
  Tensor mask(shape);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = random_int(random, 0, 3) > 0 ? 1.0f : 0.0f;
  return mask;
}

void expect_refused(const std::function<void()>& call, const char* message) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr(message));
}

// The scores of one query, and what an attention made of them.
struct Row {
  Index leading;
  int query;
  std::vector<double> scores;
};

// Checks the weights and the averaged values of one query.
void expect_attended(const Row& row, const Tensor& weights, const Tensor& output, const Tensor& values) {
  const std::vector<double> exact = naive_softmax(row.scores);
  const int keys = static_cast<int>(exact.size());
  for (int key = 0; key < keys; ++key) {
    ASSERT_NEAR(broadcast_at(weights, joined_index(row.leading, {row.query, key})), exact[key], kBound);
  }
  for (int d = 0; d < last_axis(values); ++d) {
    double sum = 0;
    for (int key = 0; key < keys; ++key) sum += exact[key] * broadcast_at(values, joined_index(row.leading, {key, d}));
    ASSERT_NEAR(broadcast_at(output, joined_index(row.leading, {row.query, d})), sum, kBound);
  }
}

double dot_at(const Tensor& a, const Index& row_of_a, const Tensor& b, const Index& row_of_b) {
  double sum = 0;
  for (int d = 0; d < last_axis(a); ++d) {
    sum += static_cast<double>(broadcast_at(a, joined_index(row_of_a, {d}))) *
           broadcast_at(b, joined_index(row_of_b, {d}));
  }
  return sum;
}

struct LeadingAxes {
  Shape query, key, value, mask, bias;
};
const LeadingAxes kLeadingAxes[] = {
    {{}, {}, {}, {}, {}},
    {{3}, {}, {3}, {}, {3}},
    {{2, 3}, {2, 3}, {2, 3}, {2, 1}, {3}},
    {{2, 3}, {1, 3}, {2, 1}, {2, 3}, {1, 1}},
    {{}, {2, 1}, {3}, {}, {2, 3}},
    {{2, 2, 3}, {2, 1, 3}, {3}, {2, 1, 1}, {2, 2, 3}},
};

TEST(AttentionTensorsTest, ScaledDotProductMatchesTheTwin) {
  Random random(1);
  Bench bench(2);
  for (const LeadingAxes& axes : kLeadingAxes) {
    for (const bool is_causal : {false, true}) {
      const int queries = 4, keys = 6, d_k = 5, d_v = 3, window = is_causal ? 2 : -1;
      const Tensor query = random_tensor(random, joined(axes.query, {queries, d_k})),
                   key = random_tensor(random, joined(axes.key, {keys, d_k})),
                   value = random_tensor(random, joined(axes.value, {keys, d_v})),
                   mask = random_mask(random, joined(axes.mask, {queries, keys})),
                   bias = random_tensor(random, joined(axes.bias, {1, keys}));
      const AttentionOptions options = {.is_causal = is_causal, .window = window, .need_weights = true};
      const AttentionResult result = scaled_dot_product_attention(
          {query.clone(), key.clone(), value.clone(), mask.clone(), bias.clone()}, options, bench.workspace);
      const Shape leading = broadcast_shapes(broadcast_shapes(axes.query, axes.key, ""), axes.value, "");
      ASSERT_EQ(result.output.shape(), joined(leading, {queries, d_v}));
      ASSERT_EQ(result.weights.shape(), joined(leading, {queries, keys}));
      for (const Index& index : indices_of(leading)) {
        for (int i = 0; i < queries; ++i) {
          Row row = {index, i, {}};
          const int position = keys - queries + i;
          for (int j = 0; j < keys; ++j) {
            double score = dot_at(query, joined_index(index, {i}), key, joined_index(index, {j})) / std::sqrt(d_k);
            score += broadcast_at(bias, joined_index(index, {i, j}));
            const bool is_hidden = (is_causal && j > position) || (window >= 0 && std::abs(j - position) > window) ||
                                   broadcast_at(mask, joined_index(index, {i, j})) == 0.0f;
            row.scores.push_back(is_hidden ? kForbidden : score);
          }
          expect_attended(row, result.weights, result.output, value);
        }
      }
    }
  }
}

TEST(AttentionTensorsTest, TheScaleIsAnOptionAndWeightsAreOnlyGivenWhenNeeded) {
  Random random(2);
  Bench bench;
  const Tensor x = random_tensor(random, {3, 4});
  const auto attend = [&](const AttentionOptions& options) {
    return scaled_dot_product_attention({x.clone(), x.clone(), x.clone(), {}, {}}, options, bench.workspace);
  };
  EXPECT_TRUE(attend({}).weights.empty());
  EXPECT_TRUE(same_bits(attend({}).output, attend({.scale = 0.5f, .need_weights = true}).output));
  const Tensor uniform = attend({.scale = 0.0f, .need_weights = true}).weights;
  for (std::size_t i = 0; i < uniform.size(); ++i) EXPECT_NEAR(uniform.data()[i], 1 / 3.0, kEpsilon);
}

TEST(AttentionTensorsTest, ScaledDotProductRefusesShapesThatDoNotFit) {
  Bench bench;
  const auto refused = [&](const std::array<Shape, 3>& shapes, const Shape& mask, const char* message) {
    expect_refused(
        [&] {
          scaled_dot_product_attention({Tensor::zeros(shapes[0]),
                                        Tensor::zeros(shapes[1]),
                                        Tensor::zeros(shapes[2]),
                                        mask.empty() ? Tensor() : Tensor::zeros(mask),
                                        {}},
                                       {}, bench.workspace);
        },
        message);
  };
  refused({Shape{4}, Shape{3, 4}, Shape{3, 4}}, {}, "query must have the shape [..., queries, d_k], got [4]");
  refused({Shape{2, 4}, Shape{3, 5}, Shape{3, 4}}, {}, "key must have the width of query (4), got the shape [3, 5]");
  refused({Shape{2, 4}, Shape{3, 4}, Shape{2, 4}}, {}, "value must have as many rows as key (3), got the shape [2, 4]");
  refused({Shape{2, 2, 4}, Shape{3, 3, 4}, Shape{3, 4}}, {}, "the leading axes of query and key");
  refused({Shape{2, 4}, Shape{3, 4}, Shape{3, 4}}, {2, 4}, "mask of shape [2, 4] does not broadcast");
  refused({Shape{2, 4}, Shape{3, 4}, Shape{3, 4}}, {1, 1, 1, 2, 3}, "mask");
}

// The arguments of an attention by scores, in double precision: score(leading, query, key) before the mask.
using ScoreAt = std::function<double(const Index&, int, int)>;

struct ScoredTensors {
  Tensor queries, keys, values, mask;

  ScoreArguments arguments() const { return {queries.clone(), keys.clone(), values.clone(), mask.clone()}; }
  Shape leading() const {
    Shape shape = broadcast_shapes(leading_axes(queries, 2, "", ""), leading_axes(keys, 2, "", ""), "");
    return values.empty() ? shape : broadcast_shapes(shape, leading_axes(values, 2, "", ""), "");
  }
};

void expect_scored(const ScoredAttention& result, const ScoredTensors& given, const ScoreAt& score) {
  const int queries = last_axis(given.queries, 2), keys = last_axis(given.keys, 2);
  const Tensor& values = given.values.empty() ? given.keys : given.values;
  ASSERT_EQ(result.scores.shape(), joined(given.leading(), {queries, keys}));
  ASSERT_EQ(result.context.shape(), joined(given.leading(), {queries, last_axis(values)}));
  for (const Index& index : indices_of(given.leading())) {
    for (int i = 0; i < queries; ++i) {
      Row row = {index, i, {}};
      for (int j = 0; j < keys; ++j) {
        const double exact = score(index, i, j);
        ASSERT_NEAR(broadcast_at(result.scores, joined_index(index, {i, j})), exact, kBound);
        const bool is_hidden = !given.mask.empty() && broadcast_at(given.mask, joined_index(index, {i, j})) == 0.0f;
        row.scores.push_back(is_hidden ? kForbidden : exact);
      }
      expect_attended(row, result.weights, result.context, values);
    }
  }
}

ScoredTensors random_scored(Random& random, const LeadingAxes& axes, int d_query, int d_key) {
  return {random_tensor(random, joined(axes.query, {4, d_query})), random_tensor(random, joined(axes.key, {6, d_key})),
          random_tensor(random, joined(axes.value, {6, 3})), random_mask(random, joined(axes.mask, {4, 6}))};
}

TEST(AttentionTensorsTest, AdditiveMatchesTheTwin) {
  Random random(3);
  Bench bench(2);
  for (const LeadingAxes& axes : kLeadingAxes) {
    for (const bool has_bias : {false, true}) {
      const ScoredTensors given = random_scored(random, axes, 5, 4);
      const Tensor Ws = random_tensor(random, {7, 5}), Wh = random_tensor(random, {7, 4}),
                   v = random_tensor(random, {7}), bias = has_bias ? random_tensor(random, {7}) : Tensor();
      const ScoredAttention result = additive_attention(
          given.arguments(), {Ws.clone(), Wh.clone(), v.clone(), has_bias ? bias.clone() : Tensor()}, bench.workspace);
      expect_scored(result, given, [&](const Index& index, int i, int j) {
        double sum = 0;
        for (int a = 0; a < 7; ++a) {
          const double inner = dot_at(given.queries, joined_index(index, {i}), Ws, {a}) +
                               dot_at(given.keys, joined_index(index, {j}), Wh, {a}) +
                               (has_bias ? bias.data()[a] : 0.0f);
          sum += v.data()[a] * std::tanh(inner);
        }
        return sum;
      });
    }
  }
}

TEST(AttentionTensorsTest, LuongMatchesTheTwin) {
  Random random(4);
  Bench bench(2);
  for (const LeadingAxes& axes : kLeadingAxes) {
    const ScoredTensors given = random_scored(random, axes, 4, 4);
    const Tensor W = random_tensor(random, {4, 4}), concat_W = random_tensor(random, {5, 8}),
                 v = random_tensor(random, {5});
    const auto row_of = [](const Index& index, int row) { return joined_index(index, {row}); };
    expect_scored(luong_attention(given.arguments(), {.score = LuongScore::kDot}, bench.workspace), given,
                  [&](const Index& index, int i, int j) {
                    return dot_at(given.queries, row_of(index, i), given.keys, row_of(index, j));
                  });
    expect_scored(luong_attention(given.arguments(), {.score = LuongScore::kGeneral, .W = W.clone()}, bench.workspace),
                  given, [&](const Index& index, int i, int j) {
                    double sum = 0;
                    for (int q = 0; q < 4; ++q) {
                      sum += broadcast_at(given.queries, joined_index(index, {i, q})) *
                             dot_at(given.keys, row_of(index, j), W, {q});
                    }
                    return sum;
                  });
    expect_scored(
        luong_attention(given.arguments(), {.score = LuongScore::kConcat, .W = concat_W.clone(), .v = v.clone()},
                        bench.workspace),
        given, [&](const Index& index, int i, int j) {
          double sum = 0;
          for (int a = 0; a < 5; ++a) {
            double inner = 0;
            for (int d = 0; d < 4; ++d) {
              inner += concat_W.matrix().row(a)[d] * broadcast_at(given.queries, joined_index(index, {i, d}));
              inner += concat_W.matrix().row(a)[4 + d] * broadcast_at(given.keys, joined_index(index, {j, d}));
            }
            sum += v.data()[a] * std::tanh(inner);
          }
          return sum;
        });
  }
}

// Keys are the values where none are given; a mask [batch, keys] is that of each sequence.
TEST(AttentionTensorsTest, KeysAreTheValuesAndAMaskMayBePerSequence) {
  Random random(5);
  Bench bench;
  ScoredTensors given = {random_tensor(random, {2, 4, 5}), random_tensor(random, {2, 6, 5}), {}, {}};
  const Tensor mask = random_mask(random, {2, 6});
  ScoreArguments arguments = given.arguments();
  arguments.mask = mask.clone();
  const ScoredAttention result = luong_attention(std::move(arguments), {.score = LuongScore::kDot}, bench.workspace);
  given.mask = mask.clone().reshaped({2, 1, 6});
  expect_scored(result, given, [&](const Index& index, int i, int j) {
    return dot_at(given.queries, joined_index(index, {i}), given.keys, joined_index(index, {j}));
  });
}

TEST(AttentionTensorsTest, LocalAttentionSeesOnlyItsWindow) {
  Random random(6);
  Bench bench;
  const Tensor queries = random_tensor(random, {2, 3, 4}), keys = random_tensor(random, {2, 9, 4});
  const Tensor centers = random_tensor(random, {3}, 0.0f, 8.0f);  // the same for both sequences
  for (const bool gaussian : {false, true}) {
    const ScoredAttention result = luong_attention(
        {queries.clone(), keys.clone(), {}, {}},
        {.score = LuongScore::kDot, .centers = centers.clone(), .D = 2, .gaussian = gaussian}, bench.workspace);
    for (int batch = 0; batch < 2; ++batch) {
      for (int i = 0; i < 3; ++i) {
        std::vector<double> scores;
        for (int j = 0; j < 9; ++j) {
          const bool is_inside = std::abs(static_cast<float>(j) - centers.data()[i]) <= 2.0f;
          scores.push_back(is_inside ? dot_at(queries, {batch, i}, keys, {batch, j}) : kForbidden);
        }
        const std::vector<double> exact = naive_softmax(scores);
        for (int j = 0; j < 9; ++j) {
          const double distance = j - static_cast<double>(centers.data()[i]);
          const double factor = gaussian ? std::exp(-distance * distance / 2) : 1;  // sigma is D / 2 = 1
          ASSERT_NEAR(broadcast_at(result.weights, {batch, i, j}), exact[j] * factor, kBound);
        }
      }
    }
  }
}

TEST(AttentionTensorsTest, AttentionByScoresRefusesShapesThatDoNotFit) {
  Bench bench;
  const auto zeros = [](const Shape& shape) { return shape.empty() ? Tensor() : Tensor::zeros(shape); };
  const auto luong = [&](LuongTensors tensors, const Shape& queries, const Shape& keys, const char* message,
                         const Shape& values = {}, const Shape& mask = {}) {
    expect_refused(
        [&] {
          luong_attention({zeros(queries), zeros(keys), zeros(values), zeros(mask)}, std::move(tensors),
                          bench.workspace);
        },
        message);
  };
  luong({}, {4}, {6, 4}, "queries must have the shape [..., queries, d_query], got [4]");
  luong({}, {3, 4}, {6, 5}, "the dot score needs queries and keys of the same width, got 4 and 5");
  luong({}, {2, 3, 4}, {3, 6, 4}, "the leading axes of queries and keys");
  luong({}, {3, 4}, {6, 4}, "values must have as many rows as keys (6), got the shape [5, 4]", {5, 4});
  luong({}, {3, 4}, {6, 4}, "mask", {}, {3, 5});
  luong({.score = LuongScore::kGeneral, .W = zeros({5, 4})}, {3, 4}, {6, 4}, "W must have the shape [d_query, d_key]");
  luong({.score = LuongScore::kConcat, .W = zeros({5, 7})}, {3, 4}, {6, 4}, "W must have the shape");
  luong({.score = LuongScore::kConcat, .W = zeros({5, 8}), .v = zeros({4})}, {3, 4}, {6, 4},
        "v must have the shape [5], got [4]");
  luong({.centers = zeros({3}), .D = 0}, {3, 4}, {6, 4}, "local.D must be positive, got 0");
  luong({.centers = zeros({4}), .D = 1}, {3, 4}, {6, 4}, "local.centers");
  const auto additive = [&](const AdditiveTensors& tensors, const char* message) {
    expect_refused([&] { additive_attention({zeros({3, 4}), zeros({6, 5}), {}, {}}, tensors, bench.workspace); },
                   message);
  };
  additive({zeros({7, 5}), zeros({7, 5}), zeros({7}), {}}, "Ws must have the shape [d_attention, d_query]");
  additive({zeros({7, 4}), zeros({7, 4}), zeros({7}), {}}, "Wh must have the shape [d_attention, d_key]");
  additive({zeros({7, 4}), zeros({8, 5}), zeros({7}), {}},
           "Ws and Wh must have the same number of rows, got [7, 4] and [8, 5]");
  additive({zeros({7, 4}), zeros({7, 5}), zeros({6}), {}}, "v must have the shape [7], got [6]");
  additive({zeros({7, 4}), zeros({7, 5}), zeros({7}), zeros({1})}, "bias must have the shape [7], got [1]");
}

}  // namespace
}  // namespace transformer
