// src/generation/batch: callers that share the passes of one model get what they would get alone, bit for bit.
#include "generation/batch.h"

#include <gmock/gmock.h>

#include <array>

#include "generation/generator.h"
#include "generation/make_search.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/random_model.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;

// What a caller generates from.
struct Order {
  GenerationInput input;
  GenerationOptions options;
};

using Results = std::vector<std::vector<Hypothesis>>;

Results results_of(const Generator& generator) {
  Results results;
  for (int i = 0; i < generator.size(); ++i) results.push_back(generator.search(i).results());
  return results;
}

// A caller with its own scratch memory.
struct Caller {
  template <class Model>
  Caller(const Model& model, const Order& order, Company* company)
      : generator(model, order.input, order.options, bench.workspace) {
    if (company) generator.share(*company);
  }
  // -> the number of passes
  int run() {
    int passes = 0;
    while (!generator.done()) passes += generator.step();
    return passes;
  }

  Bench bench{2};
  Generator generator;
};

template <class Model>
Results alone(const Model& model, const Order& order) {
  Caller caller(model, order, nullptr);
  caller.run();
  return results_of(caller.generator);
}

void expect_same(const Results& found, const Results& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t rank = 0; rank < found[i].size(); ++rank) {
      ASSERT_EQ(found[i][rank].ids, expected[i][rank].ids);
      ASSERT_EQ(found[i][rank].score, expected[i][rank].score);
      ASSERT_EQ(found[i][rank].token_scores, expected[i][rank].token_scores);
    }
  }
}

constexpr int kVocab = 30;

TransformerConfig config_of(Random& random, Stacks stacks) {
  return random_generator_config(random, stacks, kVocab, kVocab);
}

// Any kind of search, of one prompt or several.
Order random_order(Random& random, bool has_encoder) {
  Order order;
  GenerationOptions& options = order.options;
  options.max_new_tokens = random_int(random, 1, 80);
  options.eos_token_ids = {1, 3};
  options.seed = random.next() >> 11;
  switch (random_int(random, 0, 4)) {
    case 0:
      options.do_sample = true;
      options.temperature = 1.5f;
      options.num_return_sequences = random_int(random, 1, 4);
      break;
    case 1:
      options.num_beams = options.num_return_sequences = random_int(random, 2, 5);
      options.no_repeat_ngram_size = 2;
      break;
    case 2:
      options.num_beams = 4;
      options.num_beam_groups = 2;
      options.diversity_penalty = 0.5f;
      break;
    case 3: options.repetition_penalty = 1.3f; break;
    default: break;
  }
  const int prompts = random_int(random, 0, 3) == 0 ? random_int(random, 2, 4) : 1;
  for (int i = 0; i < prompts; ++i) {
    if (has_encoder) order.input.sources.push_back(random_ids(random, random_int(random, 1, 70), kVocab));
    order.input.prompts.push_back(random_ids(random, random_int(random, 1, 66), kVocab));
  }
  return order;
}

// Prompts and sources that begin alike, longer than a page of the cache, and those of other callers.
void begin_alike(Random& random, Order& order) {
  const auto begun = [&](std::vector<int>& ids) {
    std::vector<int> common(random_int(random, 0, 130));
    for (int i = 0; i < count_of(common); ++i) common[i] = 2 + i * 7 % (kVocab - 2);
    common.insert(common.end(), ids.begin(), ids.begin() + std::min(count_of(ids), 8));
    ids = std::move(common);
  };
  order.options.max_new_tokens = std::min(order.options.max_new_tokens, 20);
  for (auto& source : order.input.sources) source.resize(std::min(count_of(source), random_int(random, 1, 3)), 5);
  for (auto& prompt : order.input.prompts) begun(prompt);
}

// They come at any time, some leave early, and the rest changes nothing for them.
TEST(BatchTest, ACallerHasTheSameBitsAloneAndBesideOthers) {
  Random random(31);
  int shared = 0, apart = 0;
  for (int round = 0; round < 24; ++round) {
    const TransformerConfig config = config_of(random, round % 3 == 2 ? Stacks::kDecoder : Stacks::kBoth);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    Company company;
    // None, a few pages, which are forgotten while they are read, and all of them.
    company.prefixes.limit_to(std::array<std::size_t, 3>{0, 100'000, 1 << 24}[round / 3 % 3]);
    const bool begins_alike = round % 2 == 1;
    std::vector<Order> orders;
    std::vector<std::unique_ptr<Caller>> callers;
    int running = 0;
    do {
      if (callers.size() < 8 && random_int(random, 0, 5) == 0) {
        orders.push_back(random_order(random, model.has_encoder()));
        if (begins_alike) begin_alike(random, orders.back());
        callers.push_back(std::make_unique<Caller>(model, orders.back(), &company));
      }
      if (random_int(random, 0, 60) == 0 && !callers.empty()) {
        callers[random_int(random, 0, count_of(callers) - 1)].reset();  // aborted
      }
      running = 0;
      for (const auto& caller : callers) {
        if (!caller || caller->generator.done()) continue;
        shared += caller->generator.step();
        ++running;
      }
    } while (callers.size() < 8 || running > 0);
    for (std::size_t i = 0; i < callers.size(); ++i) {
      if (!callers[i]) continue;
      SCOPED_TRACE(concat("caller ", i));
      expect_same(results_of(callers[i]->generator), alone(model, orders[i]));
      apart += Caller(model, orders[i], nullptr).run();
    }
    EXPECT_LE(company.prefixes.bytes(), company.prefixes.limit());
    callers.clear();
    EXPECT_EQ(company.open, nullptr) << "the last one to leave closes it";
    EXPECT_TRUE(company.waiting.empty());
    if (HasFailure()) return;
  }
  EXPECT_LT(shared, 0.7 * apart);
}

const PlainShape kSmall = {.layers = 1, .d_model = 16, .heads = 2, .d_ff = 24, .vocab = kVocab};

Order greedy(std::vector<std::vector<int>> prompts, int max_new_tokens) {
  Order order;
  order.input.sources.assign(prompts.size(), {5, 6, 7});
  order.input.prompts = std::move(prompts);
  order.options.max_new_tokens = max_new_tokens;
  return order;
}

class SmallBatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<Caller> join(const Order& order) { return std::make_unique<Caller>(model_, order, &company_); }

  Weights weights_ = Weights::random(1);
  const Transformer model_{weights_, plain_config(kSmall)};
  Company company_;
};

TEST_F(SmallBatchTest, AStepOfOneCallerIsAStepOfAll) {
  const auto one = join(greedy({{1}}, 9));
  EXPECT_TRUE(one->generator.step()) << "its prompt";
  const auto other = join(greedy({{2, 3}, {4}}, 5));
  EXPECT_TRUE(other->generator.step()) << "its prompts; it joins";
  const auto generated = [](const Caller& caller) { return caller.generator.search(0).certain().size(); };
  for (std::size_t tokens = 2; tokens <= 4; ++tokens) {
    EXPECT_TRUE(one->generator.step());
    EXPECT_EQ(generated(*other), tokens);
    EXPECT_FALSE(other->generator.step()) << "it has news";
    EXPECT_EQ(generated(*one), tokens);
  }
  EXPECT_TRUE(other->generator.step()) << "it has told its news";
  EXPECT_TRUE(other->generator.done());
  EXPECT_FALSE(one->generator.step());
  EXPECT_EQ(generated(*one), 5u);
  EXPECT_EQ(one->run(), 4);
  expect_same(results_of(one->generator), alone(model_, greedy({{1}}, 9)));
}

TEST_F(SmallBatchTest, RowsAreLimited) {
  const Order many = greedy(std::vector<std::vector<int>>(20, {1}), 6);
  const auto first = join(many);
  EXPECT_TRUE(first->generator.step());
  const auto second = join(many), third = join(greedy({{2}}, 6));
  EXPECT_TRUE(second->generator.step()) << "too many rows for one batch";
  EXPECT_FALSE(third->generator.step()) << "it began with the second";
  EXPECT_TRUE(first->generator.step());
  EXPECT_TRUE(second->generator.step());
  EXPECT_FALSE(third->generator.step());
  for (const auto* caller : {&first, &second}) {
    (*caller)->run();
    expect_same(results_of((*caller)->generator), alone(model_, many));
  }
}

// One with a shortlist has fewer logits than the others.
TEST_F(SmallBatchTest, ShortlistsShareWithOthers) {
  Order short_listed = greedy({{1}}, 12), listed_otherwise = greedy({{2}}, 9);
  short_listed.options.shortlist = {2, 5, 9};
  listed_otherwise.options.shortlist = {4, 3, 7, 8, 6};
  listed_otherwise.options.num_beams = 3;
  const Order plain = greedy({{3}}, 10);
  const std::vector<Order> orders = {short_listed, plain, listed_otherwise};
  std::vector<std::unique_ptr<Caller>> callers;
  for (const Order& order : orders) callers.push_back(join(order));
  for (const auto& caller : callers) EXPECT_TRUE(caller->generator.step()) << "each begins by itself";
  EXPECT_TRUE(callers[0]->generator.step());
  EXPECT_FALSE(callers[1]->generator.step()) << "the first did it";
  for (std::size_t i = 0; i < orders.size(); ++i) {
    callers[i]->run();
    expect_same(results_of(callers[i]->generator), alone(model_, orders[i]));
  }
}

// Those that wait when one begins are encoded with it, if their inputs can be those of one caller.
TEST_F(SmallBatchTest, ThoseThatWaitBeginTogether) {
  Order sampled = greedy({{4, 9}, {6}}, 7), beams = greedy({{5}}, 7), listed = greedy({{3}}, 8);
  sampled.options.do_sample = true;
  beams.options.num_beams = 3;
  listed.options.shortlist = {2, 5, 9};
  Order lists = greedy({{3}, {4}}, 8), other_lists = greedy({{7, 2}}, 6);
  lists.input.shortlists = {{4, 5, 6}, {7, 8}};
  other_lists.input.shortlists = {{9, 5, 11, 12}};
  const std::vector<Order> orders = {greedy({{1}}, 9), sampled, beams, listed, lists, other_lists, greedy({{8}}, 3)};
  std::vector<std::unique_ptr<Caller>> callers;
  for (const Order& order : orders) callers.push_back(join(order));
  callers.erase(callers.begin() + 6);  // aborted while it waited
  std::vector<bool> took_step;
  for (const auto& caller : callers) took_step.push_back(caller->generator.step());
  EXPECT_THAT(took_step, ::testing::ElementsAre(true, false, true, true, true, false));
  for (std::size_t i = 0; i < callers.size(); ++i) {
    SCOPED_TRACE(concat("caller ", i));
    callers[i]->run();
    expect_same(results_of(callers[i]->generator), alone(model_, orders[i]));
  }
}

// A source that cannot be encoded is the error of its own caller.
TEST_F(SmallBatchTest, AWrongSourceEndsItsCallerAlone) {
  Order wrong = greedy({{1}}, 5);
  wrong.input.sources = {{5, kVocab}};
  for (const std::size_t wrong_place : {0, 2}) {
    std::vector<Order> orders = {greedy({{2}}, 6), greedy({{3, 4}}, 6)};
    orders.insert(orders.begin() + static_cast<std::ptrdiff_t>(wrong_place), wrong);
    std::vector<std::unique_ptr<Caller>> callers;
    for (const Order& order : orders) callers.push_back(join(order));
    for (std::size_t i = 0; i < callers.size(); ++i) {
      if (i == wrong_place) {
        for (int times = 0; times < 2; ++times) {
          EXPECT_EQ(code_of([&] { callers[i]->generator.step(); }), ErrorCode::kInvalidArgument);
        }
      } else {
        callers[i]->run();
        expect_same(results_of(callers[i]->generator), alone(model_, orders[i]));
      }
    }
  }
}

// Those that are stepped in other ways stay by themselves.
TEST_F(SmallBatchTest, SomeDoNotShare) {
  const auto plain = join(greedy({{1}}, 12));
  plain->generator.step();
  Order drafted = greedy({{1}}, 12);
  drafted.options.prompt_lookup_num_tokens = 4;
  HeadFactors factors;
  Bench with_factors;
  with_factors.workspace.head_factors = &factors;
  Generator scaled(model_, drafted.input, greedy({{1}}, 12).options, with_factors.workspace);
  scaled.share(company_);
  const auto guessing = join(drafted), limited = join(greedy({{1}}, 12));
  limited->generator.allow(0, {{4, 5}});
  for (Generator* own : {&guessing->generator, &limited->generator, &scaled}) {
    own->step();
    EXPECT_TRUE(plain->generator.step());
    EXPECT_TRUE(own->step());
    EXPECT_TRUE(plain->generator.step()) << "nobody did it";
  }
  const auto beams = [] {
    Order order = greedy({{1}}, 12);
    order.options.num_beams = 2;
    order.options.prompt_lookup_num_tokens = 4;
    return order;
  }();
  const auto undrafted = join(beams);
  undrafted->generator.step();
  undrafted->generator.step();
  EXPECT_FALSE(plain->generator.step()) << "beams have no drafts";
}

// A row whose logits are not finite: the embedding of token 7 is too large.
TEST(BatchErrorsTest, AFailedSearchEndsItsCallerAlone) {
  Weights weights = Weights::random(1);
  std::vector<float> embedding(kVocab * 16, 0.01f);
  for (int i = 0; i < kVocab * 16; ++i) embedding[i] = 0.01f * static_cast<float>(i * 37 % 101);
  std::fill_n(embedding.begin() + 7 * 16, 16, 3e38f);
  add_tensor(weights, "decoder.embedding.weight", {kVocab, 16}, embedding);
  TransformerConfig config = plain_config(kSmall);
  config.share_embeddings = false;
  const Transformer model(weights, config);
  Order healthy = greedy({{1}, {2}}, 8), failing = greedy({{2}, {3}}, 8);
  healthy.options.suppress_tokens = {7};
  failing.options.forced_bos_token_id = 7;
  const Results expected = alone(model, healthy);
  Company company;
  for (const bool fails_in_its_own_step : {true, false}) {
    Caller well(model, healthy, &company), ill(model, failing, &company);
    ill.generator.step();
    well.generator.step();
    if (!fails_in_its_own_step) {
      EXPECT_TRUE(well.generator.step());
    }
    for (int times = 0; times < 2; ++times) {
      EXPECT_EQ(code_of([&] { ill.generator.step(); }), ErrorCode::kBadCheckpoint);
    }
    well.run();
    expect_same(results_of(well.generator), expected);
  }
}

TEST(RecurrentBatchTest, SequencesOfOtherModelsStayByThemselves) {
  struct Still : Decoding {
    void reorder(std::span<const int>) override {}
    void forward(std::span<const int>, const Segments&, View logits, Workspace&) override {
      for (int row = 0; row < logits.rows; ++row) std::fill_n(logits.row(row), logits.cols, 0.0f);
    }
  };
  Bench bench;
  const std::vector<std::vector<int>> prompts = {{1}};
  GenerationOptions options;
  const auto request = [&] {
    Request one;
    one.searches.push_back(make_search(options, {.prompt = {1}, .max_new_tokens = 9}));
    return one;
  };
  Request first = request(), second = request();
  Request *const firsts[] = {&first}, *const seconds[] = {&second};
  transformer::Batch one(std::make_unique<Still>(), 4), other(std::make_unique<Still>(), 4);
  one.start(firsts, prompts, bench.workspace);
  other.start(seconds, prompts, bench.workspace);
  EXPECT_FALSE(one.join(other));
  EXPECT_TRUE(one.is_running() && other.is_running());
  one.step({}, bench.workspace);
  EXPECT_EQ(second.searches[0]->certain().size(), 1u);
  other.step({}, bench.workspace);
  EXPECT_EQ(second.searches[0]->certain().size(), 2u);
}

}  // namespace
}  // namespace transformer
