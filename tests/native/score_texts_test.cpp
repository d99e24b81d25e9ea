// src/generation/score_texts: the log-probabilities that greedy decoding reports, whatever is remembered.
#include "generation/score_texts.h"

#include <gtest/gtest.h>

#include "generation/generator.h"
#include "generation/stored_prefix.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;

constexpr int kVocab = 30;

void expect_same(const std::vector<Hypothesis>& all, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].ids, expected[i].ids);
    EXPECT_EQ(all[i].token_scores, expected[i].token_scores);
    EXPECT_EQ(all[i].score, expected[i].score);
  }
}

TEST(ScoreTextsTest, HasTheBitsOfGreedyDecoding) {
  Random random(7);
  for (int round = 0; round < 12; ++round) {
    const TransformerConfig config =
        random_generator_config(random, round % 3 == 2 ? Stacks::kBoth : Stacks::kDecoder, kVocab, kVocab);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    const auto sequence_model = make_sequence_model(model);
    Bench bench{2};
    GenerationInput input;
    std::vector<int> common(70);
    for (int& id : common) id = random_int(random, 0, kVocab - 1);
    std::vector<std::vector<int>> texts;
    std::vector<Hypothesis> expected;
    for (int i = 0; i < 3; ++i) {
      GenerationInput own;
      std::vector<int> prompt = common;
      prompt.resize(70 + i, 5);
      own.prompts = {prompt};
      if (model.has_encoder()) own.sources = {{2, 3, 4}};
      GenerationOptions options;
      options.max_new_tokens = 20 + 10 * i;
      Generator generator(model, own, options, bench.workspace);
      while (!generator.done()) generator.step();
      const Hypothesis best = generator.search(0).results()[0];
      texts.emplace_back(best.ids.begin() + count_of(prompt), best.ids.end());
      expected.push_back({texts.back(), best.score, best.token_scores});
      input.prompts.push_back(prompt);
      if (model.has_encoder()) input.sources.push_back({2, 3, 4});
    }
    expect_same(score_texts(*sequence_model, input, texts, bench.workspace), expected);
    PrefixCache prefixes(1 << 24);
    input.prefixes = &prefixes;
    for (int times = 0; times < 2; ++times) {
      expect_same(score_texts(*sequence_model, input, texts, bench.workspace), expected);
    }
    if (HasFailure()) return;
  }
}

TEST(ScoreTextsTest, RefusesWhatItCannotScore) {
  Random random(8);
  const TransformerConfig config = random_generator_config(random, Stacks::kDecoder, kVocab, kVocab);
  Weights weights = Weights::random(3);
  const Transformer model(weights, config);
  const auto sequence_model = make_sequence_model(model);
  Bench bench;
  const auto code = [&](std::vector<std::vector<int>> prompts, const std::vector<std::vector<int>>& texts) {
    GenerationInput input;
    input.prompts = std::move(prompts);
    return code_of([&] { score_texts(*sequence_model, input, texts, bench.workspace); });
  };
  EXPECT_EQ(code({{1}}, {}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({{1}}, {{}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({{}}, {{1}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({{1}}, {{kVocab}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({{1}}, {std::vector<int>(5000, 1)}), ErrorCode::kInvalidArgument);
}

// Pages that were kept as numbers are those that were computed.
TEST(StoredPrefixTest, IsRememberedAgain) {
  Random random(8);
  int remembered = 0;
  for (int round = 0; round < 8; ++round) {
    const TransformerConfig config = random_generator_config(random, Stacks::kDecoder, kVocab, kVocab);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    const auto sequence_model = make_sequence_model(model);
    Bench bench{2};
    std::vector<int> ids(150);
    for (int& id : ids) id = random_int(random, 0, kVocab - 1);
    Company first, second;
    for (Company* company : {&first, &second}) company->prefixes.limit_to(1 << 24);
    GenerationOptions options;
    options.max_new_tokens = 5;
    const auto run = [&](Company& company) {
      GenerationInput input;
      input.prompts = {ids};
      Generator generator(model, input, options, bench.workspace);
      generator.share(company);
      while (!generator.done()) generator.step();
      return generator.search(0).results();
    };
    const std::vector<Hypothesis> expected = run(first);
    const auto restore = [&](int place, const Tensor& page) {
      return restore_page(*sequence_model, second.prefixes, {ids, place}, page, bench.workspace);
    };
    if (first.prefixes.bytes() == 0) {  // cells, or positions that depend on the length
      EXPECT_EQ(stored_page(first.prefixes, {ids, 0}).size(), 0u);
      EXPECT_FALSE(restore(0, Tensor({4})));
      continue;
    }
    EXPECT_FALSE(restore(1, stored_page(first.prefixes, {ids, 1})));  // not without the page before it
    for (int place = 0; place < 2; ++place) EXPECT_TRUE(restore(place, stored_page(first.prefixes, {ids, place})));
    EXPECT_EQ(stored_page(first.prefixes, {ids, 2}).size(), 0u);
    expect_same(run(second), expected);
    EXPECT_EQ(second.prefixes.recalled(), 128);
    ++remembered;
    EXPECT_EQ(code_of([&] { restore(2, Tensor({4})); }), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code_of([&] { restore(0, Tensor({4})); }), ErrorCode::kInvalidArgument);
    second.prefixes.limit_to(0);
    EXPECT_FALSE(restore(0, stored_page(first.prefixes, {ids, 0})));
  }
  EXPECT_GT(remembered, 2);
}

}  // namespace
}  // namespace transformer
