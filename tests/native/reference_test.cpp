// Kernels, attentions and logits rules against reference numbers computed in double precision.
#include <gtest/gtest.h>

#include "attention/additive.h"
#include "attention/luong.h"
#include "attention/scaled_dot_product.h"
#include "generation/logits_rules.h"
#include "generation/sampler.h"
#include "kernels/activation.h"
#include "kernels/norm.h"
#include "kernels/softmax.h"
#include "support/bench.h"
#include "support/fixture.h"
#include "support/naive.h"

namespace transformer {
namespace {

using namespace testing;

// A dense tensor [batch, heads, time, width].
template <class T>
HeadsView<T> dense_heads(T* data, const Shape& shape) {
  return {data, static_cast<std::ptrdiff_t>(shape[1]) * shape[2] * shape[3],
          static_cast<std::ptrdiff_t>(shape[2]) * shape[3], shape[3]};
}

TEST(ReferenceTest, ScaledDotProductAttention) {
  const Fixture fixture("attention_f64");
  Bench bench;
  const nlohmann::json expected_json = fixture.json("expected.json");
  ASSERT_EQ(expected_json["calls"].size(), 11u);
  for (const auto& [name, call] : expected_json["calls"].items()) {
    const Tensor query = fixture.tensor(name + ".query"), key = fixture.tensor(name + ".key"),
                 value = fixture.tensor(name + ".value");
    const int batch = query.axis(0), heads = query.axis(1), queries = query.axis(2), keys = key.axis(2);
    const KvCache::Size size = {batch, heads, key.axis(3), value.axis(3), keys};
    KvCache cache(size);
    for (int row = 0; row < batch; ++row) {
      cache.append(row, keys, dense_heads(key.data(), key.shape()), dense_heads(value.data(), value.shape()));
    }
    const Tensor given_mask = fixture.has(name + ".mask") ? fixture.mask(name + ".mask") : Tensor();
    const Tensor given_bias = fixture.has(name + ".bias") ? fixture.tensor(name + ".bias") : Tensor();
    Mask mask;
    if (!given_mask.empty()) mask.mask = broadcast(given_mask);
    if (!given_bias.empty()) mask.bias = broadcast(given_bias);
    auto expect_reference = [&](const Mask& used) {
      Tensor out({batch, heads, queries, value.axis(3)}), weights;
      scaled_dot_product_attention({dense_heads<const float>(query.data(), query.shape()),
                                    {batch, queries},
                                    heads,
                                    cache,
                                    used,
                                    call["scale"].get<float>()},
                                   dense_heads(out.data(), out.shape()), {.weights = &weights}, bench.workspace);
      const std::vector<double> expected = fixture.numbers(name + ".output");
      expect_near(out.data(), expected, 1e-5 * largest(expected), name);
      expect_near(weights.data(), fixture.numbers(name + ".weights"), 1e-5, name + ".weights");
    };
    expect_reference(mask);
    if (name.rfind("causal", 0) == 0) {
      Mask causal;
      causal.causal = true;
      expect_reference(causal);
    }
  }
}

TEST(ReferenceTest, LuongAndBahdanauAttention) {
  const Fixture fixture("luong_bahdanau_f64");
  Bench bench;
  Tensor query = fixture.tensor("query"), key = fixture.tensor("key"), same_width = fixture.tensor("key_same_dim"),
         mask = fixture.mask("mask");
  const Tensor general_W = fixture.tensor("param.general.weight"), concat_W = fixture.tensor("param.concat.weight"),
               concat_v = fixture.tensor("param.concat.v"), Ws = fixture.tensor("param.additive.query_weight"),
               Wh = fixture.tensor("param.additive.key_weight"), v = fixture.tensor("param.additive.v"),
               bias = fixture.tensor("param.additive.bias");
  const int queries = query.axis(1), keys = key.axis(1);
  for (const std::string kind : {"dot", "general", "concat", "additive"}) {
    const Tensor& values = kind == "dot" ? same_width : key;
    Tensor scores({2, queries, keys}), weights({2, queries, keys}), context({2, queries, values.axis(2)});
    for (int row = 0; row < 2; ++row) {
      const ConstView q = query.matrix().row_range(row * queries, queries);
      const ConstView k = values.matrix().row_range(row * keys, keys);
      const View s = scores.matrix().row_range(row * queries, queries);
      if (kind == "dot") luong_dot_scores(q, k, s, bench.workspace);
      if (kind == "general") luong_general_scores(q, k, general_W.matrix(), s, bench.workspace);
      if (kind == "concat") luong_concat_scores(q, k, {concat_W.matrix(), concat_v.data()}, s, bench.workspace);
      if (kind == "additive")
        additive_scores(q, k, {Ws.matrix(), Wh.matrix(), v.data(), bias.data()}, s, bench.workspace);
      Tensor padding({queries, keys});
      for (int i = 0; i < queries; ++i) std::copy_n(mask.matrix().row(row), keys, padding.matrix().row(i));
      attend_by_scores(
          {s, weights.matrix().row_range(row * queries, queries), context.matrix().row_range(row * queries, queries)},
          padding.matrix(), k, bench.workspace);
    }
    const std::vector<double> expected = fixture.numbers("scores." + kind);
    expect_near(scores.data(), expected, 1e-5 * largest(expected), kind + " scores");
    expect_near(weights.data(), fixture.numbers("weights." + kind), 1e-5, kind + " weights");
    expect_near(context.data(), fixture.numbers("context." + kind), 1e-5, kind + " context");
  }
}

TEST(ReferenceTest, NormsAndSoftmax) {
  const Fixture fixture("norms_f64");
  const Tensor x = fixture.tensor("input"), weight = fixture.tensor("weight"), bias = fixture.tensor("bias");
  const int cols = x.axis(1);
  Tensor out(x.shape());
  auto expect_rows = [&](const std::string& name, double bound_of_row_3) {
    const std::vector<double> expected = fixture.numbers(name);
    for (int row = 0; row < x.axis(0); ++row) {
      const std::vector<double> expected_row(expected.begin() + row * cols, expected.begin() + (row + 1) * cols);
      const double bound = row == 3 ? bound_of_row_3 : 1e-5;
      expect_near(out.matrix().row(row), expected_row, bound * std::max(largest(expected_row), 1e-3),
                  name + " row " + std::to_string(row));
    }
  };
  for (const auto& [text, eps] : {std::pair("0.001", 1e-3f), std::pair("1e-05", 1e-5f), std::pair("1e-12", 1e-12f)}) {
    layer_norm(x.matrix(), weight.data(), bias.data(), eps, out.matrix());
    // Row 3 has a large mean and a small spread: subtracting the mean in float32 cancels most digits.
    expect_rows(std::string("layer_norm_eps") + text, 1e-3);
    rms_norm(x.matrix(), weight.data(), eps, out.matrix());
    expect_rows(std::string("rms_norm_eps") + text, 1e-5);
  }
  softmax(x.matrix(), out.matrix());
  expect_rows("softmax", 1e-5);
  log_softmax(x.matrix(), out.matrix());
  expect_rows("log_softmax", 1e-5);
}

TEST(ReferenceTest, Activations) {
  const Fixture fixture("activations");
  const std::vector<std::pair<const char*, Activation>> names = {{"relu", Activation::kRelu},
                                                                 {"relu2", Activation::kRelu2},
                                                                 {"relu6", Activation::kRelu6},
                                                                 {"gelu", Activation::kGelu},
                                                                 {"gelu_new", Activation::kGeluTanh},
                                                                 {"gelu_pytorch_tanh", Activation::kGeluTanh},
                                                                 {"gelu_fast", Activation::kGeluTanh},
                                                                 {"bloom_gelu", Activation::kGeluTanh},
                                                                 {"quick_gelu", Activation::kQuickGelu},
                                                                 {"silu", Activation::kSilu},
                                                                 {"swish", Activation::kSilu},
                                                                 {"mish", Activation::kMish},
                                                                 {"sigmoid", Activation::kSigmoid},
                                                                 {"tanh", Activation::kTanh}};
  for (const auto& [name, activation] : names) {
    Tensor x = fixture.tensor("input");
    const std::vector<double> in = fixture.numbers("input"), expected = fixture.numbers(std::string("output.") + name);
    activate(activation, x.matrix());
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_NEAR(x.data()[i], expected[i], 8 * kEpsilon * (std::abs(in[i]) + std::abs(expected[i])) + 1e-30)
          << name << " of " << in[i];
    }
  }
}

// The options of one step of the reference.
void apply(const std::string& name, const nlohmann::json& value, GenerationOptions& options, int& max_new_tokens) {
  if (name == "temperature") options.temperature = value;
  if (name == "top_k") options.top_k = value;
  if (name == "top_p") options.top_p = value;
  if (name == "typical_p") options.typical_p = value;
  if (name == "repetition_penalty") options.repetition_penalty = value;
  if (name == "no_repeat_ngram_size") options.no_repeat_ngram_size = value;
  if (name == "bad_words_ids") options.bad_words_ids = value.get<std::vector<std::vector<int>>>();
  if (name == "suppress_tokens") options.suppress_tokens = value.get<std::vector<int>>();
  if (name == "min_length") {
    options.min_new_tokens = value[0];
    options.eos_token_ids = {value[1].get<int>()};
  }
  if (name == "forced_eos") {
    max_new_tokens = value[0];
    options.forced_eos_token_id = value[1];
  }
}

TEST(ReferenceTest, LogitsProcessing) {
  const Fixture fixture("logits_processing");
  const std::vector<double> context = fixture.numbers("context");
  const nlohmann::json expected_json = fixture.json("expected.json");
  ASSERT_EQ(expected_json["settings"].size(), 22u);
  Bench bench;
  for (const auto& [name, steps] : expected_json["settings"].items()) {
    GenerationOptions options;
    int max_new_tokens = 1000;
    for (const auto& step : steps) {
      for (const auto& [key, value] : step.items()) apply(key, value, options, max_new_tokens);
    }
    Tensor scores = fixture.tensor("logits");
    const std::vector<double> expected_scores = fixture.numbers("scores." + name),
                              expected = fixture.numbers("probs." + name);
    const bool samples = options.temperature != 1 || options.top_k != 0 || options.top_p != 1 || options.typical_p != 1;
    for (int row = 0; row < 3; ++row) {
      const std::vector<int> tokens(context.begin() + row * 12, context.begin() + (row + 1) * 12);
      const std::span<float> span(scores.matrix().row(row), 40);
      apply_logits_rules(options, tokens, 0, max_new_tokens, {span, Shortlist()});
      for (std::size_t i = 0; i < 40 && !samples; ++i) {
        EXPECT_EQ(span[i], expected_scores[static_cast<std::size_t>(row) * 40 + i])
            << name << " row " << row << " id " << i;
      }
      sampling_distribution(options, span, bench.workspace);
      for (std::size_t i = 0; i < 40; ++i) {
        const double p = expected[static_cast<std::size_t>(row) * 40 + i];
        // Scores have an error of |x| eps/2, which becomes a relative error of the exponential; softmax and sum follow.
        ASSERT_NEAR(span[i], p, p * kEpsilon * (4 * largest(expected_scores) + 45))
            << name << " row " << row << " id " << i;
      }
    }
  }
}

}  // namespace
}  // namespace transformer
