// src/attention: scaled dot-product attention and multi-head attention.
#include <gmock/gmock.h>

#include "attention/multi_head.h"
#include "positions/rotary.h"
#include "support/attention_case.h"
#include "support/errors.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(ScaledDotProductTest, MatchesTheTwinAtEverySize) {
  Bench bench(2);
  Random random(1);
  for (int keys : {0, 1, 7, 8, 16, 17, 63, 64, 65, 130, 200}) {  // 64 is a tile
    for (int queries : {0, 1, 5, 32, 33, 70}) {                  // 32 is a tile
      AttentionCase attention(random, {2, 2, 2, queries, keys, random_int(random, 1, 20), random_int(random, 1, 40)});
      attention.check(bench.workspace);
    }
  }
}

TEST(ScaledDotProductTest, AcceptsNoBatchAndNoQueries) {
  Bench bench(2);
  Random random(2);
  AttentionCase(random, {0, 2, 2, 3, 5, 8, 8}).check(bench.workspace);
}

TEST(ScaledDotProductTest, BroadcastsABiasOverEveryChoiceOfAxes) {
  Bench bench(2);
  Random random(3);
  for (int axes = 0; axes < 16; ++axes) {
    for (double forbidden : {0.0, 0.3}) {
      AttentionCase attention(random, {2, 3, 3, 5, 70, 6, 9});
      const RandomBias bias(random, attention.size(), axes, forbidden);
      attention.mask.bias = bias.view();
      attention.check(bench.workspace);
    }
  }
}

TEST(ScaledDotProductTest, IsCausalFromTheEndOfTheKeys) {
  Bench bench(2);
  Random random(4);
  for (int keys : {1, 5, 40, 64, 100, 150}) {
    for (int queries : {1, 3, 40, 100, 150}) {  // with more queries than keys, the first ones see no key
      for (int window : {-1, 0, 1, 10, 64, 100}) {
        for (bool causal : {true, false}) {
          AttentionCase attention(random, {1, 2, 1, queries, keys, 4, 5});
          attention.mask.causal = causal;
          attention.mask.window = window;
          attention.check(bench.workspace);
        }
      }
    }
  }
}

// All features together, drawn at random from a fixed seed.
TEST(ScaledDotProductTest, MatchesTheTwinWithAnyMask) {
  Bench bench(3);
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const int kv_heads = random_int(random, 1, 3);
    const AttentionSize size = {
        random_int(random, 1, 3),  kv_heads * random_int(random, 1, 3), kv_heads,
        random_int(random, 1, 40), random_int(random, 3, 140),          random_int(random, 1, 33),
        random_int(random, 1, 33)};
    std::vector<int> lengths;
    for (int row = 0; row < size.batch; ++row)
      lengths.push_back(row == 0 ? size.keys : random_int(random, 3, size.keys));
    AttentionCase attention(random, size, lengths);
    const RandomBias padding(random, size, 0b1001, 0.2), caller(random, size, random_int(random, 0, 15), 0.2),
        bias(random, size, random_int(random, 0, 15), 0.0);
    if (random_int(random, 0, 1)) attention.mask.padding = padding.view();
    if (random_int(random, 0, 1)) attention.mask.mask = caller.view();
    if (random_int(random, 0, 1)) attention.mask.bias = bias.view();
    const std::vector<float> distances = random_floats(random, static_cast<std::size_t>(size.heads) * 401);
    if (random_int(random, 0, 1)) attention.mask.distance = {distances.data() + 200, 401};
    attention.mask.causal = random_int(random, 0, 1);
    attention.mask.window = random_int(random, 0, 2) == 0 ? random_int(random, 0, 100) : -1;
    attention.mask.unmasked_keys = random_int(random, 0, 2);
    attention.scale = random_float(random, 0.1f, 1.0f);
    if (random_int(random, 0, 1)) attention.cap = random_float(random, 0.5f, 3.0f);
    attention.check(bench.workspace);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(ScaledDotProductTest, AQueryThatMayAttendToNothingGetsZeros) {
  Bench bench;
  Random random(6);
  AttentionCase attention(random, {1, 1, 1, 3, 100, 4, 5});
  std::vector<float> mask(300, 0.0f);
  std::fill_n(mask.begin() + 100, 100, kForbidden);  // the second query
  attention.mask.mask = {.data = mask.data(), .query = 100, .key = 1};
  const LooseMatrix out(3, 5);
  Tensor weights;
  attention.run(out.view(), {.weights = &weights}, bench.workspace);
  for (int d = 0; d < 5; ++d) {
    EXPECT_EQ(out.view().row(1)[d], 0.0f);
    EXPECT_NE(out.view().row(0)[d], 0.0f);
  }
  for (int key = 0; key < 100; ++key) EXPECT_EQ(weights.matrix().row(1)[key], 0.0f);
}

TEST(ScaledDotProductTest, NaNInAQueryOrABiasAffectsOnlyItsOwnResult) {
  Bench bench;
  Random random(7);
  AttentionCase attention(random, {1, 1, 1, 3, 100, 4, 5});
  std::vector<float> bias(300, 0.0f);
  bias[170] = std::numeric_limits<float>::quiet_NaN();
  attention.mask.bias = {.data = bias.data(), .query = 100, .key = 1};
  const LooseMatrix out(3, 5);
  attention.run(out.view(), {}, bench.workspace);
  for (int query = 0; query < 3; ++query) EXPECT_EQ(std::isnan(out.view().row(query)[0]), query == 1);
}

TEST(ScaledDotProductTest, AQueryHasTheSameBitsAloneAndOnAnyNumberOfThreads) {
  Random random(8);
  for (int keys : {1, 17, 64, 150}) {
    const AttentionSize size = {2, 4, 2, 70, keys, 16, 24};
    AttentionCase attention(random, size);
    const RandomBias bias(random, size, 0b1110, 0.1);
    attention.mask.bias = bias.view();
    Bench one(1);
    const LooseMatrix together(140, 96);
    attention.run(together.view(), {}, one.workspace);
    for (int threads : {2, 3}) {
      Bench bench(threads);
      const LooseMatrix out(140, 96);
      attention.run(out.view(), {}, bench.workspace);
      EXPECT_TRUE(same_bits(out.view(), together.view())) << threads << " threads";
    }
    for (int query : {0, 1, 31, 32, 69}) {
      ConstHeads at_query = attention.query();
      at_query.data += query * at_query.time;
      Mask mask;
      mask.bias = bias.view();
      mask.bias.data += query * mask.bias.query;
      const LooseMatrix alone(2, 96);
      scaled_dot_product_attention({at_query, {2, 1}, 4, attention.cache(), mask, attention.scale},
                                   heads_in_columns(alone.view(), {2, 1}, 24), {}, one.workspace);
      for (int row = 0; row < 2; ++row) {
        EXPECT_TRUE(same_bits(alone.view().row_range(row, 1), together.view().row_range(row * 70 + query, 1)));
      }
    }
  }
}

// The heads of a sequence's only query run over the keys together, as many as the threads leave.
TEST(ScaledDotProductTest, AHeadOfOneQueryHasTheSameBitsBesideOthers) {
  Random random(18);
  struct Heads {
    int heads, kv_heads;
  };
  for (const Heads& heads :
       {Heads{2, 2}, Heads{3, 1}, Heads{4, 4}, Heads{5, 5}, Heads{6, 6}, Heads{9, 3}, Heads{11, 11}, Heads{40, 5}}) {
    for (int keys : {1, 7, 64, 65, 150}) {
      const AttentionSize size = {2, heads.heads, heads.kv_heads, 1, keys, 13, 21};
      AttentionCase attention(random, size, {keys, (keys + 1) / 2});
      const RandomBias bias(random, size, 0b1101, 0.1);
      attention.mask.bias = bias.view();
      Bench one(1);
      attention.check(one.workspace);
      const LooseMatrix together(2, heads.heads * 21);
      attention.run(together.view(), {}, one.workspace);
      for (int threads : {3, 2 * heads.heads}) {  // at last each head for itself
        Bench bench(std::min(threads, 24));
        const LooseMatrix out(2, heads.heads * 21);
        attention.run(out.view(), {}, bench.workspace);
        EXPECT_TRUE(same_bits(out.view(), together.view())) << heads.heads << " heads, " << threads << " threads";
      }
    }
  }
}

// A sequence in a batch with a longer one is padded: masked keys at its end must change no bit.
TEST(ScaledDotProductTest, MaskedKeysAtTheEndChangeNoBits) {
  for (int real : {1, 10, 64, 70}) {
    for (int padded : {71, 80, 128, 140}) {
      Bench bench;
      Random random(9);
      const LooseMatrix query(random, 5, 8), key(random, padded, 8), value(random, padded, 8);
      const std::vector<float> zeros_then_forbidden = [&] {
        std::vector<float> padding(static_cast<std::size_t>(padded), kForbidden);
        std::fill_n(padding.begin(), real, 0.0f);
        return padding;
      }();
      auto attend = [&](int keys, View out) {
        const KvCache::Size size = {1, 1, 8, 8, keys};
        KvCache cache(size);
        cache.append(0, keys, heads_in_columns<const float>(key.view(), {1, keys}, 8),
                     heads_in_columns<const float>(value.view(), {1, keys}, 8));
        Mask mask;
        mask.padding = {.data = zeros_then_forbidden.data(), .key = 1};
        scaled_dot_product_attention(
            {heads_in_columns<const float>(query.view(), {1, 5}, 8), {1, 5}, 1, cache, mask, 0.3f},
            heads_in_columns(out, {1, 5}, 8), {}, bench.workspace);
      };
      const LooseMatrix alone(5, 8), beside(5, 8);
      attend(real, alone.view());
      attend(padded, beside.view());
      EXPECT_TRUE(same_bits(alone.view(), beside.view())) << real << " of " << padded;
    }
  }
}

class WeightsObserver : public Observer {
 public:
  bool wants(std::string_view path) const override { return path == "weights"; }
  void record(std::string_view path, Tensor tensor) override {
    EXPECT_EQ(path, "weights");
    weights = std::move(tensor);
  }
  Tensor weights;
};

TEST(MultiHeadAttentionTest, TokenByTokenThroughACacheGivesTheSameBits) {
  for (const bool rotates : {false, true}) {
    Bench bench(2);
    Random random(10);
    Weights weights = Weights::random(3);
    const AttentionConfig config = {.d_model = 24, .num_heads = 6, .num_kv_heads = 2};
    const auto rotary = rotates ? std::make_shared<const Rotary>(4, RotaryPositions{.max_length = 100}) : nullptr;
    const MultiHeadAttention attention(WeightScope(weights), config, rotary);
    const int batch = 2, time = 70;
    const LooseMatrix x(random, batch * time, 24);
    Mask mask;
    mask.causal = true;
    const LooseMatrix whole(batch * time, 24);
    attention.forward({x.view(), x.view(), x.view(), {batch, time}, {batch, time}, mask}, {whole.view()},
                      bench.workspace);

    const KvCache::Size size = attention.cache_size(batch, time);
    KvCache cache(size);
    for (int at = 0; at < time; ++at) {
      const LooseMatrix token(batch, 24), out(batch, 24);
      for (int row = 0; row < batch; ++row) std::copy_n(x.view().row(row * time + at), 24, token.view().row(row));
      attention.attend_to_itself({token.view(), {batch, 1}, cache, mask}, {out.view()}, bench.workspace);
      for (int row = 0; row < batch; ++row) {
        ASSERT_TRUE(same_bits(out.view().row_range(row, 1), whole.view().row_range(row * time + at, 1))) << at;
      }
    }
  }
}

// Queries, keys and values in one loop of the threads, as alone: with fewer heads of keys, without one of the biases,
// and in every format of weights.
TEST(MultiHeadAttentionTest, ProjectsTheSameTokensTogetherWithTheSameBits) {
  const AttentionConfig config = {.d_model = 24, .num_heads = 6, .num_kv_heads = 2, .unbiased = "k"};
  const int batch = 2, time = 40;
  Mask mask;
  mask.causal = true;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kInt8, Dtype::kInt4}) {
    for (const int threads : {1, 2}) {
      Bench bench(threads);
      Random random(13);
      Weights weights = Weights::random(3, dtype);
      for (const char* name : {"q_proj.bias", "v_proj.bias"}) {
        add_random(weights, random, name, {name[0] == 'q' ? 24 : 8});
      }
      const MultiHeadAttention attention(WeightScope(weights), config);
      const LooseMatrix x(random, batch * time, 24), copy(batch * time, 24);
      for (int row = 0; row < batch * time; ++row) std::copy_n(x.view().row(row), 24, copy.view().row(row));
      const Segments tokens = {batch, time};
      const LooseMatrix together(batch * time, 24), apart(batch * time, 24), in_two(batch * time, 24),
          cached(batch * time, 24);
      attention.forward({x.view(), x.view(), x.view(), tokens, tokens, mask}, {together.view()}, bench.workspace);
      attention.forward({x.view(), x.view(), copy.view(), tokens, tokens, mask}, {apart.view()}, bench.workspace);
      attention.forward({copy.view(), x.view(), x.view(), tokens, tokens, mask}, {in_two.view()}, bench.workspace);
      KvCache cache(attention.cache_size(batch, time));
      attention.attend_to_itself({x.view(), tokens, cache, mask}, {cached.view()}, bench.workspace);
      EXPECT_TRUE(same_bits(together.view(), apart.view()));
      EXPECT_TRUE(same_bits(in_two.view(), apart.view()));
      EXPECT_TRUE(same_bits(cached.view(), apart.view()));
    }
  }
}

TEST(MultiHeadAttentionTest, RecordsItsWeights) {
  WeightsObserver observer;
  Bench bench(1, &observer);
  Random random(11);
  Weights weights = Weights::random(3);
  const AttentionConfig config = {.d_model = 8, .d_key = 6, .d_value = 5, .num_heads = 2};
  const MultiHeadAttention attention(WeightScope(weights), config);
  const LooseMatrix query(random, 3 * 4, 8), key(random, 3 * 7, 6), value(random, 3 * 7, 5), out(3 * 4, 8);
  attention.forward({query.view(), key.view(), value.view(), {3, 4}, {3, 7}, {}}, {out.view()}, bench.workspace);
  ASSERT_EQ(observer.weights.shape(), (Shape{3, 2, 4, 7}));
  for (int row = 0; row < 3 * 2 * 4; ++row) {
    double sum = 0;
    for (int j = 0; j < 7; ++j) sum += observer.weights.matrix().row(row)[j];
    EXPECT_NEAR(sum, 1.0, 8 * kEpsilon);
  }
}

// Factors of 0, 1/2 and 1 are exact, so scaling a head equals scaling its columns of out_proj, bit for bit.
TEST(MultiHeadAttentionTest, HeadFactorsScaleTheOutputsOfTheirHeads) {
  const std::vector<float> factors = {0.5f, 1.0f, 0.0f};
  const int d_model = 12, d_head = 4, batch = 2, time = 5;
  Random random(12);
  const LooseMatrix x(random, batch * time, d_model), residual(random, batch * time, d_model);
  auto attend = [&](const HeadFactors* given, bool in_weights, View out) {
    Weights weights = Weights::random(3);
    Tensor out_proj = Weights::random(4).take("out_proj.weight", {d_model, d_model});
    for (int row = 0; in_weights && row < d_model; ++row) {
      for (int col = 0; col < d_model; ++col) {
        out_proj.matrix().row(row)[col] *= factors[col / d_head];
      }
    }
    add_tensor(weights, "out_proj.weight", out_proj.shape(), {out_proj.data(), out_proj.data() + out_proj.size()});
    const MultiHeadAttention attention(WeightScope(weights), {.d_model = d_model, .num_heads = 3});
    Bench bench(2);
    bench.workspace.head_factors = given;
    const PathScope path(bench.workspace, "layers", 1);
    attention.forward({x.view(), x.view(), x.view(), {batch, time}, {batch, time}, {}}, {out, residual.view()},
                      bench.workspace);
  };
  const LooseMatrix plain(batch * time, d_model), expected(batch * time, d_model), scaled(batch * time, d_model),
      elsewhere(batch * time, d_model), ones(batch * time, d_model);
  attend(nullptr, false, plain.view());
  attend(nullptr, true, expected.view());
  const HeadFactors here = {{"layers.1", factors}}, of_another = {{"layers.2", factors}, {"layers", factors}},
                    of_one = {{"layers.1", {1, 1, 1}}};
  attend(&here, false, scaled.view());
  attend(&of_another, false, elsewhere.view());
  attend(&of_one, false, ones.view());
  EXPECT_TRUE(same_bits(scaled.view(), expected.view()));
  EXPECT_FALSE(same_bits(scaled.view(), plain.view()));
  EXPECT_TRUE(same_bits(elsewhere.view(), plain.view())) << "another layer's factors";
  EXPECT_TRUE(same_bits(ones.view(), plain.view()));
}

TEST(AttentionConfigTest, ZerosStandForTheDefaults) {
  const AttentionConfig usual = resolved({.d_model = 24, .num_heads = 6});
  EXPECT_EQ(usual.d_model, 24);
  EXPECT_EQ(usual.d_key, 24);
  EXPECT_EQ(usual.d_value, 24);
  EXPECT_EQ(usual.num_heads, 6);
  EXPECT_EQ(usual.num_kv_heads, 6);
  EXPECT_EQ(usual.d_head, 4);
  EXPECT_EQ(usual.scale, 0.5f);
  const AttentionConfig given = resolved({.d_model = 25,
                                          .d_key = 7,
                                          .d_value = 9,
                                          .num_heads = 6,
                                          .num_kv_heads = 3,
                                          .d_head = 5,
                                          .bias = false,
                                          .unbiased = "k",
                                          .scale = 0.7f,
                                          .bias_kv = true,
                                          .zero_attention = true});
  EXPECT_EQ(given.d_key, 7);
  EXPECT_EQ(given.d_value, 9);
  EXPECT_EQ(given.num_kv_heads, 3);
  EXPECT_EQ(given.d_head, 5) << "the heads need not be as wide as the model";
  EXPECT_EQ(given.scale, 0.7f);
  EXPECT_FALSE(given.bias);
  EXPECT_TRUE(given.bias_kv && given.zero_attention);
}

TEST(AttentionConfigTest, RefusesImpossibleSizes) {
  const std::pair<const char*, AttentionConfig> faults[] = {
      {"dModel must be positive, got 0", {}},
      {"dModel must be positive, got -8", {.d_model = -8}},
      {"numHeads must be positive, got 0", {.d_model = 8, .num_heads = 0}},
      {"numHeads must be positive, got -2", {.d_model = 8, .num_heads = -2, .d_head = 4}},
      {"dModel (8) must be a multiple of numHeads (3)", {.d_model = 8, .num_heads = 3}},
      {"numHeads (4) must be a multiple of numKvHeads (3)", {.d_model = 8, .num_heads = 4, .num_kv_heads = 3}},
      {"numHeads (4) must be a multiple of numKvHeads (-1)", {.d_model = 8, .num_heads = 4, .num_kv_heads = -1}},
      {"numHeads (4) must be a multiple of numKvHeads (8)", {.d_model = 8, .num_heads = 4, .num_kv_heads = 8}},
      {"dHead, kDim and vDim must be positive, got -1, 8 and 8", {.d_model = 8, .num_heads = 4, .d_head = -1}},
      {"dHead, kDim and vDim must be positive, got 2, -1 and 8", {.d_model = 8, .d_key = -1, .num_heads = 4}},
      {"dHead, kDim and vDim must be positive, got 2, 8 and -1", {.d_model = 8, .d_value = -1, .num_heads = 4}},
      {"numHeads (1073741824) times dHead (2) is too large", {.d_model = 8, .num_heads = 1 << 30, .d_head = 2}},
      {"numHeads (2) times dHead (1073741824) is too large", {.d_model = 8, .num_heads = 2, .d_head = 1 << 30}},
  };
  for (const auto& fault : faults) {
    Weights weights = Weights::random(3);
    const Error error = error_of([&] { MultiHeadAttention(WeightScope(weights), fault.second); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(fault.first));
  }
}

}  // namespace
}  // namespace transformer
