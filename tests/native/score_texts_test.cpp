// src/generation/score_texts: the log-probabilities that greedy decoding reports, whatever is remembered.
#include "generation/score_texts.h"

#include <gtest/gtest.h>

#include "generation/generator.h"
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

}  // namespace
}  // namespace transformer
