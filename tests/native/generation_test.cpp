// src/generation/generator: the loop over a whole model, against the same search fed by full passes without a cache.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "generation/generator.h"
#include "generation/make_search.h"
#include "support/drive_search.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/random_model.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

GenerationInput input_of(std::vector<Ids> sources, std::vector<Ids> prompts) {
  GenerationInput input;
  input.sources = std::move(sources);
  input.prompts = std::move(prompts);
  return input;
}

std::vector<std::vector<Hypothesis>> generate(const Transformer& model, const GenerationInput& input,
                                              const GenerationOptions& options, int threads = 1) {
  Bench bench(threads);
  Generator generator(model, input, options, bench.workspace);
  while (!generator.done()) generator.step();
  std::vector<std::vector<Hypothesis>> results;
  for (int i = 0; i < generator.size(); ++i) results.push_back(generator.search(i).results());
  return results;
}

void expect_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].ids, b[i].ids);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].token_scores, b[i].token_scores);
  }
}

// No cache, no shared memory, no batch: every row of the search is a full pass of its own over all of its ids.
std::vector<Hypothesis> generate_by_full_passes(const Transformer& model, const Ids& source, const Ids& prompt,
                                                const GenerationOptions& options) {
  const auto search = make_search(options, {.prompt = prompt, .max_new_tokens = options.max_new_tokens});
  const int vocab = model.config().projection.vocab;
  Bench bench;
  drive_search(*search, prompt, vocab, [&](const Ids& ids, float* next) {
    const Tensor logits = run_model(model, {source}, {ids}, {}, bench).logits;
    std::copy_n(logits.matrix().row(static_cast<int>(ids.size()) - 1), vocab, next);
  });
  return search->results();
}

struct Way {
  const char* name;
  void (*set)(GenerationOptions&);
};
const Way kWays[] = {
    {"greedy", [](GenerationOptions&) {}},
    {"sampling",
     [](GenerationOptions& options) {
       options.do_sample = true;
       options.num_return_sequences = 3;
       options.top_k = 12;
       options.temperature = 1.5f;
     }},
    {"beams",
     [](GenerationOptions& options) {
       options.num_beams = 4;
       options.num_return_sequences = 4;
       options.no_repeat_ngram_size = 2;
     }},
};

class GeneratorTest : public ::testing::TestWithParam<Way> {};

// Batches, caches, padding, beams that share a memory, prompts of different lengths and threads change no bit.
TEST_P(GeneratorTest, ASequenceHasTheSameBitsAloneAndInABatchOnAnyThreads) {
  Random random(21);
  for (int round = 0; round < 30; ++round) {
    const TransformerConfig config =
        random_generator_config(random, round % 3 == 2 ? Stacks::kDecoder : Stacks::kBoth, 30);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 12);
    options.eos_token_ids = {1, 3, 6};
    options.seed = random.next() >> 11;
    GetParam().set(options);

    GenerationInput all;
    const int batch = random_int(random, 1, 4);
    for (int row = 0; row < batch; ++row) {
      if (model.has_encoder())
        all.sources.push_back(random_ids(random, random_int(random, 1, 20), config.encoder.vocab));
      all.prompts.push_back(random_ids(random, random_int(random, 1, 5), config.decoder.vocab));
    }
    const auto together = generate(model, all, options);
    const auto threaded = generate(model, all, options, 3);
    for (std::size_t i = 0; i < all.prompts.size(); ++i) {
      SCOPED_TRACE(concat("sequence ", i));
      const Ids source = model.has_encoder() ? all.sources[i] : Ids();
      GenerationInput one;
      if (model.has_encoder()) one.sources = {source};
      one.prompts = {all.prompts[i]};
      expect_same(together[i], generate(model, one, options)[0]);
      expect_same(together[i], threaded[i]);
      expect_same(together[i], generate_by_full_passes(model, source, all.prompts[i], options));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, GeneratorTest, ::testing::ValuesIn(kWays),
                         [](const auto& way) { return way.param.name; });

// Long prompts and sources beside short ones, over several pages of the caches; searches end at different times.
TEST_P(GeneratorTest, LongAndShortSequencesHaveTheSameBitsTogetherAndAlone) {
  Random random(23);
  for (int round = 0; round < 9; ++round) {
    const TransformerConfig config =
        random_generator_config(random, round % 3 == 2 ? Stacks::kDecoder : Stacks::kBoth, 30);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 70);
    options.eos_token_ids = {1};
    options.seed = random.next() >> 11;
    GetParam().set(options);
    GenerationInput all;
    for (const int length : {3, 64, 1, 88, 20}) {
      if (model.has_encoder()) all.sources.push_back(random_ids(random, 130 - length, config.encoder.vocab));
      all.prompts.push_back(random_ids(random, length, config.decoder.vocab));
    }
    const auto together = generate(model, all, options, 2);
    for (std::size_t i = 0; i < all.prompts.size(); ++i) {
      SCOPED_TRACE(concat("sequence ", i));
      GenerationInput one;
      if (model.has_encoder()) one.sources = {all.sources[i]};
      one.prompts = {all.prompts[i]};
      expect_same(together[i], generate(model, one, options)[0]);
    }
  }
}

// Against the same generation with all other tokens suppressed.
TEST_P(GeneratorTest, AShortlistEqualsSuppressingAllOtherTokens) {
  Random random(22);
  for (int round = 0; round < 30; ++round) {
    const TransformerConfig config = random_generator_config(random, Stacks::kBoth, 30);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = 8;
    options.eos_token_ids = {1, 3};
    options.seed = random.next() >> 11;
    options.bad_words_ids = {{4}, {2, 5}};
    if (random_int(random, 0, 1)) options.forced_eos_token_id = 3;
    GetParam().set(options);
    GenerationInput input;
    for (int row = 0; row < 3; ++row) {
      input.sources.push_back(random_ids(random, random_int(random, 1, 9), config.encoder.vocab));
      input.prompts.push_back(random_ids(random, random_int(random, 1, 3), config.decoder.vocab));
    }
    GenerationOptions forbidding = options;
    options.shortlist = {7, 2, 5, 7, 0, 6, 8};  // unsorted, and one id twice
    for (int id = 0; id < config.projection.vocab; ++id) {
      const bool is_end = id == 1 || id == 3;
      const bool is_listed =
          std::find(options.shortlist.begin(), options.shortlist.end(), id) != options.shortlist.end();
      if (!is_end && !is_listed) forbidding.suppress_tokens.push_back(id);
    }
    // Beam scores are log-probabilities over all columns, also the suppressed ones; with a shortlist there are none, so
    // both are renormalised.
    forbidding.renormalize_logits = options.renormalize_logits = options.num_beams > 1;
    const auto expected = generate(model, input, forbidding);
    const auto found = generate(model, input, options, 2);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].size(), expected[i].size());
      for (std::size_t rank = 0; rank < expected[i].size(); ++rank) {
        if (expected[i][rank].score < -1e6f) continue;  // an inactive beam, where fewer tokens than beams can follow
        EXPECT_EQ(found[i][rank].ids, expected[i][rank].ids) << "sequence " << i << ", rank " << rank;
        // The same sums in another order, of at most 8 log-probabilities of at most 20.
        EXPECT_NEAR(found[i][rank].score, expected[i][rank].score, 8 * 20 * 8 * kEpsilon);
      }
    }
  }
}

// Each input with its own shortlist, in one batch: the bits of a generation of its own with that one.
TEST_P(GeneratorTest, EachInputMayHaveAShortlistOfItsOwn) {
  Random random(24);
  for (int round = 0; round < 20; ++round) {
    const TransformerConfig config = random_generator_config(random, Stacks::kBoth, 30);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = 8;
    options.eos_token_ids = {1, 3};
    options.seed = 7;
    GetParam().set(options);
    GenerationInput input;
    for (int row = 0; row < 4; ++row) {
      input.sources.push_back(random_ids(random, random_int(random, 1, 9), config.encoder.vocab));
      input.prompts.push_back(random_ids(random, random_int(random, 1, 3), config.decoder.vocab));
      input.shortlists.push_back(random_ids(random, random_int(random, 6, 10), config.projection.vocab));
    }
    const auto together = generate(model, input, options, 2);
    for (int row = 0; row < 4; ++row) {
      options.shortlist = input.shortlists[row];
      expect_same(together[row], generate(model, input_of({input.sources[row]}, {input.prompts[row]}), options)[0]);
    }
  }
}

TEST(GeneratorLimitsTest, ThereIsAShortlistForEachInputOrNone) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, plain_config({.layers = 1, .d_model = 16, .heads = 2, .d_ff = 24, .vocab = 20}));
  GenerationInput input = input_of({{5}, {6}}, {{1}, {1}});
  input.shortlists = {{3, 4}};
  EXPECT_THAT(message_of([&] { generate(model, input, {}); }), HasSubstr("the number of shortlists (1)"));
  input.shortlists = {{3, 4}, {20}};
  EXPECT_THAT(message_of([&] { generate(model, input, {}); }), HasSubstr("shortlist 20"));
}

TEST(GeneratorLimitsTest, MaxLengthFactorCountsTheTokensOfEachSource) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, plain_config({.layers = 1, .d_model = 16, .heads = 2, .d_ff = 24, .vocab = 20}));
  const GenerationInput input = input_of({{5}, {6, 7, 8}, {6, 7, 8, 9, 10, 11, 12}}, {{1}, {1}, {1}});
  GenerationOptions options;
  options.max_new_tokens = 10;
  options.max_length_factor = 1.5f;
  const auto results = generate(model, input, options);
  for (const auto& [row, expected] : {std::pair{0, 2}, {1, 5}, {2, 10}}) {
    EXPECT_EQ(results[row][0].token_scores.size(), expected) << row;
  }
}

TEST(GeneratorLimitsTest, AShortlistHoldsIdsOfTheVocabulary) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, plain_config({.layers = 1, .d_model = 16, .heads = 2, .d_ff = 24, .vocab = 20}));
  for (int id : {-1, 20}) {
    GenerationOptions options;
    options.shortlist = {3, id};
    EXPECT_THAT(message_of([&] { generate(model, input_of({{5}}, {{1}}), options); }), HasSubstr("shortlist"));
  }
}

TransformerConfig small_config() {
  TransformerConfig config = plain_config({.layers = 1, .d_model = 16, .heads = 2, .d_ff = 24, .vocab = 20});
  config.encoder.positions = config.decoder.positions = SinusoidalPositions{.max_length = 10};
  return config;
}

TEST(GeneratorLimitsTest, StopsWhereThePositionsEnd) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, small_config());
  GenerationOptions options;
  options.max_new_tokens = 1000;
  for (const Ids& prompt : {Ids{1}, Ids{1, 2, 3}, Ids(9, 4)}) {
    for (int beams : {1, 3}) {
      options.num_beams = beams;
      const auto results = generate(model, input_of({{5, 6}}, {prompt}), options);
      // Ten tokens have a position; the eleventh is generated, but never fed.
      EXPECT_EQ(results[0][0].ids.size(), 11u);
    }
  }
  // In a batch, a shorter prompt still generates up to its own limit.
  options.num_beams = 1;
  const auto results = generate(model, input_of({{5, 6}, {7}}, {{1}, {1, 2, 3, 4, 5}}), options);
  EXPECT_EQ(results[0][0].ids.size(), 11u);
  EXPECT_EQ(results[1][0].ids.size(), 11u);
  const Error error = error_of([&] { generate(model, input_of({{5}}, {Ids(10, 4)}), options); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
}

TEST(GeneratorPaddingTest, OnlyTheLogitsRulesSeeThePadding) {
  Weights weights = Weights::random(3);
  const Transformer model(weights, small_config());
  GenerationOptions options;
  options.max_new_tokens = 6;
  for (int beams : {1, 3}) {
    options.num_beams = beams;
    GenerationInput padded = input_of({{5, 6}, {7}}, {{9, 9, 1}, {2, 3, 4}});
    padded.padding = {2, 0};
    const auto plain = generate(model, input_of({{5, 6}, {7}}, {{1}, {2, 3, 4}}), options);
    const auto results = generate(model, padded, options);
    EXPECT_EQ(results[0][0].token_scores, plain[0][0].token_scores);
    EXPECT_EQ(Ids(results[0][0].ids.begin() + 2, results[0][0].ids.end()), plain[0][0].ids);
    expect_same(results[1], plain[1]);

    // Ids in the padding count as repetitions: the first token that was generated is now forbidden.
    const int first = plain[0][0].ids[1];
    padded.prompts[0] = {first, first, 1};
    options.no_repeat_ngram_size = 1;
    const Ids ids = generate(model, padded, options)[0][0].ids;
    EXPECT_EQ(std::count(ids.begin() + 3, ids.end(), first), 0);
    options.no_repeat_ngram_size = 0;
    padded.padding = {3, 0};
    EXPECT_THAT(message_of([&] { generate(model, padded, options); }),
                HasSubstr("every prompt needs at least one token besides its padding"));
    padded.padding = {2};
    EXPECT_THAT(message_of([&] { generate(model, padded, options); }),
                HasSubstr("the number of padding lengths (1) differs from the number of prompts (2)"));
  }
}

TEST(GeneratorLimitsTest, AnEncoderCanHaveMorePositionsThanTheDecoder) {
  const std::pair<Positions, Positions> of_stacks[] = {
      {SinusoidalPositions{.max_length = 14}, SinusoidalPositions{.max_length = 10}},
      {LearnedPositions{.max_length = 14}, LearnedPositions{.max_length = 10}}};
  for (const auto& [encoder, decoder] : of_stacks) {
    TransformerConfig config = small_config();
    config.encoder.positions = encoder;
    config.decoder.positions = decoder;
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = 100;
    EXPECT_EQ(generate(model, input_of({Ids(14, 5)}, {{1}}), options)[0][0].ids.size(), 11u);
    EXPECT_THAT(message_of([&] { generate(model, input_of({Ids(15, 5)}, {{1}}), options); }),
                HasSubstr("14 positions"));
  }
}

TEST(GeneratorLimitsTest, TooManyTokensForTheMemoryAreOutOfMemory) {
  TransformerConfig config = small_config();
  config.encoder.positions = config.decoder.positions = NoPositions();
  AttentionConfig& attention = config.decoder.layer.attention;
  attention.num_heads = 1 << 14;
  attention.d_head = 2;
  Weights weights = Weights::random(1);
  const Transformer model(weights, config);
  GenerationOptions options;
  options.max_new_tokens = std::numeric_limits<int>::max();
  options.num_beams = 1 << 16;
  Bench bench;
  const GenerationInput input = input_of({{5}}, {{1}});
  // 2^16 rows of 2^14 heads of 2^30 tokens: more than 2^62 floats, whose number of bytes overflows 64 bits.
  EXPECT_THROW(Generator(model, input, options, bench.workspace).step(), std::bad_alloc);
}

TEST(GeneratorLimitsTest, RefusesInputsThatDoNotFit) {
  Weights weights = Weights::random(1);
  const Transformer model(weights, small_config());
  const GenerationOptions options;
  auto message = [&](std::vector<Ids> sources, std::vector<Ids> prompts) {
    return message_of([&] { generate(model, input_of(sources, prompts), options); });
  };
  EXPECT_THAT(message({}, {}), HasSubstr("there are no prompts to generate from"));
  EXPECT_THAT(message({{1}}, {Ids()}), HasSubstr("every prompt needs at least one token"));
  EXPECT_THAT(message({Ids()}, {{1}}), HasSubstr("a source is empty"));
  EXPECT_THAT(message({{1}, {2}}, {{1}}),
              HasSubstr("the number of sources (2) differs from the number of prompts (1)"));
  EXPECT_THAT(message({{20}}, {{1}}), HasSubstr("20"));
  EXPECT_THAT(message({{1}}, {{-1}}), HasSubstr("-1"));
  EXPECT_THAT(message({Ids(11, 1)}, {{1}}), HasSubstr("10 positions"));
  TransformerConfig encoder_only = small_config();
  encoder_only.decoder = {};
  Weights others = Weights::random(1);
  const Transformer encoder(others, encoder_only);
  EXPECT_THAT(message_of([&] { generate(encoder, input_of({{1}}, {{1}}), options); }), HasSubstr("no decoder"));
}

TEST(GeneratorLimitsTest, RefusesSettingsOutsideOfTheirRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seed : {infinity, std::nan(""), -1.0, 0.5, 0x1p53}) {
    GenerationOptions options;
    options.seed = seed;
    EXPECT_THAT(message_of([&] { validate(options, 20); }), HasSubstr("seed must be an integer from 0 to")) << seed;
  }
  GenerationOptions options;
  options.seed = 0x1p53 - 1;
  validate(options, 20);
  options.diversity_penalty = static_cast<float>(infinity);
  EXPECT_THAT(message_of([&] { validate(options, 20); }), HasSubstr("diversityPenalty must be finite"));
}

TEST(GeneratorLimitsTest, NonFiniteLogitsAreAnError) {
  TransformerConfig config = small_config();
  Weights weights = Weights::random(1);
  // Finite weights, hidden states of about 10 and sums of 16 products with 3e38 each.
  add_tensor(weights, "projection.weight", {20, 16}, std::vector<float>(320, 3e38f));
  add_tensor(weights, "decoder.layers.0.feed_forward_norm.bias", {16}, std::vector<float>(16, 10.0f));
  const Transformer model(weights, config);
  const Error error = error_of([&] { generate(model, input_of({{5}}, {{1}}), {}); });
  EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
}

}  // namespace
}  // namespace transformer
