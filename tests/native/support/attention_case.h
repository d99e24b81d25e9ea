// A call of scaled dot-product attention with random inputs and any mask, and its twin in double precision.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "attention/scaled_dot_product.h"
#include "support/bench.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer::testing {

struct AttentionSize {
  int batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, d_k = 8, d_v = 8;
};

// A random bias [batch or 1, heads or 1, queries or 1, keys or 1].
class RandomBias {
 public:
  // axes: a bit for each axis that is not broadcast: batch, heads, queries, keys. forbidden: the share of -inf.
  RandomBias(Random& random, const AttentionSize& size, int axes, double forbidden) {
    const int sizes[4] = {size.batch, size.heads, size.queries, size.keys};
    std::ptrdiff_t* strides[4] = {&bias_.batch, &bias_.head, &bias_.query, &bias_.key};
    std::ptrdiff_t count = 1;
    for (int axis = 3; axis >= 0; --axis) {
      if (!(axes >> axis & 1)) continue;
      *strides[axis] = count;
      count *= sizes[axis];
    }
    numbers_ = random_floats(random, static_cast<std::size_t>(count));
    for (float& number : numbers_) {
      if (random.uniform() < forbidden) number = kForbidden;
    }
    bias_.data = numbers_.data();
  }
  const ScoreBias& view() const { return bias_; }

 private:
  std::vector<float> numbers_;
  ScoreBias bias_;
};

inline double at(const ScoreBias& bias, int b, int h, int i, int j) {
  return bias.data ? bias.data[b * bias.batch + h * bias.head + i * bias.query + j * bias.key] : 0.0f;
}

class AttentionCase {
 public:
  // lengths: the number of keys of each sequence; empty: size.keys
  AttentionCase(Random& random, const AttentionSize& size, std::vector<int> lengths = {})
      : size_(size),
        lengths_(std::move(lengths)),
        query_(random, size.batch * size.queries, size.heads * size.d_k, 3, 1),
        key_(random, size.batch * size.keys, size.kv_heads * size.d_k, 1, 2),
        value_(random, size.batch * size.keys, size.kv_heads * size.d_v, 2, 3),
        cache_size_{size.batch, size.kv_heads, size.d_k, size.d_v, size.keys},
        storage_(KvCache::float_count(cache_size_)),
        cache_(cache_size_, {storage_.data(), storage_.size()}) {
    if (lengths_.empty()) lengths_.assign(static_cast<std::size_t>(size.batch), size.keys);
    for (int row = 0; row < size.batch; ++row) {
      cache_.append(row, lengths_[row], heads_in_columns<const float>(key_.view(), {size.batch, size.keys}, size.d_k),
                    heads_in_columns<const float>(value_.view(), {size.batch, size.keys}, size.d_v));
    }
  }

  Mask mask;
  float scale = 0.4f;
  float cap = 0.0f;

  const AttentionSize& size() const { return size_; }
  const KvCache& cache() const { return cache_; }
  ConstHeads query() const {
    return heads_in_columns<const float>(query_.view(), {size_.batch, size_.queries}, size_.d_k);
  }

  // out [batch * queries, heads * d_v]
  void run(View out, const AttentionMaps& maps, Workspace& workspace) const {
    const AttentionInput input = {query(), {size_.batch, size_.queries}, size_.heads, cache_, mask, scale, cap};
    scaled_dot_product_attention(input, heads_in_columns(out, {size_.batch, size_.queries}, size_.d_v), maps,
                                 workspace);
  }

  // Runs it, and compares output, weights and scores with the twin.
  void check(Workspace& workspace) const {
    const LooseMatrix out(size_.batch * size_.queries, size_.heads * size_.d_v, 2, 1);
    Tensor weights, scores;
    run(out.view(), {.weights = &weights, .scores = &scores}, workspace);
    EXPECT_TRUE(out.surroundings_untouched());
    const LooseMatrix without(size_.batch * size_.queries, size_.heads * size_.d_v);
    run(without.view(), {}, workspace);
    EXPECT_TRUE(same_bits(out.view(), without.view())) << "recording weights must not change the result";
    for (int b = 0; b < size_.batch; ++b) {
      for (int h = 0; h < size_.heads; ++h) {
        for (int i = 0; i < size_.queries; ++i)
          check_query(b, h, i, out.view(), {.weights = &weights, .scores = &scores});
      }
    }
  }

 private:
  double masked_score(double score, int b, int h, int i, int j) const {
    const int length = lengths_[b];
    if (j >= length - mask.unmasked_keys) return score;
    const int position = length - mask.unmasked_keys - size_.queries + i;
    score += at(mask.padding, b, h, i, j) + at(mask.mask, b, h, i, j) + at(mask.bias, b, h, i, j);
    if (mask.distance.centre) score += mask.distance.centre[h * mask.distance.head_stride + j - position];
    const bool too_late = mask.causal && j > position;
    const bool too_far = mask.window >= 0 && std::abs(j - position) > mask.window;
    return too_late || too_far ? -std::numeric_limits<double>::infinity() : score;
  }

  void check_query(int b, int h, int i, View out, const AttentionMaps& maps) const {
    const Tensor &weights = *maps.weights, &all_scores = *maps.scores;
    const int length = lengths_[b];
    const int kv_head = h / (size_.heads / size_.kv_heads);
    const float* q = query().at(b, h, i);
    std::vector<double> scores;
    double score_error = 0;  // the bound for any score: its sum of products, its scale and its biases
    for (int j = 0; j < length; ++j) {
      const float* k = key_.view().row(b * size_.keys + j) + kv_head * size_.d_k;
      Sum sum;
      for (int d = 0; d < size_.d_k; ++d) sum.add(q[d], k[d]);
      const double scaled = sum.value * static_cast<double>(scale);
      const double most = static_cast<double>(cap);
      scores.push_back(masked_score(cap > 0 ? most * std::tanh(scaled / most) : scaled, b, h, i, j));
      const double magnitude =
          sum.magnitude * static_cast<double>(scale) + (std::isinf(scores.back()) ? 0 : std::abs(scores.back()));
      score_error = std::max(score_error, kEpsilon * (size_.d_k + 6) * (magnitude + 4));
    }
    const std::vector<double> exact = naive_softmax(scores);
    // The errors of a score and of the maximum become relative errors of its exponential. exp, the sums over the keys
    // and one rescaling per tile add theirs.
    const double relative = 2 * score_error + kEpsilon * (2 * length + 12);
    const int all_keys = weights.axis(3);
    const std::ptrdiff_t at_row = ((static_cast<std::ptrdiff_t>(b) * size_.heads + h) * size_.queries + i) * all_keys;
    for (int j = 0; j < all_keys; ++j) {
      const double weight = j < length ? exact[j] : 0.0;
      const double score = j < length ? scores[j] : -std::numeric_limits<double>::infinity();
      ASSERT_NEAR(weights.data()[at_row + j], weight, relative * weight) << "weight of key " << j << " for query " << i;
      if (std::isinf(score)) {
        ASSERT_EQ(all_scores.data()[at_row + j], kForbidden) << "score of key " << j << " for query " << i;
      } else {
        ASSERT_NEAR(all_scores.data()[at_row + j], score, score_error) << "score of key " << j << " for query " << i;
      }
    }
    for (int d = 0; d < size_.d_v; ++d) {
      Sum sum;
      for (int j = 0; j < length; ++j) {
        sum.add(exact[j], value_.view().row(b * size_.keys + j)[kv_head * size_.d_v + d]);
      }
      ASSERT_NEAR(out.row(b * size_.queries + i)[h * size_.d_v + d], sum.value, relative * sum.magnitude)
          << "batch " << b << ", head " << h << ", query " << i << " of " << size_.queries << ", keys " << length;
    }
  }

  AttentionSize size_;
  std::vector<int> lengths_;
  LooseMatrix query_, key_, value_;
  KvCache::Size cache_size_;
  Buffer storage_;
  KvCache cache_;
};

}  // namespace transformer::testing
