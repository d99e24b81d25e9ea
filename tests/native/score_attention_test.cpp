// src/attention: additive (Bahdanau) and Luong attention.
#include <gtest/gtest.h>

#include "attention/additive.h"
#include "attention/luong.h"
#include "support/bench.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

// Sizes of queries, keys and widths, with empty and odd ones.
struct Size {
  int queries, keys, d_query, d_key, d_attention;
};
const Size kSizes[] = {{0, 3, 4, 5, 6},  {3, 0, 4, 5, 6},   {1, 1, 1, 1, 1},
                       {4, 6, 8, 10, 7}, {5, 70, 9, 3, 33}, {40, 17, 16, 16, 16}};

double dot_product(const float* a, const float* b, int count) {
  Sum sum;
  for (int i = 0; i < count; ++i) sum.add(a[i], b[i]);
  return sum.value;
}

// All numbers are at most 1, so the error of an inner sum of n products is at most (n + 2) n eps; tanh passes it on and
// adds 2 ulp, and the outer sum has d_attention such terms.
double additive_bound(const Size& size) {
  const int inner = size.d_query + size.d_key + 1;
  return kEpsilon * size.d_attention * ((inner + 2) * inner + 2 + size.d_attention + 2);
}

TEST(AdditiveAttentionTest, MatchesTheTwinWithAndWithoutBias) {
  Bench bench(3);
  Random random(1);
  for (const Size& size : kSizes) {
    for (const bool has_bias : {true, false}) {
      const LooseMatrix queries(random, size.queries, size.d_query, 1), keys(random, size.keys, size.d_key, 2),
          Ws(random, size.d_attention, size.d_query), Wh(random, size.d_attention, size.d_key, 1),
          scores(size.queries, size.keys, 3);
      const std::vector<float> v = random_floats(random, static_cast<std::size_t>(size.d_attention));
      const std::vector<float> bias = random_floats(random, static_cast<std::size_t>(size.d_attention));
      additive_scores(queries.view(), keys.view(), {Ws.view(), Wh.view(), v.data(), has_bias ? bias.data() : nullptr},
                      scores.view(), bench.workspace);
      for (int i = 0; i < size.queries; ++i) {
        for (int j = 0; j < size.keys; ++j) {
          double exact = 0;
          for (int a = 0; a < size.d_attention; ++a) {
            const auto at = static_cast<std::size_t>(a);
            exact += v[at] * std::tanh(dot_product(Ws.view().row(a), queries.view().row(i), size.d_query) +
                                       dot_product(Wh.view().row(a), keys.view().row(j), size.d_key) +
                                       (has_bias ? bias[at] : 0.0f));
          }
          ASSERT_NEAR(scores.view().row(i)[j], exact, additive_bound(size));
        }
      }
      EXPECT_TRUE(scores.surroundings_untouched());
    }
  }
}

TEST(LuongAttentionTest, DotGeneralAndConcatMatchTheTwin) {
  Bench bench(2);
  Random random(2);
  for (const Size& size : kSizes) {
    const LooseMatrix queries(random, size.queries, size.d_query, 1), keys(random, size.keys, size.d_key, 2),
        same_width(random, size.keys, size.d_query), W(random, size.d_query, size.d_key, 1),
        concat_W(random, size.d_attention, size.d_query + size.d_key), scores(size.queries, size.keys, 3);
    const std::vector<float> v = random_floats(random, static_cast<std::size_t>(size.d_attention));
    auto expect_scores = [&](double bound, auto exact) {
      for (int i = 0; i < size.queries; ++i) {
        for (int j = 0; j < size.keys; ++j) ASSERT_NEAR(scores.view().row(i)[j], exact(i, j), bound);
      }
    };
    luong_dot_scores(queries.view(), same_width.view(), scores.view(), bench.workspace);
    expect_scores(kEpsilon * (size.d_query + 2) * size.d_query, [&](int i, int j) {
      return dot_product(queries.view().row(i), same_width.view().row(j), size.d_query);
    });
    luong_general_scores(queries.view(), keys.view(), W.view(), scores.view(), bench.workspace);
    const double general_bound = kEpsilon * size.d_key * size.d_query * (size.d_query + size.d_key + 4);
    expect_scores(general_bound, [&](int i, int j) {
      double sum = 0;
      for (int q = 0; q < size.d_query; ++q) {
        sum += queries.view().row(i)[q] * dot_product(W.view().row(q), keys.view().row(j), size.d_key);
      }
      return sum;
    });
    luong_concat_scores(queries.view(), keys.view(), {concat_W.view(), v.data()}, scores.view(), bench.workspace);
    expect_scores(additive_bound(size), [&](int i, int j) {
      double sum = 0;
      for (int a = 0; a < size.d_attention; ++a) {
        const float* row = concat_W.view().row(a);
        sum += v[a] * std::tanh(dot_product(row, queries.view().row(i), size.d_query) +
                                dot_product(row + size.d_query, keys.view().row(j), size.d_key));
      }
      return sum;
    });
  }
}

TEST(LuongAttentionTest, LocalAttentionSeesItsWindowAndFavoursItsCentre) {
  const float centers[2] = {2.0f, 4.5f};
  const LooseMatrix bias(2, 8), weights(2, 8);
  mask_outside_window(centers, 2.0f, bias.view());
  for (int query = 0; query < 2; ++query) {
    std::fill_n(weights.view().row(query), 8, 0.5f);
    for (int key = 0; key < 8; ++key) {
      EXPECT_EQ(bias.view().row(query)[key], std::abs(key - centers[query]) <= 2 ? 0.0f : kForbidden);
    }
  }
  favour_center(centers, 2.0f, weights.view());
  for (int query = 0; query < 2; ++query) {
    for (int key = 0; key < 8; ++key) {
      const double distance = key - centers[query];
      EXPECT_NEAR(weights.view().row(query)[key], 0.5 * std::exp(-distance * distance / 2), kEpsilon) << "sigma is 1";
    }
  }
}

TEST(ScoreAttentionTest, IsASoftmaxAndAWeightedSum) {
  Bench bench(2);
  Random random(3);
  const int queries = 3, keys = 11, d_v = 5;
  const LooseMatrix scores(random, queries, keys), values(random, keys, d_v), bias(queries, keys),
      weights(queries, keys), context(queries, d_v);
  bias.view().row(0)[3] = kForbidden;
  std::fill_n(bias.view().row(2), keys, kForbidden);
  attend_by_scores({scores.view(), weights.view(), context.view()}, bias.view(), values.view(), bench.workspace);
  for (int query = 0; query < queries; ++query) {
    std::vector<double> masked;
    for (int key = 0; key < keys; ++key) masked.push_back(scores.view().row(query)[key] + bias.view().row(query)[key]);
    const std::vector<double> exact = naive_softmax(masked);
    for (int key = 0; key < keys; ++key) {
      EXPECT_NEAR(weights.view().row(query)[key], exact[key], 20 * kEpsilon);
    }
    for (int d = 0; d < d_v; ++d) {
      double sum = 0;
      for (int key = 0; key < keys; ++key) sum += exact[key] * values.view().row(key)[d];
      EXPECT_NEAR(context.view().row(query)[d], sum, 40 * kEpsilon);
    }
  }
  for (int d = 0; d < d_v; ++d) EXPECT_EQ(context.view().row(2)[d], 0.0f) << "a query that may attend to nothing";
}

}  // namespace
}  // namespace transformer
