// src/transformer: whole models of any shape. torch_reference_test.cpp compares them with PyTorch.
#include "transformer/transformer.h"

#include <gmock/gmock.h>

#include <set>

#include "kernels/activation.h"
#include "support/collector.h"
#include "support/errors.h"
#include "support/random_model.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::vector<Ids> random_sequences(Random& random, int batch, int longest, int vocab) {
  std::vector<Ids> sequences;
  for (int row = 0; row < batch; ++row)
    sequences.push_back(random_ids(random, row == 0 ? longest : random_int(random, 1, longest), vocab));
  return sequences;
}

// The rows of one sequence in a padded batch are, bit for bit, those of the sequence alone.
void expect_same_bits(const Tensor& in_batch, int row, const Tensor& alone, const std::string& what) {
  const int time = in_batch.axis(1), length = alone.axis(1);
  EXPECT_TRUE(same_bits(in_batch.matrix().row_range(row * time, length), alone.matrix()))
      << what << ", sequence " << row;
}

class SameBitsTest : public ::testing::TestWithParam<Stacks> {};

// The engine's promise: the same bits for any number of threads, alone or in a batch, padded or not, in one pass or
// token by token through the cache.
TEST_P(SameBitsTest, ForAnyThreadsBatchPaddingAndPass) {
  Random random(2026);
  for (int round = 0; round < 40; ++round) {
    const TransformerConfig config = random_config(random, GetParam());
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const Transformer model(weights, config);
    const int vocab = smallest_vocab(config);
    const Tensor vectors = random_vectors(random, config);
    const int batch = random_int(random, 1, 4);
    // Sometimes more than one tile of keys.
    const std::vector<Ids> sources =
        random_sequences(random, batch, random_int(random, 1, round % 8 == 0 ? 150 : 30), vocab);
    const std::vector<Ids> targets =
        random_sequences(random, batch, random_int(random, 1, round % 8 == 1 ? 150 : 20), vocab);

    Bench one(1), two(2), three(3);
    const Results expected = run_model(model, sources, targets, vectors, one);
    for (Bench* bench : {&two, &three}) {
      const Results results = run_model(model, sources, targets, vectors, *bench);
      EXPECT_TRUE(same_bits(results.memory, expected.memory)) << bench->threads.size() << " threads";
      EXPECT_TRUE(same_bits(results.logits, expected.logits)) << bench->threads.size() << " threads";
    }
    EXPECT_TRUE(same_bits(run_model(model, sources, targets, vectors, two, Pass::kStepByStep).logits, expected.logits))
        << "step by step";
    const std::vector<Results> packed = run_packed(model, sources, targets, vectors, two);
    for (int row = 0; row < batch; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const Results alone = run_model(model, {sources[at]}, {targets[at]}, vectors, one);
      if (model.has_encoder()) {
        EXPECT_TRUE(same_bits(packed[at].memory, alone.memory)) << "memory without padding";
      }
      EXPECT_TRUE(same_bits(packed[at].logits, alone.logits)) << "logits without padding";
      if (model.has_encoder()) expect_same_bits(expected.memory, row, alone.memory, "memory");
      expect_same_bits(expected.logits, row, alone.logits, "logits");
    }
  }
}

std::string name_of_stacks(const ::testing::TestParamInfo<Stacks>& stacks) {
  switch (stacks.param) {
    case Stacks::kBoth: return "Both";
    case Stacks::kEncoder: return "EncoderAlone";
    case Stacks::kDecoder: return "DecoderAlone";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Stacks, SameBitsTest, ::testing::Values(Stacks::kBoth, Stacks::kEncoder, Stacks::kDecoder),
                         name_of_stacks);

TEST(RandomConfigTest, DrawsEverySchemeForEitherStackAndOftenTwo) {
  Random random(6);
  std::set<std::string> encoders, decoders;
  int different = 0;
  for (int round = 0; round < 100; ++round) {
    const TransformerConfig config = random_config(random, Stacks::kBoth);
    encoders.insert(name_of(config.encoder.positions));
    decoders.insert(name_of(config.decoder.positions));
    different += config.encoder.positions.index() != config.decoder.positions.index();
  }
  EXPECT_EQ(encoders.size(), std::variant_size_v<Positions>);
  EXPECT_EQ(decoders.size(), std::variant_size_v<Positions>);
  EXPECT_GT(different, 50);
}

// Large enough that every loop is split among the threads.
TEST(TransformerTest, ALargerModelHasTheSameBitsOnThreeThreads) {
  TransformerConfig config =
      plain_config({.layers = 2, .d_model = 192, .heads = 6, .d_ff = 300, .vocab = 500, .grouped = true});
  config.encoder.layer.feed_forward.activation = Activation::kGelu;
  config.encoder.positions = config.decoder.positions = SinusoidalPositions{.max_length = kMaxLength};
  Weights weights = Weights::random(1);
  const Transformer model(weights, config);
  Random random(1);
  const std::vector<Ids> sources = random_sequences(random, 3, 150, 500),
                         targets = random_sequences(random, 3, 70, 500);
  Bench one(1), three(3);
  const Results expected = run_model(model, sources, targets, {}, one),
                results = run_model(model, sources, targets, {}, three);
  EXPECT_TRUE(same_bits(results.memory, expected.memory));
  EXPECT_TRUE(same_bits(results.logits, expected.logits));
}

TEST(TransformerTest, TheSamePassAgainAllocatesNoScratchMemory) {
  Random random(3);
  for (int round = 0; round < 10; ++round) {
    const TransformerConfig config = random_config(random, Stacks::kBoth);
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    const int vocab = smallest_vocab(config);
    const Tensor vectors = random_vectors(random, config);
    const std::vector<Ids> sources = random_sequences(random, 2, 40, vocab),
                           targets = random_sequences(random, 2, 30, vocab);
    Bench bench;
    run_model(model, sources, targets, vectors, bench);
    const std::size_t capacity = bench.arena.capacity();
    for (int again = 0; again < 3; ++again) run_model(model, sources, targets, vectors, bench);
    EXPECT_EQ(bench.arena.capacity(), capacity);
  }
}

TEST(TransformerTest, ObserversSeeWhatTheHeadersListAndChangeNoBits) {
  Random random(4);
  for (int round = 0; round < 10; ++round) {
    TransformerConfig config = random_config(random, Stacks::kBoth);
    SCOPED_TRACE(describe(config));
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    const int vocab = smallest_vocab(config), d_model = config.d_model(), d_memory = config.memory_width();
    const Tensor vectors = random_vectors(random, config);
    const std::vector<Ids> sources = random_sequences(random, 2, 9, vocab),
                           targets = random_sequences(random, 2, 6, vocab);
    Collector collector;
    Bench unwatched, watched(1, &collector);
    const Results expected = run_model(model, sources, targets, vectors, unwatched),
                  results = run_model(model, sources, targets, vectors, watched);
    EXPECT_TRUE(same_bits(results.logits, expected.logits));

    std::map<std::string, Shape> promised = {{"encoder.embeddings", {2, 9, d_memory}},
                                             {"encoder.output", {2, 9, d_memory}},
                                             {"decoder.embeddings", {2, 6, d_model}},
                                             {"decoder.output", {2, 6, d_model}}};
    const int heads = config.encoder.layer.attention.num_heads,
              decoder_heads = config.decoder.layer.attention.num_heads;
    for (int i = 0; i < config.encoder.num_layers; ++i) {
      for (const char* map : {"weights", "scores"})
        promised[concat("encoder.layers.", i, ".self_attn.", map)] = {2, heads, 9, 9};
      promised[concat("encoder.layers.", i, ".output")] = {2, 9, d_memory};
    }
    for (int i = 0; i < config.decoder.num_layers; ++i) {
      promised[concat("decoder.layers.", i, ".output")] = {2, 6, d_model};
      for (const char* map : {"weights", "scores"}) {
        promised[concat("decoder.layers.", i, ".self_attn.", map)] = {2, decoder_heads, 6, 6};
        promised[concat("decoder.layers.", i, ".cross_attn.", map)] = {2, decoder_heads, 6, 9};
      }
    }
    for (const auto& [path, shape] : promised) {
      ASSERT_EQ(collector.recorded.count(path), 1u) << path;
      EXPECT_EQ(collector.recorded[path].shape(), shape) << path;
    }
    EXPECT_TRUE(same_bits(collector.recorded["encoder.output"], results.memory));
  }
}

TEST(TransformerTest, HeadFactorsChangeOnlyTheLayersTheyName) {
  Random random(9);
  for (int round = 0; round < 10; ++round) {
    const TransformerConfig config = random_config(random, Stacks::kBoth);
    SCOPED_TRACE(describe(config));
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    const int vocab = smallest_vocab(config);
    const Tensor vectors = random_vectors(random, config);
    const std::vector<Ids> sources = {random_ids(random, 9, vocab)}, targets = {random_ids(random, 6, vocab)};
    const std::vector<Ids> other_sources = {random_ids(random, 7, vocab)};
    auto run = [&](const std::vector<Ids>& from, const HeadFactors* factors, Pass pass = Pass::kFull) {
      Bench bench(2);
      bench.workspace.head_factors = factors;
      return run_model(model, from, targets, vectors, bench, pass);
    };
    const Results plain = run(sources, nullptr);
    const auto heads = static_cast<std::size_t>(config.decoder.layer.attention.num_heads);
    HeadFactors blind, ones;
    for (int i = 0; i < config.decoder.num_layers; ++i) {
      blind[concat("decoder.layers.", i, ".cross_attn")] = std::vector<float>(heads, 0.0f);
      ones[concat("decoder.layers.", i, ".cross_attn")] = std::vector<float>(heads, 1.0f);
    }
    const Results without_source = run(sources, &blind);
    EXPECT_TRUE(same_bits(without_source.memory, plain.memory)) << "the factors name no head of the encoder";
    EXPECT_TRUE(same_bits(run(other_sources, &blind).logits, without_source.logits)) << "no head looks at the source";
    EXPECT_TRUE(same_bits(run(sources, &blind, Pass::kStepByStep).logits, without_source.logits));
    EXPECT_FALSE(same_bits(without_source.logits, plain.logits));
    EXPECT_TRUE(same_bits(run(sources, &ones).logits, plain.logits));
  }
}

TEST(TransformerTest, AcceptsEmptyBatchesAndSequences) {
  Random random(5);
  const Positions schemes[] = {SinusoidalPositions{.max_length = kMaxLength},
                               LearnedPositions{.max_length = kMaxLength}, RotaryPositions{.max_length = kMaxLength},
                               AlibiPositions(), RelativePositions()};
  for (const Positions& positions : schemes) {
    TransformerConfig config = random_config(random, Stacks::kBoth);
    config.encoder.positions = config.decoder.positions = positions;
    config.share_embeddings = false;
    config.encoder.vocab = config.decoder.vocab = config.projection.vocab;
    Weights weights = Weights::random(1);
    const Transformer model(weights, config);
    Bench bench(2);
    auto run = [&](int batch, int keys, int time) {
      const Ids source(static_cast<std::size_t>(batch * keys), 1), target(static_cast<std::size_t>(batch * time), 1);
      Tensor memory({batch, keys, config.memory_width()}), hidden({batch, time, config.d_model()}),
          logits({batch, time, config.projection.vocab});
      model.encoder().forward({.batch = batch, .time = keys, .ids = source}, {}, memory.matrix(), bench.workspace);
      DecoderState state = model.decoder().start({memory.matrix(), batch, keys}, batch, time, bench.workspace);
      DecoderMasks masks;
      masks.self.causal = true;
      model.decoder().forward({.batch = batch, .time = time, .ids = target}, state, masks, hidden.matrix(),
                              bench.workspace);
      model.projection().forward(hidden.matrix(), logits.matrix(), bench.workspace);
      for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_TRUE(std::isfinite(logits.data()[i]));
    };
    run(0, 5, 5);
    run(2, 0, 3);  // attention without keys gives zeros
    run(2, 4, 0);
    run(2, 0, 0);
  }
}

constexpr PlainShape kSmall = {.layers = 1, .d_model = 8, .heads = 2, .d_ff = 8, .vocab = 11};

TEST(TransformerTest, RefusesInputsThatDoNotFit) {
  TransformerConfig config = plain_config(kSmall);
  config.encoder.positions = config.decoder.positions = LearnedPositions{.max_length = 6};
  Weights weights = Weights::random(1);
  const Transformer model(weights, config);
  EXPECT_EQ(model.parameter_count(), weights.parameters_taken());
  Bench bench;
  auto encode = [&](const Sequences& sequences) {
    Tensor memory({sequences.batch, sequences.time, 8});
    return message_of([&] { model.encoder().forward(sequences, {}, memory.matrix(), bench.workspace); });
  };
  const Ids ids = {1, 2, 3, 4, 5, 6, 7};
  const Tensor vectors = Tensor::zeros({3, 8});
  EXPECT_THAT(encode({.batch = 1, .time = 7, .ids = ids}), HasSubstr("7 tokens long"));
  EXPECT_THAT(encode({.batch = 1, .time = 3, .ids = ids}), HasSubstr("expected 3 token ids, got 7"));
  EXPECT_THAT(encode({.batch = 1, .time = 1, .ids = Ids{11}}), HasSubstr("11"));
  EXPECT_THAT(encode({.batch = 1, .time = 1, .ids = Ids{-1}}), HasSubstr("-1"));
  EXPECT_THAT(encode({.batch = 1, .time = 3, .vectors = vectors.matrix()}),
              HasSubstr("this model takes token ids, not vectors"));
  DecoderState state = model.decoder().start({vectors.matrix(), 1, 3}, 1, 2, bench.workspace);
  EXPECT_EQ(state.rows(), 1);

  config.encoder.vocab = config.decoder.vocab = 0;
  config.encoder.positions = config.decoder.positions = NoPositions();
  Weights others = Weights::random(1);
  const Transformer without(others, config);
  Tensor memory({1, 3, 8});
  auto encode_vectors = [&](const Sequences& sequences) {
    return message_of([&] { without.encoder().forward(sequences, {}, memory.matrix(), bench.workspace); });
  };
  EXPECT_THAT(encode_vectors({.batch = 1, .time = 3, .ids = Ids{1, 2, 3}}),
              HasSubstr("this model takes vectors, not token ids"));
  const Tensor wide = Tensor::zeros({3, 9}), few = Tensor::zeros({2, 8});
  EXPECT_THAT(encode_vectors({.batch = 1, .time = 3, .vectors = wide.matrix()}),
              HasSubstr("the vectors must have the width dModel = 8, got 9"));
  EXPECT_THAT(encode_vectors({.batch = 1, .time = 3, .vectors = few.matrix()}), HasSubstr("expected 3 vectors, got 2"));
}

TEST(TransformerTest, RefusesInvalidConfigs) {
  const TransformerConfig good = plain_config(kSmall);
  EXPECT_NO_THROW(validate(good));
  const std::vector<std::pair<const char*, void (*)(TransformerConfig&)>> faults = {
      {"dModel", [](TransformerConfig& c) { c.encoder.layer.d_model = 0; }},
      {"numHeads", [](TransformerConfig& c) { c.decoder.layer.attention.num_heads = -1; }},
      {"multiple", [](TransformerConfig& c) { c.encoder.layer.attention.num_heads = 3; }},
      {"dFf", [](TransformerConfig& c) { c.encoder.layer.feed_forward.d_ff = 0; }},
      {"at least one", [](TransformerConfig& c) { c.encoder.num_layers = c.decoder.num_layers = 0; }},
      {"at least one", [](TransformerConfig& c) { c.encoder.num_layers = -1; }},
      {"memoryProjection needs an encoder and a decoder",
       [](TransformerConfig& c) { c.memory_projection = true, c.encoder.num_layers = 0; }},
      {"vocabSize must not be negative, got -1", [](TransformerConfig& c) { c.encoder.vocab = -1; }},
      {"tokenTypes must not be negative, got -2", [](TransformerConfig& c) { c.encoder.token_types = -2; }},
      {"projection's vocab must not be negative, got -1", [](TransformerConfig& c) { c.projection.vocab = -1; }},
      {"shareEmbeddings needs one vocabulary",
       [](TransformerConfig& c) { c.share_embeddings = true, c.encoder.vocab = 12; }},
      {"tieEmbeddings needs a vocabulary", [](TransformerConfig& c) { c.projection.tied = true, c.decoder.vocab = 0; }},
      {"the embedding has 12 tokens and the output projection 11",
       [](TransformerConfig& c) { c.projection.tied = true, c.decoder.vocab = 12; }},
      {"numHeads (1073741824) times dHead (4) is too large",
       [](TransformerConfig& c) { c.encoder.layer.attention = {.num_heads = 1 << 30, .d_head = 4}; }},
      {"shareEmbeddings needs a vocabulary",
       [](TransformerConfig& c) { c.share_embeddings = true, c.encoder.vocab = c.decoder.vocab = 0; }},
      {"what is before it has the output width 3",
       [](TransformerConfig& c) { c.head.steps = {{.name = "dense", .out_features = 3}}; }},
  };
  for (const auto& [message, spoil] : faults) {
    TransformerConfig config = good;
    spoil(config);
    const Error error = error_of([&config = config] { validate(config); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(TransformerTest, RefusesAMaxLengthThatIsNotPositive) {
  for (const int length : {0, -1}) {
    for (const Positions& positions :
         {Positions(SinusoidalPositions{.max_length = length}), Positions(LearnedPositions{.max_length = length}),
          Positions(RotaryPositions{.max_length = length})}) {
      for (const bool encodes : {true, false}) {
        TransformerConfig config = plain_config(kSmall);
        (encodes ? config.encoder : config.decoder).positions = positions;
        Weights weights = Weights::random(1);
        const Error error = error_of([&] { Transformer(weights, config); });
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        EXPECT_THAT(error.what(), HasSubstr(concat("maxLength must be positive, got ", length))) << name_of(positions);
      }
    }
  }
}

TEST(TransformerTest, NamesAMissingTensor) {
  TransformerConfig config = plain_config(kSmall);
  config.encoder.vocab = config.decoder.vocab = 0;
  Weights weights;
  EXPECT_THAT(message_of([&] { Transformer(weights, config); }), HasSubstr("encoder.layers.0.self_attn.q_proj.weight"));
}

}  // namespace
}  // namespace transformer
