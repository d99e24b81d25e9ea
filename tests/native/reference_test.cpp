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
      apply_logits_rules(options, {tokens, 0, max_new_tokens}, {span, Shortlist()});
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

// The options of a setting of the second part, and the prompt's length.
int apply_more(const nlohmann::json& setting, GenerationOptions& options) {
  const auto given = [&setting](const char* name, auto& field) {
    if (setting.contains(name)) setting[name].get_to(field);
  };
  int prompt_length = 0;
  given("prompt_length", prompt_length);
  given("epsilon_cutoff", options.epsilon_cutoff);
  given("eta_cutoff", options.eta_cutoff);
  given("min_p", options.min_p);
  given("top_p", options.top_p);
  given("top_k", options.top_k);
  given("typical_p", options.typical_p);
  given("temperature", options.temperature);
  given("encoder_repetition_penalty", options.encoder_repetition_penalty);
  given("encoder_no_repeat_ngram_size", options.encoder_no_repeat_ngram_size);
  given("exponential_decay_length_penalty", options.exponential_decay_length_penalty);
  given("min_new_tokens", options.min_new_tokens);
  given("suppress_tokens", options.suppress_tokens);
  given("begin_suppress_tokens", options.begin_suppress_tokens);
  given("renormalize_logits", options.renormalize_logits);
  given("forced_bos_token_id", options.forced_bos_token_id);
  if (setting.contains("begin_index")) prompt_length = setting["begin_index"];
  if (setting.contains("context_length")) prompt_length = setting["context_length"];
  if (setting.contains("eos")) options.eos_token_ids = {setting["eos"].get<int>()};
  for (const auto& pair : setting.value("sequence_bias", nlohmann::json::array())) {
    auto sequence = pair[0].get<std::vector<double>>();
    sequence.push_back(pair[1]);
    options.sequence_bias.push_back(sequence);
  }
  return prompt_length;
}

std::vector<int> ids_of(const std::vector<double>& numbers, int row, int length) {
  return {numbers.begin() + row * length, numbers.begin() + (row + 1) * length};
}

void expect_row(std::span<const float> scores, const std::vector<double>& expected, int row, const std::string& what) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double wanted = expected[static_cast<std::size_t>(row) * scores.size() + i];
    if (std::isinf(wanted)) {
      EXPECT_EQ(scores[i], wanted) << what << " row " << row << " id " << i;
    } else {
      EXPECT_NEAR(scores[i], wanted, 1e-5) << what << " row " << row << " id " << i;
    }
  }
}

TEST(ReferenceTest, MoreLogitsProcessing) {
  const Fixture fixture("logits_processing_2");
  const std::vector<double> contexts = fixture.numbers("context"), sources = fixture.numbers("encoder_input_ids");
  const nlohmann::json expected = fixture.json("expected.json");
  ASSERT_EQ(expected["settings"].size(), 26u);
  Bench bench;
  for (const auto& [name, setting] : expected["settings"].items()) {
    GenerationOptions options;
    const int prompt_length = apply_more(setting, options);
    Tensor scores = fixture.tensor("logits");
    for (int row = 0; row < 3; ++row) {
      std::vector<int> ids = ids_of(contexts, row, 12);
      if (setting.contains("context_length")) ids.resize(setting["context_length"].get<std::size_t>());
      const std::vector<int> source = ids_of(sources, row, 10);
      std::vector<int> allowed;
      for (const auto& path : setting.value("prefix_trie_on_last_token", nlohmann::json::array())) {
        if (path[0] == ids.back()) allowed.push_back(path[1]);
      }
      if (allowed.empty() && setting.contains("else_allowed")) {
        allowed = setting["else_allowed"].get<std::vector<int>>();
      }
      const std::span<float> span(scores.matrix().row(row), 40);
      apply_logits_rules(options, {ids, prompt_length, 1000, source, source, allowed}, {span, Shortlist()});
      filter_scores(options, setting.value("min_tokens_to_keep", 1), span, bench.workspace);
      expect_row(span, fixture.numbers("scores." + name), row, name);
    }
  }
}

TEST(ReferenceTest, GroupsOfBeamsAvoidWhatOthersChose) {
  const Fixture fixture("logits_processing_2");
  const nlohmann::json diversity = fixture.json("expected.json")["diversity"];
  const int beams = diversity["num_beams"], groups = diversity["num_beam_groups"], group = diversity["beam_group_idx"];
  GenerationOptions options;
  options.diversity_penalty = diversity["diversity_penalty"];
  const std::vector<double> tokens = fixture.numbers("diversity.current_tokens");
  Tensor scores = fixture.tensor("diversity.log_probs");
  const int per_group = beams / groups;
  for (int row = 0; row < scores.axis(0); ++row) {
    const std::vector<int> all = ids_of(tokens, row / per_group, beams);
    const std::span<const int> elsewhere(all.data(), static_cast<std::size_t>(group * per_group));
    const std::span<float> span(scores.matrix().row(row), 40);
    const std::vector<int> ids = {1};
    apply_logits_rules(options, {.ids = ids, .prompt_length = 1, .max_new_tokens = 9, .elsewhere = elsewhere},
                       {span, Shortlist()});
    expect_row(span, fixture.numbers("diversity.scores"), row, "diversity");
  }
}

TEST(ReferenceTest, ForcedDecoderIds) {
  const Fixture fixture("logits_processing_2");
  GenerationOptions options;
  options.forced_decoder_ids = fixture.json("expected.json")["forced_decoder_ids"].get<std::vector<std::vector<int>>>();
  const std::vector<double> contexts = fixture.numbers("context");
  for (const int length : {1, 2, 3, 12}) {
    Tensor scores = fixture.tensor("logits");
    for (int row = 0; row < 3; ++row) {
      std::vector<int> ids = ids_of(contexts, row, 12);
      ids.resize(static_cast<std::size_t>(length));
      const std::span<float> span(scores.matrix().row(row), 40);
      apply_logits_rules(options, {ids, 1, 100}, {span, Shortlist()});
      expect_row(span, fixture.numbers(concat("forced_decoder_ids.", length)), row, concat("length ", length));
    }
  }
}

}  // namespace
}  // namespace transformer
