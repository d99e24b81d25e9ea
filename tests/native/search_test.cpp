// src/generation: logits rules, sampling and beam search, on a language model that is a hash function.
#include <gmock/gmock.h>

#include <numeric>

#include "base/forbidden.h"
#include "generation/make_search.h"
#include "generation/sampler.h"
#include "support/errors.h"
#include "support/naive_search.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Ids = std::vector<int>;

std::vector<Hypothesis> search_in(const ToyModel& model, const GenerationOptions& options, const Ids& prompt = {1}) {
  const auto search = make_search(options, {.prompt = prompt, .max_new_tokens = options.max_new_tokens});
  run_search(*search, model, prompt);
  return search->results();
}

TEST(GreedyTest, TakesTheBestTokenUntilTheEnd) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ToyModel model(seed, 7);
    GenerationOptions options;
    options.max_new_tokens = 12;
    options.eos_token_ids = {2, 5};
    Ids expected = {1, 3};
    double sum = 0;
    while (expected.size() < 14) {
      const std::vector<float> logits = model.logits(expected);
      const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
      sum += naive_log_softmax({logits.begin(), logits.end()})[best];
      expected.push_back(static_cast<int>(best));
      if (best == 2 || best == 5) break;
    }
    const std::vector<Hypothesis> results = search_in(model, options, {1, 3});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].ids, expected);
    EXPECT_EQ(results[0].token_scores.size(), expected.size() - 2);
    // A log-probability is rounded a few times at a magnitude of at most 16, and there are at most 12 of them.
    EXPECT_NEAR(results[0].score, sum, 12 * 16 * 4 * kEpsilon);
  }
}

// The tokens that a search could have chosen at each step, from a full sort; of samples, beams and groups of them.
TEST(TopLogprobsTest, AreTheMostLikelyTokensOfEachStep) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const int vocab = random_int(random, 14, 30), wanted = random_int(random, 1, vocab + 3);
    const ToyModel model(random.next(), vocab);
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 8);
    options.eos_token_ids = {2};
    options.suppress_tokens = {4, 6};
    options.top_logprobs = wanted;
    if (round % 4 >= 2) options.num_beams = options.num_return_sequences = 4;
    if (round % 4 == 3) {
      options.num_beam_groups = 2;
      options.diversity_penalty = 0.0f;
    }
    if (round % 4 == 1) {
      options.do_sample = true;
      options.temperature = 2;
      options.num_return_sequences = 3;
    }
    GenerationOptions without = options;
    without.top_logprobs = 0;
    const std::vector<Hypothesis> results = search_in(model, options), plain = search_in(model, without);
    ASSERT_EQ(results.size(), plain.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Hypothesis& result = results[i];
      SCOPED_TRACE(concat("round ", round, ", result ", i));
      EXPECT_EQ(result.ids, plain[i].ids);
      EXPECT_EQ(result.token_scores, plain[i].token_scores);
      EXPECT_TRUE(plain[i].top_ids.empty());
      const int steps = count_of(result.token_scores);
      ASSERT_EQ(count_of(result.top_ids), steps * wanted);
      ASSERT_EQ(count_of(result.top_scores), steps * wanted);
      for (int step = 0; step < steps; ++step) {
        const Ids before(result.ids.begin(), result.ids.begin() + 1 + step);
        std::vector<float> logits = model.logits(before);
        for (int id : options.suppress_tokens) logits[id] = kForbidden;
        Ids order(vocab);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(),
                  [&](int a, int b) { return std::pair(-logits[a], a) < std::pair(-logits[b], b); });
        for (int rank = 0; rank < wanted; ++rank) {
          const int id = result.top_ids[step * wanted + rank];
          ASSERT_EQ(id, rank < vocab - 2 ? order[rank] : -1) << step << " " << rank;
          if (id != result.ids[1 + step]) continue;
          ASSERT_EQ(result.top_scores[step * wanted + rank], result.token_scores[step]);
        }
      }
    }
  }
}

TEST(BeamSearchTest, MatchesTheNaiveSearchUnderAnyOptions) {
  Random random(11);
  int ended = 0;
  for (int round = 0; round < 2000; ++round) {
    // A vocabulary large enough that no beam becomes inactive.
    const ToyModel model(random.next(), random_int(random, 14, 30));
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 9);
    options.num_beams = random_int(random, 2, 5);
    options.num_return_sequences = options.num_beams;
    options.eos_token_ids = {2};
    if (random_int(random, 0, 1)) options.eos_token_ids.push_back(4);
    options.early_stopping = static_cast<EarlyStopping>(random_int(random, 0, 2));
    options.length_penalty = random_choice<float>(random, {0.0f, 0.6f, 1.0f, 2.0f, -1.0f});
    if (random_int(random, 0, 2) == 0) options.min_new_tokens = random_int(random, 0, 4);
    if (random_int(random, 0, 2) == 0) options.no_repeat_ngram_size = random_int(random, 1, 3);
    if (random_int(random, 0, 2) == 0) options.repetition_penalty = 1.4f;
    if (random_int(random, 0, 2) == 0) options.bad_words_ids = {{5}, {6, 7}};
    if (random_int(random, 0, 3) == 0) options.forced_bos_token_id = 8;
    if (random_int(random, 0, 3) == 0) options.forced_eos_token_id = 2;
    options.renormalize_logits = random_int(random, 0, 2) == 0;
    const Ids prompt = random_int(random, 0, 1) ? Ids{1} : Ids{1, 3, 3};

    const std::vector<NaiveHypothesis> expected =
        NaiveBeamSearch(model, options).search(prompt, options.max_new_tokens);
    const std::vector<Hypothesis> results = search_in(model, options, prompt);
    SCOPED_TRACE(concat("round ", round));
    // Where the rules leave fewer than num_beams continuations, the engine adds inactive beams, which never win.
    ASSERT_GE(results.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(results[i].ids, expected[i].ids) << "rank " << i;
      // Sums of at most 9 scores of at most 25 each, rounded at every step; the penalty -1 multiplies by the length.
      ASSERT_NEAR(results[i].score, expected[i].score, 9 * 9 * 25 * 4 * kEpsilon);
      const double sum = std::accumulate(results[i].token_scores.begin(), results[i].token_scores.end(), 0.0);
      ASSERT_NEAR(sum, expected[i].sum, 9 * 25 * 4 * kEpsilon);
      if (results[i].ids.back() == 2) ++ended;
    }
    for (std::size_t i = 1; i < results.size(); ++i) EXPECT_GE(results[i - 1].score, results[i].score);
  }
  EXPECT_GT(ended, 1000) << "sequences must not rarely end";
}

// With a beam for every sequence nothing is pruned, so the global optimum is found.
TEST(BeamSearchTest, WithEnoughBeamsFindsTheBestOfAllSequences) {
  const int vocab = 4, length = 4;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ToyModel model(seed, vocab);
    for (float penalty : {0.0f, 1.0f, 2.0f}) {
      GenerationOptions options;
      options.max_new_tokens = length;
      options.num_beams = 256;
      options.num_return_sequences = 1;
      options.length_penalty = penalty;
      options.eos_token_ids = {3};
      NaiveHypothesis best;
      best.score = -1e30;
      std::function<void(const NaiveHypothesis&)> extend = [&](const NaiveHypothesis& hypothesis) {
        const auto generated = static_cast<int>(hypothesis.ids.size()) - 1;
        if (generated == length || (generated > 0 && hypothesis.ids.back() == 3)) {
          const double score = hypothesis.sum / std::pow(generated, static_cast<double>(penalty));
          if (score > best.score) best = {hypothesis.ids, hypothesis.sum, score};
          return;
        }
        const std::vector<float> logits = model.logits(hypothesis.ids);
        const std::vector<double> scores = naive_log_softmax({logits.begin(), logits.end()});
        for (int id = 0; id < vocab; ++id) {
          NaiveHypothesis next = hypothesis;
          next.ids.push_back(id);
          next.sum += scores[id];
          extend(next);
        }
      };
      extend({{1}});
      EXPECT_EQ(search_in(model, options)[0].ids, best.ids) << "seed " << seed << ", penalty " << penalty;
    }
  }
}

// Ids that were shown are never taken back.
TEST(SearchTest, CertainIdsOnlyGrowAndAreAPrefixOfTheResult) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (int beams : {1, 3}) {
      const ToyModel model(seed, 12);
      GenerationOptions options;
      options.max_new_tokens = 10;
      options.num_beams = beams;
      options.eos_token_ids = {2};
      const auto search = make_search(options, {.prompt = {1}, .max_new_tokens = options.max_new_tokens});
      std::vector<Ids> certain = {{}};
      run_search(*search, model, {1}, [&] { certain.push_back(search->certain()); });
      const Ids best = search->results().front().ids;
      EXPECT_EQ(certain.back(), Ids(best.begin() + 1, best.end()));
      for (std::size_t i = 1; i < certain.size(); ++i) {
        ASSERT_GE(certain[i].size(), certain[i - 1].size());
        EXPECT_TRUE(std::equal(certain[i - 1].begin(), certain[i - 1].end(), certain[i].begin()));
      }
    }
  }
}

TEST(SearchTest, ResultsBeforeTheEndAreBestFirst) {
  const ToyModel model(3, 12);
  GenerationOptions options;
  options.num_beams = options.num_return_sequences = 4;
  options.max_new_tokens = 8;
  options.eos_token_ids = {2, 3, 4, 5};
  const auto search = make_search(options, {.prompt = {1}, .max_new_tokens = options.max_new_tokens});
  EXPECT_EQ(search->results().front().ids, Ids{1});
  run_search(*search, model, {1}, [&] {
    const std::vector<Hypothesis> results = search->results();
    ASSERT_FALSE(results.empty());
    for (std::size_t i = 1; i < results.size(); ++i) EXPECT_GE(results[i - 1].score, results[i].score);
  });
}

TEST(BeamSearchTest, SearchesAVocabularySmallerThanTheBeams) {
  for (int vocab : {1, 2, 3}) {
    for (const bool ends : {false, true}) {
      const ToyModel model(1, vocab);
      GenerationOptions options;
      options.num_beams = 4;
      options.max_new_tokens = 3;
      if (ends) options.eos_token_ids = {vocab - 1};
      const std::vector<Hypothesis> results = search_in(model, options, {0});
      ASSERT_EQ(results.size(), 1u);
      EXPECT_LE(results[0].ids.size(), 4u);
      EXPECT_GT(results[0].score, -100.0f) << "an inactive beam must not win";
    }
  }
}

TEST(SearchTest, RefusesOptionsThatForbidEveryToken) {
  const ToyModel model(1, 4);
  for (const int beams : {1, 2}) {
    for (const bool samples : {false, true}) {
      GenerationOptions options;
      options.num_beams = beams;
      options.do_sample = samples;
      options.suppress_tokens = {0, 1, 2};
      EXPECT_EQ(search_in(model, options, {0}).front().ids.back(), 3);
      options.suppress_tokens = {0, 1, 2, 3};
      EXPECT_THAT(message_of([&] { search_in(model, options, {0}); }), HasSubstr("no token can be chosen"));
    }
  }
}

// The ids that continue one of the sequences; the end, 2, if there are none.
Ids next_of(const std::vector<Ids>& sequences, std::span<const int> ids) {
  Ids next;
  for (const Ids& sequence : sequences) {
    const bool goes_on = sequence.size() > ids.size();
    if (goes_on && std::equal(ids.begin(), ids.end(), sequence.begin())) next.push_back(sequence[ids.size()]);
  }
  return next.empty() ? Ids{2} : next;
}

// After all allowed sequences have ended, a search may still wait for better ones, of which there are none.
TEST(BeamSearchTest, EndsWhereNoBeamCanGoOn) {
  const std::vector<Ids> allowed = {{1, 5, 2}, {1, 6, 7, 2}, {1, 6, 8, 2}, {1, 9, 2}, {1, 9, 7, 5, 2}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ToyModel model(seed, 10);
    GenerationOptions options;
    options.num_beams = options.num_return_sequences = 3;
    options.eos_token_ids = {2};
    options.max_new_tokens = 8;
    const auto search = make_search(options, {.prompt = {1}, .max_new_tokens = options.max_new_tokens});
    const auto allow = [&] {
      std::vector<Ids> rows;
      for (int row = 0; row < search->rows(); ++row) rows.push_back(next_of(allowed, search->ids(row)));
      search->allow(std::move(rows));
    };
    allow();
    run_search(*search, model, {1}, allow);
    const std::vector<Hypothesis> results = search->results();
    ASSERT_EQ(results.size(), 3u);
    for (const Hypothesis& result : results) EXPECT_THAT(allowed, Contains(result.ids));
  }
}

// Runs a search on logits for the shortlist only (has_columns), or for all tokens, those not on it forbidden.
std::vector<Hypothesis> search_shortlist(const ToyModel& model, const GenerationOptions& options,
                                         const Shortlist& shortlist, bool has_columns) {
  GenerationOptions own = options;
  if (!has_columns) own.shortlist.clear();
  const auto search = make_search(own, {.prompt = {1}, .max_new_tokens = own.max_new_tokens});
  const int columns = has_columns ? static_cast<int>(shortlist.ids().size()) : model.vocab();
  drive_search(*search, {1}, columns, [&](const Ids& ids, float* logits) {
    std::fill_n(logits, columns, kForbidden);
    const std::vector<float> next = model.logits(ids);
    for (int id : shortlist.ids()) logits[has_columns ? shortlist.column(id) : id] = next[id];
  });
  return search->results();
}

TEST(ShortlistTest, EqualsASearchWhereAllOtherLogitsAreForbidden) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    const ToyModel model(random.next(), 40);
    GenerationOptions options;
    options.max_new_tokens = 7;
    options.eos_token_ids = {2, 39};
    options.shortlist = {30, 4, 5, 6, 7, 11, 4, 38, 21, 0};
    options.repetition_penalty = 1.3f;
    options.no_repeat_ngram_size = 2;
    options.bad_words_ids = {{5}, {8}, {1, 6}, {7, 8}, {9, 7}};
    options.min_new_tokens = random_int(random, 0, 3);
    options.suppress_tokens = {21, 22};
    if (random_int(random, 0, 1)) options.forced_bos_token_id = 13;
    if (random_int(random, 0, 1)) options.forced_eos_token_id = 39;
    options.renormalize_logits = random_int(random, 0, 1) == 0;
    if (round % 3 == 0) options.num_beams = options.num_return_sequences = 3;
    if (round % 3 == 1) {
      options.do_sample = true;
      options.num_return_sequences = 2;
      options.top_k = random_int(random, 0, 5);
      options.top_p = random_choice<float>(random, {0.7f, 1.0f});
      options.typical_p = random_choice<float>(random, {0.8f, 1.0f});
    }
    const Shortlist shortlist(options);
    const std::vector<Hypothesis> expected = search_shortlist(model, options, shortlist, false);
    const std::vector<Hypothesis> found = search_shortlist(model, options, shortlist, true);
    SCOPED_TRACE(concat("round ", round));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (expected[i].score < -1e6f) continue;  // an inactive beam, where fewer tokens than beams can follow
      EXPECT_EQ(found[i].ids, expected[i].ids);
      // The same sums in another order, of at most 7 log-probabilities of at most 20.
      EXPECT_NEAR(found[i].score, expected[i].score, 7 * 20 * 8 * kEpsilon);
    }
  }
}

std::vector<float> distribution(const GenerationOptions& options, std::vector<float> scores) {
  Bench bench;
  sampling_distribution(options, scores, bench.workspace);
  return scores;
}

TEST(SamplingTest, FiltersAtTheLimits) {
  GenerationOptions options;
  options.top_k = 1;
  EXPECT_THAT(distribution(options, {1, 3, 2}), ElementsAre(0, 1, 0));
  EXPECT_THAT(distribution(options, {1, 3, 3}), ElementsAre(0, 0.5f, 0.5f)) << "equal scores stay";
  options.top_k = 3;
  EXPECT_THAT(distribution(options, {0, 0, kForbidden, 0}), ElementsAre(1 / 3.0f, 1 / 3.0f, 0, 1 / 3.0f));
  options.top_k = 100;
  EXPECT_THAT(distribution(options, {0, 0}), ElementsAre(0.5f, 0.5f));
  options.top_k = 0;
  options.top_p = 1e-6f;
  EXPECT_THAT(distribution(options, {1, 3, 2}), ElementsAre(0, 1, 0)) << "the best one always stays";
  options.top_p = 0.5f;
  EXPECT_THAT(distribution(options, {0, 0, 0, 0}), ElementsAre(0, 0, 0.5f, 0.5f));
  options.top_p = 1.0f;
  options.temperature = 1e-3f;
  EXPECT_THAT(distribution(options, {1, 3, 2}), ElementsAre(0, 1, 0));
  EXPECT_THAT(distribution(options, {kForbidden, kForbidden}), ElementsAre(0, 0)) << "nothing is allowed";
}

TEST(SamplingTest, DrawsTokensAsOftenAsTheyAreLikely) {
  const ToyModel model(5, 9);
  GenerationOptions options;
  options.do_sample = true;
  options.max_new_tokens = 1;
  options.temperature = 1.3f;
  options.top_k = 6;
  options.num_return_sequences = 4;
  const std::vector<float> expected = distribution(options, model.logits({1}));
  std::vector<int> counts(9);
  const int seeds = 5000, draws = 4 * seeds;
  for (int seed = 0; seed < seeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed) * 1000;
    for (const Hypothesis& result : search_in(model, options)) ++counts[result.ids.back()];
  }
  for (std::size_t id = 0; id < 9; ++id) {
    const double p = expected[id];
    // Five standard deviations of a binomial count; the seeds are fixed.
    EXPECT_NEAR(counts[id], draws * p, 5 * std::sqrt(draws * p * (1 - p))) << "token " << id;
  }
}

TEST(SamplingTest, FollowsFromTheSeed) {
  const ToyModel model(5, 50);
  GenerationOptions options;
  options.do_sample = true;
  options.max_new_tokens = 15;
  options.num_return_sequences = 3;
  options.seed = 42;
  const std::vector<Hypothesis> first = search_in(model, options), again = search_in(model, options);
  ASSERT_EQ(first.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(first[i].ids, again[i].ids);
  EXPECT_NE(first[0].ids, first[1].ids);
  options.num_return_sequences = 1;
  EXPECT_EQ(search_in(model, options)[0].ids, first[0].ids) << "whatever else is sampled";
  options.seed = 43;
  EXPECT_NE(search_in(model, options)[0].ids, first[0].ids);
}

TEST(SamplingTest, AnEndedSequenceLeavesAndChangesNoOther) {
  int left = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ToyModel model(seed, 7);
    GenerationOptions options;
    options.do_sample = true;
    options.max_new_tokens = 12;
    options.eos_token_ids = {2};
    options.num_return_sequences = 5;
    options.encoder_repetition_penalty = 1.5f;
    options.seed = static_cast<double>(seed);
    const Ids prompt = {1};
    const std::vector<Ids> sources = {{3, 4}, {5}, {6}, {0, 3}, {4}};
    const auto search = make_search(options, {.prompt = prompt, .max_new_tokens = 12, .rewarded_sources = sources});
    int rows = search->rows();
    EXPECT_EQ(rows, 5);
    run_search(*search, model, prompt, [&] {
      left += search->rows() < rows && !search->done();
      EXPECT_LE(search->rows(), rows);
      EXPECT_EQ(count_of(search->parents()), search->rows());
      rows = search->rows();
      for (int row = 0; row < rows; ++row) EXPECT_NE(search->ids(row).back(), 2);
    });
    const std::vector<Hypothesis> together = search->results();
    for (int i = 0; i < 5; ++i) {
      // Alone, sequence i has the random numbers of the first one of its own seed.
      GenerationOptions alone = options;
      alone.num_return_sequences = 1;
      alone.seed = options.seed + i;
      const auto single =
          make_search(alone, {.prompt = prompt, .max_new_tokens = 12, .rewarded_sources = {sources[i]}});
      run_search(*single, model, prompt);
      EXPECT_EQ(together[i].ids, single->results()[0].ids) << "seed " << seed << ", sequence " << i;
      EXPECT_EQ(together[i].token_scores, single->results()[0].token_scores);
    }
  }
  EXPECT_GT(left, 30) << "sequences hardly ended before others";
}

TEST(LogitsRulesTest, OverruleEachOtherInOrder) {
  GenerationOptions options;
  options.eos_token_ids = {2};
  options.min_new_tokens = 5;
  options.bad_words_ids = {{3}};
  options.forced_eos_token_id = 2;
  std::vector<float> scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 1}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(1, 2, kForbidden, kForbidden));
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 1}, 1, 2},
                     {scores, Shortlist()});  // the last token is forced, although min_new_tokens forbids it
  EXPECT_THAT(scores, ElementsAre(kForbidden, kForbidden, 0, kForbidden));
  options.forced_bos_token_id = 3;
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(kForbidden, kForbidden, kForbidden, 0)) << "forced although it is a bad word";
}

TEST(LogitsRulesTest, BeginSuppressTokensApplyToTheFirstChosenToken) {
  GenerationOptions options;
  options.begin_suppress_tokens = {0, 3};
  std::vector<float> scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 1}, 2, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(kForbidden, 2, 3, kForbidden));
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 1, 2}, 2, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(1, 2, 3, 4));
  options.forced_bos_token_id = 3;
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(kForbidden, kForbidden, kForbidden, 0)) << "the forced token stays";
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 3}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(kForbidden, 2, 3, kForbidden)) << "and the next is the first that is chosen";
}

TEST(LogitsRulesTest, AnEndTokenAloneIsNeverABadWord) {
  GenerationOptions options;
  options.eos_token_ids = {2};
  options.bad_words_ids = {{2}, {1, 2}, {3}};
  std::vector<float> scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(1, 2, 3, kForbidden));
  scores = {1, 2, 3, 4};
  apply_logits_rules(options, {Ids{0, 1}, 1, 10}, {scores, Shortlist()});
  EXPECT_THAT(scores, ElementsAre(1, 2, kForbidden, kForbidden)) << "after other words it may be one";
}

TEST(OptionsTest, RefusesInvalidOptions) {
  const std::vector<std::pair<const char*, void (*)(GenerationOptions&)>> faults = {
      {"maxNewTokens", [](GenerationOptions& o) { o.max_new_tokens = 0; }},
      {"minNewTokens", [](GenerationOptions& o) { o.min_new_tokens = -1; }},
      {"numBeams", [](GenerationOptions& o) { o.num_beams = 0; }},
      {"numReturnSequences", [](GenerationOptions& o) { o.num_return_sequences = 0; }},
      {"greedy", [](GenerationOptions& o) { o.num_return_sequences = 2; }},
      {"cannot exceed", [](GenerationOptions& o) { o.num_beams = 2, o.num_return_sequences = 3; }},
      {"doSample", [](GenerationOptions& o) { o.num_beams = o.num_beam_groups = 2, o.do_sample = true; }},
      {"multiple of numBeamGroups (2)", [](GenerationOptions& o) { o.num_beams = 3, o.num_beam_groups = 2; }},
      {"numBeamGroups (2) needs as many numBeams", [](GenerationOptions& o) { o.num_beam_groups = 2; }},
      {"diversityPenalty needs numBeamGroups", [](GenerationOptions& o) { o.diversity_penalty = 1; }},
      {"minP", [](GenerationOptions& o) { o.min_p = 1; }},
      {"epsilonCutoff", [](GenerationOptions& o) { o.epsilon_cutoff = -1; }},
      {"etaCutoff", [](GenerationOptions& o) { o.eta_cutoff = NAN; }},
      {"sequenceBias needs at least one token id", [](GenerationOptions& o) { o.sequence_bias = {{1}}; }},
      {"sequenceBias 10000000000 is outside of the vocabulary of 10",
       [](GenerationOptions& o) { o.sequence_bias = {{1e10, 1}}; }},
      {"finite biases", [](GenerationOptions& o) { o.sequence_bias = {{1, 1e300}}; }},
      {"exponentialDecayLengthPenalty must be",
       [](GenerationOptions& o) { o.exponential_decay_length_penalty = {1, 0}; }},
      {"exponentialDecayLengthPenalty must be", [](GenerationOptions& o) { o.exponential_decay_length_penalty = {1}; }},
      {"pairs of a place", [](GenerationOptions& o) { o.forced_decoder_ids = {{0, 1}}; }},
      {"forcedDecoderIds 10 is outside", [](GenerationOptions& o) { o.forced_decoder_ids = {{1, 10}}; }},
      {"lengthPenalty", [](GenerationOptions& o) { o.length_penalty = NAN; }},
      {"temperature", [](GenerationOptions& o) { o.temperature = 0; }},
      {"temperature", [](GenerationOptions& o) { o.temperature = NAN; }},
      {"topK", [](GenerationOptions& o) { o.top_k = -1; }},
      {"topP", [](GenerationOptions& o) { o.top_p = 0; }},
      {"topP", [](GenerationOptions& o) { o.top_p = 1.5f; }},
      {"repetitionPenalty", [](GenerationOptions& o) { o.repetition_penalty = 0; }},
      {"noRepeatNgramSize", [](GenerationOptions& o) { o.no_repeat_ngram_size = -1; }},
      {"eosTokenId 10 is outside of the vocabulary of 10", [](GenerationOptions& o) { o.eos_token_ids = {10}; }},
      {"badWordsIds -1 is outside of the vocabulary of 10", [](GenerationOptions& o) { o.bad_words_ids = {{1, -1}}; }},
      {"empty list", [](GenerationOptions& o) { o.bad_words_ids = {{}}; }},
      {"forcedBosTokenId", [](GenerationOptions& o) { o.forced_bos_token_id = 10; }},
      {"forcedEosTokenId", [](GenerationOptions& o) { o.forced_eos_token_id = 10; }},
  };
  EXPECT_NO_THROW(validate(GenerationOptions(), 10));
  for (const auto& [message, spoil] : faults) {
    GenerationOptions options;
    spoil(options);
    const Error error = error_of([&options = options] { validate(options, 10); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace transformer
