// src/generation/prompt_lookup: what is drafted, and that drafts change no result.
#include "generation/prompt_lookup.h"

#include <gmock/gmock.h>

#include "generation/generator.h"
#include "support/naive.h"
#include "support/random_model.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PromptLookupTest, DraftsWhatFollowedTheFirstOfTheLongestNGrams) {
  const std::vector<int> text = {1, 2, 3, 4, 9, 2, 3, 5, 9, 7, 2, 3};
  EXPECT_THAT(PromptLookup(2).draft({}, text, 10), ElementsAre(4, 9));
  EXPECT_THAT(PromptLookup(2).draft({}, text, 1), ElementsAre(4));
  EXPECT_THAT(PromptLookup(2).draft({}, text, 0), IsEmpty());
  EXPECT_THAT(PromptLookup(2).draft(std::vector<int>{9, 7, 2, 3, 8}, text, 10), ElementsAre(8));
  EXPECT_THAT(PromptLookup(2).draft(std::vector<int>{6, 2, 3, 8}, text, 10), ElementsAre(4, 9)) << "the text first";
  EXPECT_THAT(PromptLookup(2).draft(std::vector<int>{3, 8}, std::vector<int>{2, 3}, 10), IsEmpty()) << "one token";
  EXPECT_THAT(PromptLookup(2).draft({}, std::vector<int>{4}, 10), IsEmpty());
  EXPECT_THAT(PromptLookup(0).draft({}, text, 10), IsEmpty());
}

TEST(PromptLookupTest, GrowsWithSuccessAndPausesWithoutIt) {
  const std::vector<int> text = {5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6};
  const std::vector<int> source(text);
  PromptLookup lookup(5);
  std::vector<std::size_t> lengths;
  for (int step = 0; step < 3; ++step) {
    // Of the source, more follows.
    lengths.push_back(lookup.draft(source, std::span(text).first(3), 100).size());
    lookup.verified(static_cast<int>(lengths.back()));
  }
  EXPECT_THAT(lengths, ElementsAre(2, 4, 5));
  const auto steps_to_the_next_draft = [&] {
    int steps = 1;
    while (lookup.draft(source, std::span(text).first(3), 100).empty()) {
      lookup.verified(0);
      ++steps;
    }
    return steps;
  };
  EXPECT_EQ(steps_to_the_next_draft(), 1);
  for (const int pause : {2, 4, 8, 16, 32, 64, 64}) {
    lookup.verified(0);
    EXPECT_EQ(steps_to_the_next_draft(), pause);
  }
}

std::vector<Hypothesis> generate(const Transformer& model, const GenerationInput& input,
                                 const GenerationOptions& options, int& steps) {
  Bench bench(1);
  Generator generator(model, input, options, bench.workspace);
  for (; !generator.done(); ++steps) generator.step();
  std::vector<Hypothesis> results;
  for (int i = 0; i < generator.size(); ++i) {
    for (const Hypothesis& one : generator.search(i).results()) results.push_back(one);
  }
  return results;
}

// Of random models with few tokens, whose texts repeat themselves: greedy, sampled, with rules about the text, with
// ends within a draft, and of any length.
TEST(PromptLookupTest, DraftsChangeNoBitAndSaveSteps) {
  Random random(1);
  int steps_without = 0, steps_with = 0, rounds_with_fewer = 0;
  for (int round = 0; round < 200; ++round) {
    TransformerConfig config = random_config(random, round % 2 == 0 ? Stacks::kDecoder : Stacks::kBoth);
    config.share_embeddings = false;
    config.encoder.vocab = config.encoder.num_layers > 0 ? 8 : 0;
    config.decoder.vocab = config.projection.vocab = 8;
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 24);
    if (round % 3 == 0) options.eos_token_ids = {1};
    if (round % 5 == 1) options.repetition_penalty = 1.2f;
    if (round % 7 == 2) options.no_repeat_ngram_size = 3;
    if (round % 4 == 3) options.do_sample = true;
    if (round % 11 == 4) options.num_beams = 2;
    options.seed = round;
    GenerationInput input;
    const int batch = round % 6 == 5 ? 3 : 1;
    for (int i = 0; i < batch; ++i) {
      if (model.has_encoder()) input.sources.push_back(random_ids(random, random_int(random, 1, 12), 8));
      input.prompts.push_back(random_ids(random, random_int(random, 1, 6), 8));
    }
    int without = 0, with = 0;
    const std::vector<Hypothesis> expected = generate(model, input, options, without);
    options.prompt_lookup_num_tokens = random_int(random, 1, 10);
    const std::vector<Hypothesis> found = generate(model, input, options, with);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].ids, expected[i].ids);
      ASSERT_EQ(found[i].token_scores, expected[i].token_scores);
      ASSERT_EQ(found[i].score, expected[i].score);
    }
    ASSERT_LE(with, without);
    steps_without += without;
    steps_with += with;
    rounds_with_fewer += with < without;
  }
  EXPECT_GT(rounds_with_fewer, 50);
  EXPECT_LT(steps_with, 0.85 * steps_without);
}

// Rotary positions whose base grows with the text: a draft would raise it for the tokens before.
TEST(PromptLookupTest, ThereAreNoDraftsWherePositionsDependOnTheLength) {
  Random random(2);
  TransformerConfig config = random_config(random, Stacks::kDecoder);
  config.share_embeddings = false;
  config.decoder.vocab = config.projection.vocab = 8;
  config.decoder.layer.attention.d_head = 4;
  RotaryPositions rotary{.max_length = 100};
  rotary.dynamic_length = 4;
  rotary.dynamic_factor = 8;
  config.decoder.positions = rotary;
  Weights weights = Weights::random(3);
  const Transformer model(weights, config);
  GenerationOptions options;
  options.max_new_tokens = 24;
  GenerationInput input;
  input.prompts = {{1, 2, 1, 2, 1}};
  int without = 0, with = 0;
  const std::vector<Hypothesis> expected = generate(model, input, options, without);
  options.prompt_lookup_num_tokens = 6;
  const std::vector<Hypothesis> found = generate(model, input, options, with);
  EXPECT_EQ(found[0].ids, expected[0].ids);
  EXPECT_EQ(found[0].token_scores, expected[0].token_scores);
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace transformer
