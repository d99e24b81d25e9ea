// Drafts by prompt lookup and by a smaller model: what is drafted, and that drafts change no result.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "generation/draft_model.h"
#include "generation/generator.h"
#include "generation/prompt_lookup.h"
#include "support/naive.h"
#include "support/random_model.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;

std::vector<int> draft_of(DraftSource& drafts, const std::vector<int>& source, const std::vector<int>& ids, int room) {
  Bench bench(1);
  const std::span<const int> found = drafts.draft({source, ids, Shortlist()}, room, bench.workspace);
  return {found.begin(), found.end()};
}

TEST(PromptLookupTest, DraftsWhatFollowedTheFirstOfTheLongestNGrams) {
  const auto look_up = [](int longest, std::vector<int> source, std::vector<int> ids, int room) {
    PromptLookup lookup(longest);
    lookup.pace().count(longest, longest, 1);
    return draft_of(lookup, source, ids, room);
  };
  const std::vector<int> text = {1, 2, 3, 4, 9, 2, 3, 5, 9, 7, 2, 3};
  EXPECT_THAT(look_up(2, {}, text, 10), ElementsAre(4, 9));
  EXPECT_THAT(look_up(2, {}, text, 1), ElementsAre(4));
  EXPECT_THAT(look_up(2, {}, text, 0), IsEmpty());
  EXPECT_THAT(look_up(2, {9, 7, 2, 3, 8}, text, 10), ElementsAre(8));
  EXPECT_THAT(look_up(2, {6, 2, 3, 8}, text, 10), ElementsAre(4, 9)) << "the text first";
  EXPECT_THAT(look_up(2, {3, 8}, {2, 3}, 10), ElementsAre(8)) << "a single token";
  EXPECT_THAT(look_up(2, {3, 8, 3, 8}, {2, 3}, 10), IsEmpty()) << "twice";
  EXPECT_THAT(look_up(2, {3, 8}, {3, 8, 3}, 10), IsEmpty()) << "in the text and in its source";
  EXPECT_THAT(look_up(2, {3, 8, 4, 3}, {3}, 10), ElementsAre(8, 4)) << "nothing follows the last one";
  EXPECT_THAT(look_up(2, {}, {4}, 10), IsEmpty());
  EXPECT_THAT(look_up(0, {}, text, 10), IsEmpty());
}

// The pace of drafts of which the first `right` tokens are right, where each token costs as much as `cost` passes.
// -> the lengths of the next drafts, 0 for steps without one
std::vector<int> lengths_of(DraftPace& pace, int steps, int right, double cost) {
  std::vector<int> lengths;
  for (int step = 0; step < steps; ++step) {
    const int length = lengths.emplace_back(pace.length());
    pace.count(length, std::min(right, length), 1 + cost * length);
  }
  return lengths;
}

TEST(DraftPaceTest, DraftsGrowWithSuccess) {
  DraftPace pace(10);
  const std::vector<int> lengths = lengths_of(pace, 12, 10, 0.2);
  EXPECT_EQ(lengths.front(), 1);
  EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
  EXPECT_EQ(lengths.back(), 10);
  EXPECT_NEAR(lengths_of(pace, 40, 2, 0.2).back(), 2, 1) << "about as many as are right";
  DraftPace none(0);
  EXPECT_EQ(none.length(), 0);
}

TEST(DraftPaceTest, WhereAPassOverMoreTokensTakesLongDraftsAreShort) {
  const auto last_of = [](double cost) {
    DraftPace pace(10);
    return lengths_of(pace, 30, 3, cost).back();
  };
  EXPECT_GT(last_of(0.1), last_of(0.4));
  EXPECT_GE(last_of(0.4), 1);
  DraftPace pace(10);
  lengths_of(pace, 30, 10, 1.0);
  EXPECT_THAT(lengths_of(pace, 100, 10, 1.0), Each(Le(1))) << "it gains nothing";
}

// Whatever a token costs: of a text of 64 tokens and its source, which together take as long as 70 steps.
TEST(DraftPaceTest, WhereNothingIsRightAllTrialsTogetherLoseLittle) {
  for (const double cost : {0.1, 0.25, 0.5, 1.0}) {
    DraftPace pace(10);
    const auto lost_in = [&](int steps) {
      const std::vector<int> lengths = lengths_of(pace, steps, 0, cost);
      return cost * std::accumulate(lengths.begin(), lengths.end(), 0);
    };
    EXPECT_LE(lost_in(64), 2.1) << cost;
    const double later = lost_in(6400);
    EXPECT_LE(later, 101) << cost;
    EXPECT_GE(later, 90) << "it goes on trying " << cost;
    EXPECT_EQ(lengths_of(pace, 300, 10, std::min(cost, 0.5)).back(), 10) << "and finds out when it is right " << cost;
  }
}

// The process paused, or the clock is wrong.
TEST(DraftPaceTest, WrongTimesDoLittle) {
  DraftPace pace(10);
  lengths_of(pace, 20, 10, 0.2);
  pace.count(10, 10, 1e9);
  EXPECT_GE(pace.length(), 1);
  EXPECT_EQ(lengths_of(pace, 10, 10, 0.2).back(), 10);
  DraftPace free(10);
  const std::vector<int> lengths = lengths_of(free, 1000, 0, -1);
  EXPECT_LE(std::accumulate(lengths.begin(), lengths.end(), 0), 200);
}

std::vector<Hypothesis> generate(const Transformer& model, const GenerationInput& input,
                                 const GenerationOptions& options, int& steps, const Transformer* assistant = nullptr) {
  Bench bench(1);
  Generator generator(model, input, options, bench.workspace);
  generator.time_with([] { return 0.0; });  // stands still: tokens of drafts cost what is usual
  if (assistant) generator.assist(make_sequence_model(*assistant));
  for (; !generator.done(); ++steps) generator.step();
  std::vector<Hypothesis> results;
  for (int i = 0; i < generator.size(); ++i) {
    for (const Hypothesis& one : generator.search(i).results()) results.push_back(one);
  }
  return results;
}

constexpr int kVocab = 8;  // few tokens: the texts of random models repeat themselves

TransformerConfig config_of(Random& random, Stacks stacks) {
  return random_generator_config(random, stacks, kVocab, kVocab);
}

GenerationOptions options_of(Random& random, int round) {
  GenerationOptions options;
  options.max_new_tokens = random_int(random, 1, 24);
  options.num_assistant_tokens = random_int(random, 1, 9);
  if (round % 3 == 0) options.eos_token_ids = {1};
  if (round % 5 == 1) options.repetition_penalty = 1.2f;
  if (round % 7 == 2) options.no_repeat_ngram_size = 3;
  if (round % 4 == 3) options.do_sample = true;
  if (round % 11 == 4) options.num_beams = 2;
  if (round % 13 == 5) options.shortlist = {1, 2, 5, 7};
  options.seed = round;
  return options;
}

struct Steps {
  void add(int with, int without) {
    sum += with;
    rounds_with_fewer += with < without;
  }
  int sum = 0;
  int rounds_with_fewer = 0;
};

void expect_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].ids, expected[i].ids);
    ASSERT_EQ(found[i].token_scores, expected[i].token_scores);
    ASSERT_EQ(found[i].score, expected[i].score);
  }
}

// Of random models: greedy, sampled, with rules about the text, with ends within a draft, and of any length; drafts are
// looked up, or made by the model itself, by another one, or both.
TEST(DraftsTest, TheyChangeNoBitAndSaveSteps) {
  Random random(2);
  int without = 0;
  Steps looked_up, own, others, both;
  for (int round = 0; round < 200; ++round) {
    const Stacks stacks = round % 2 == 0 ? Stacks::kDecoder : Stacks::kBoth;
    const TransformerConfig config = config_of(random, stacks), other_config = config_of(random, stacks);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config), "; assistant: ", describe(other_config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    Weights other_weights = Weights::random(static_cast<std::uint64_t>(round + 1000));
    const Transformer model(weights, config), other(other_weights, other_config);
    GenerationOptions options = options_of(random, round);
    GenerationInput input;
    const int batch = round % 6 == 5 ? 3 : 1;
    for (int i = 0; i < batch; ++i) {
      if (model.has_encoder()) input.sources.push_back(random_ids(random, random_int(random, 1, 12), kVocab));
      input.prompts.push_back(random_ids(random, random_int(random, 1, 6), kVocab));
    }
    int plain = 0;
    const std::vector<Hypothesis> expected = generate(model, input, options, plain);
    without += plain;
    const auto compare = [&](const Transformer* assistant, Steps& steps) {
      int with = 0;
      expect_equal(generate(model, input, options, with, assistant), expected);
      EXPECT_LE(with, plain);
      steps.add(with, plain);
    };
    compare(&model, own);
    compare(&other, others);
    options.prompt_lookup_num_tokens = random_int(random, 1, 10);
    compare(nullptr, looked_up);
    compare(&other, both);
    if (HasFailure()) return;
  }
  EXPECT_GT(looked_up.rounds_with_fewer, 50);
  EXPECT_LT(looked_up.sum, 0.85 * without);
  EXPECT_GT(own.rounds_with_fewer, 100);
  EXPECT_LT(own.sum, 0.65 * without);
  EXPECT_GT(others.rounds_with_fewer, 10);
  EXPECT_LT(both.sum, looked_up.sum);
}

// As far as its positions reach.
TEST(DraftsTest, AnAssistantMayHaveFewerPositions) {
  Random random(5);
  TransformerConfig config = plain_config({.layers = 1, .d_model = 8, .heads = 2, .d_ff = 9, .vocab = kVocab});
  config.encoder = {};
  config.decoder.positions = LearnedPositions{.max_length = 30};
  TransformerConfig shorter = config;
  shorter.decoder.positions = LearnedPositions{.max_length = 9};
  Weights weights = Weights::random(1), shorter_weights = Weights::random(1);
  const Transformer model(weights, config), assistant(shorter_weights, shorter);
  for (int prompt = 1; prompt < 30; ++prompt) {
    GenerationInput input;
    input.prompts = {random_ids(random, prompt, kVocab)};
    GenerationOptions options;
    options.max_new_tokens = 40;
    int without = 0, with = 0;
    const std::vector<Hypothesis> expected = generate(model, input, options, without);
    expect_equal(generate(model, input, options, with, &assistant), expected);
  }
}

TEST(DraftsTest, AnAssistantIsOfTheSameKindWithTheSameVocabulary) {
  Random random(6);
  const TransformerConfig config = config_of(random, Stacks::kDecoder);
  TransformerConfig wider = config;
  wider.decoder.vocab = wider.projection.vocab = kVocab + 1;
  Weights weights = Weights::random(1), wider_weights = Weights::random(1), both_weights = Weights::random(1);
  const Transformer model(weights, config), wide(wider_weights, wider);
  const Transformer with_encoder(both_weights, config_of(random, Stacks::kBoth));
  Bench bench(1);
  GenerationInput input;
  input.prompts = {{1}};
  Generator generator(model, input, {}, bench.workspace);
  for (const Transformer* wrong : {&wide, &with_encoder}) {
    EXPECT_THROW(generator.assist(make_sequence_model(*wrong)), Error);
  }
  while (!generator.done()) generator.step();
}

// Rotary positions whose base grows with the text: a draft would raise it for the tokens before.
TEST(DraftsTest, ThereAreNoneWherePositionsDependOnTheLength) {
  Random random(2);
  TransformerConfig config = config_of(random, Stacks::kDecoder);
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
  expect_equal(generate(model, input, options, with, &model), expected);
  EXPECT_EQ(with, without);
  // Nor of such an assistant.
  TransformerConfig plain = config;
  plain.decoder.positions = RotaryPositions{.max_length = 100};
  Weights plain_weights = Weights::random(3);
  const Transformer steady(plain_weights, plain);
  options.prompt_lookup_num_tokens = 0;
  without = with = 0;
  const std::vector<Hypothesis> of_steady = generate(steady, input, options, without);
  expect_equal(generate(steady, input, options, with, &model), of_steady);
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace transformer
