// src/recurrent: the encoder-decoders of Bahdanau and Luong, against twins, PyTorch and themselves.
#include <gmock/gmock.h>

#include <cmath>

#include "generation/generator.h"
#include "generation/make_search.h"
#include "recurrent/encoder_decoder.h"
#include "support/bench.h"
#include "support/collector.h"
#include "support/drive_search.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/recurrent.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using Ids = std::vector<int>;

RecurrentConfig random_model(Random& random) {
  const auto coin = [&random] { return random_int(random, 0, 1) == 1; };
  RecurrentConfig config;
  config.design = coin() ? DecoderDesign::kBahdanau : DecoderDesign::kLuong;
  config.cell = coin() ? CellKind::kGru : CellKind::kLstm;
  config.source_vocab = config.target_vocab = 20;
  config.d_embedding = random_int(random, 1, 20);
  config.hidden_size = random_int(random, 1, 30);
  config.num_layers = random_int(random, 1, 3);
  const bool is_bahdanau = config.design == DecoderDesign::kBahdanau;
  config.bidirectional = is_bahdanau && coin();
  config.score = static_cast<AlignmentScore>(random_int(random, config.bidirectional ? 1 : 0, 3));
  config.d_attention = random_int(random, 1, 20);
  config.window = coin() && config.score != AlignmentScore::kNone ? random_int(random, 1, 4) : 0;
  config.d_readout = random_int(random, 1, 20);
  config.maxout = is_bahdanau && coin();
  config.share_embeddings = coin();
  config.tie_embeddings = coin();
  if (config.tie_embeddings) config.d_readout = config.d_embedding;
  config.projection_bias = coin();
  return config;
}

std::string describe(const RecurrentConfig& config) {
  return concat(config.design == DecoderDesign::kLuong ? "luong" : "bahdanau", ", ",
                config.cell == CellKind::kGru ? "gru" : "lstm", ", ", config.num_layers, " layers of ",
                config.hidden_size, ", score ", static_cast<int>(config.score), ", window ", config.window);
}

struct PaddedSources {
  explicit PaddedSources(const std::vector<Ids>& sequences) : batch(static_cast<int>(sequences.size())) {
    for (const Ids& sequence : sequences) {
      lengths.push_back(static_cast<int>(sequence.size()));
      time = std::max(time, lengths.back());
    }
    for (const Ids& sequence : sequences) {
      ids.insert(ids.end(), sequence.begin(), sequence.end());
      ids.insert(ids.end(), static_cast<std::size_t>(time) - sequence.size(), -1);  // which is read by nobody
    }
  }
  RecurrentSource source() const { return {ids, batch, time, lengths}; }

  int batch, time = 0;
  Ids ids, lengths;
};

// The logits after each token of the targets, which are of one length, in passes of `at_once` tokens:
// [batch, time, vocab].
Tensor logits_of(const RecurrentEncoderDecoder& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                 int at_once, Bench& bench) {
  const RecurrentConfig& config = model.config();
  const int rows = static_cast<int>(targets.size()), time = static_cast<int>(targets.front().size());
  RecurrentMemory memory = model.encoder().forward(PaddedSources(sources).source(), bench.workspace);
  RecurrentDecoderState state = model.decoder().start(std::move(memory), rows, bench.workspace);
  Tensor logits({rows, time, config.target_vocab});
  for (int begin = 0; begin < time; begin += at_once) {
    const int count = std::min(at_once, time - begin);
    Ids tokens;
    for (const Ids& target : targets)
      tokens.insert(tokens.end(), target.begin() + begin, target.begin() + begin + count);
    Tensor readout({rows * count, config.d_readout}), next({rows * count, config.target_vocab});
    model.decoder().forward(tokens, state, readout.matrix(), bench.workspace);
    model.projection().forward(readout.matrix(), next.matrix(), bench.workspace);
    for (int row = 0; row < rows; ++row) {
      std::copy_n(next.matrix().row(row * count), count * config.target_vocab, logits.matrix().row(row * time + begin));
    }
  }
  EXPECT_EQ(state.length(), time);
  return logits;
}

std::vector<std::vector<Hypothesis>> generate(const RecurrentEncoderDecoder& model, const GenerationInput& input,
                                              const GenerationOptions& options, int threads = 1) {
  Bench bench(threads);
  Generator generator(model, input, options, bench.workspace);
  while (!generator.done()) generator.step();
  std::vector<std::vector<Hypothesis>> results;
  for (int i = 0; i < generator.size(); ++i) results.push_back(generator.search(i).results());
  return results;
}

std::vector<Ids> rows_of(const Tensor& ids, int padding) {
  std::vector<Ids> rows;
  for (int row = 0; row < ids.axis(0); ++row) {
    rows.emplace_back();
    for (int i = 0; i < ids.axis(1); ++i) {
      const int id = static_cast<int>(ids.matrix().row(row)[i]);
      if (id != padding) rows.back().push_back(id);
    }
  }
  return rows;
}

TEST(RecurrentModelTest, IsThatOfPyTorch) {
  for (const std::string name :
       {"bahdanau", "bahdanau_lstm_tanh", "bottleneck", "luong_dot", "luong_general", "luong_concat", "luong_local"}) {
    SCOPED_TRACE(name);
    const Fixture fixture(name, "recurrent");
    const RecurrentConfig config = recurrent_config_of(fixture.json("config.json"));
    Weights weights = state_dict(fixture);
    const std::size_t size = [&] {
      std::size_t sum = 0;
      for (const auto& [tensor_name, stored] : fixture.model()) sum += stored.size();
      return sum;
    }();
    const RecurrentEncoderDecoder model(weights, config);
    EXPECT_TRUE(weights.names().empty());
    EXPECT_EQ(model.parameter_count(), size);

    Collector collector;
    Bench bench(2, &collector);
    const std::vector<Ids> sources = rows_of(fixture.tensor("source"), 0),
                           targets = rows_of(fixture.tensor("target"), -1);
    const std::vector<double> expected = fixture.numbers("logits");
    const Tensor logits = logits_of(model, sources, targets, 100, bench);
    expect_near(logits.data(), expected, 2e-5 * std::max(1.0, largest(expected)), "logits");
    expect_near(collector.recorded.at("encoder.output").data(), fixture.numbers("memory"), 1e-5, "memory");
    expect_near(collector.recorded.at("decoder.output").data(), fixture.numbers("readout"), 2e-5, "readout");
    expect_near(collector.recorded.at("decoder.attention.weights").data(), fixture.numbers("weights"), 1e-5, "weights");

    GenerationInput input;
    input.sources = sources;
    input.prompts.assign(sources.size(), {2});
    GenerationOptions options;
    options.max_new_tokens = 12;
    options.suppress_tokens = {0};  // padding
    const auto found = generate(model, input, options);
    const std::vector<Ids> greedy = rows_of(fixture.tensor("greedy"), -1);
    for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(found[i][0].ids, greedy[i]);
  }
}

// scores, softmax and weighted sum, and for local-p the window and the preference for its centre, in double precision.
TEST(AlignmentTest, MatchesTheTwin) {
  Bench bench(2);
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    AlignmentConfig config;
    config.score = static_cast<AlignmentScore>(round % 3);
    config.window = round / 3 % 2 ? random_int(random, 1, 3) : 0;
    config.query_size = random_int(random, 1, 12);
    config.key_size = config.score == AlignmentScore::kDot ? config.query_size : random_int(random, 1, 12);
    config.d_attention = random_int(random, 1, 12);
    const int batch = random_int(random, 1, 3), queries_each = random_int(random, 1, 3),
              time = random_int(random, 1, 9);
    const bool is_concat = config.score == AlignmentScore::kConcat;
    Weights weights;
    Tensor W, Ws, Wh, v, Wp, vp;
    if (config.score == AlignmentScore::kGeneral)
      W = add_random(weights, random, "W.weight", {config.query_size, config.key_size});
    if (is_concat) Ws = add_random(weights, random, "Ws.weight", {config.d_attention, config.query_size});
    if (is_concat) Wh = add_random(weights, random, "Wh.weight", {config.d_attention, config.key_size});
    if (is_concat) v = add_random(weights, random, "v", {config.d_attention});
    if (config.window) Wp = add_random(weights, random, "Wp.weight", {config.d_attention, config.query_size});
    if (config.window) vp = add_random(weights, random, "vp", {config.d_attention});
    const Alignment alignment{WeightScope(weights), config};
    EXPECT_TRUE(weights.names().empty());

    const int rows = batch * queries_each;
    const LooseMatrix queries(random, rows, config.query_size, 1), context(rows, config.key_size, 2),
        found(rows, time, 1), centers(rows, 1, 1);
    const Tensor states = random_tensor(random, {batch * time, config.key_size});
    std::vector<int> lengths;
    for (int i = 0; i < batch; ++i) lengths.push_back(random_int(random, 1, time));
    Tensor keys({batch * time, alignment.keys_size()});
    alignment.project_keys(states.matrix(), keys.matrix(), bench.workspace);
    alignment.forward(queries.view(), {states.matrix(), keys.matrix(), time, lengths},
                      {found.view(), context.view(), centers.view()}, bench.workspace);

    for (int row = 0; row < rows; ++row) {
      const int sentence = row / queries_each, length = lengths[static_cast<std::size_t>(sentence)];
      const float* s = queries.view().row(row);
      const auto product = [](ConstView matrix, int index, const float* x) {
        Sum sum;
        for (int i = 0; i < matrix.cols; ++i) sum.add(matrix.row(index)[i], x[i]);
        return sum.value;
      };
      double center = 0;
      if (config.window) {
        for (int a = 0; a < config.d_attention; ++a) center += vp.data()[a] * std::tanh(product(Wp.matrix(), a, s));
        center = length / (1 + std::exp(-center));
        EXPECT_NEAR(*centers.view().row(row), center, 1e-4);
        center = *centers.view().row(row);  // so that both agree on who is in the window
      }
      std::vector<double> scores;
      for (int j = 0; j < length; ++j) {
        const float* h = states.matrix().row(sentence * time + j);
        double score = 0;
        switch (config.score) {
          case AlignmentScore::kDot:
            for (int i = 0; i < config.query_size; ++i) score += static_cast<double>(s[i]) * h[i];
            break;
          case AlignmentScore::kGeneral:
            for (int i = 0; i < config.query_size; ++i) score += s[i] * product(W.matrix(), i, h);
            break;
          case AlignmentScore::kConcat:
            for (int a = 0; a < config.d_attention; ++a)
              score += v.data()[a] * std::tanh(product(Ws.matrix(), a, s) + product(Wh.matrix(), a, h));
            break;
          case AlignmentScore::kNone: FAIL() << "has no score";
        }
        const bool outside = config.window && std::abs(static_cast<float>(j) - static_cast<float>(center)) >
                                                  static_cast<float>(config.window);
        scores.push_back(outside ? static_cast<double>(kForbidden) : score);
      }
      std::vector<double> exact = naive_softmax(scores);
      for (int j = 0; config.window && j < length; ++j) {
        exact[static_cast<std::size_t>(j)] *= std::exp(-2 * std::pow((j - center) / config.window, 2));
      }
      exact.resize(static_cast<std::size_t>(time), 0.0);
      for (int j = 0; j < time; ++j) {
        ASSERT_NEAR(found.view().row(row)[j], exact[static_cast<std::size_t>(j)], j < length ? 2e-5 : 0);
      }
      for (int i = 0; i < config.key_size; ++i) {
        double sum = 0;
        for (int j = 0; j < time; ++j)
          sum += exact[static_cast<std::size_t>(j)] * states.matrix().row(sentence * time + j)[i];
        ASSERT_NEAR(context.view().row(row)[i], sum, 5e-5);
      }
    }
    EXPECT_TRUE(found.surroundings_untouched() && context.surroundings_untouched() && centers.surroundings_untouched());
  }
}

TEST(RecurrentModelTest, ASequenceIsTheSameBitsAloneAndInABatchOnAnyThreads) {
  Bench bench, threaded(3);
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    RecurrentConfig config = random_model(random);
    if (round % 8 == 0) config.hidden_size = 200;  // enough that threads share the work
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    const Dtype dtype = round % 2 ? Dtype::kInt8 : Dtype::kF32;
    Weights weights = Weights::random(static_cast<std::uint64_t>(round), dtype);
    const RecurrentEncoderDecoder model(weights, config);
    const int batch = random_int(random, 1, 4), time = random_int(random, 1, 6);
    std::vector<Ids> sources, targets;
    for (int row = 0; row < batch; ++row) {
      sources.push_back(random_ids(random, random_int(random, 1, 9), config.source_vocab));
      targets.push_back(random_ids(random, time, config.target_vocab));
    }
    const Tensor together = logits_of(model, sources, targets, time, bench);
    EXPECT_TRUE(same_bits(together, logits_of(model, sources, targets, time, threaded)));
    EXPECT_TRUE(same_bits(together, logits_of(model, sources, targets, 1, bench))) << "step by step";
    EXPECT_TRUE(same_bits(together, logits_of(model, sources, targets, 2, bench))) << "two by two";
    for (int row = 0; row < batch; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const Tensor alone = logits_of(model, {sources[at]}, {targets[at]}, time, bench);
      EXPECT_TRUE(same_bits(alone.matrix(), together.matrix().row_range(row * time, time)));
    }
  }
}

std::vector<Hypothesis> generate_by_full_passes(const RecurrentEncoderDecoder& model, const Ids& source,
                                                const Ids& prompt, const GenerationOptions& options) {
  const auto search = make_search(options, {.prompt = prompt, .max_new_tokens = options.max_new_tokens});
  const int vocab = model.config().target_vocab;
  Bench bench;
  drive_search(*search, prompt, vocab, [&](const Ids& ids, float* next) {
    const int time = static_cast<int>(ids.size());
    const Tensor logits = logits_of(model, {source}, {ids}, time, bench);
    std::copy_n(logits.matrix().row(time - 1), vocab, next);
  });
  return search->results();
}

void expect_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].ids, b[i].ids);
    EXPECT_EQ(a[i].token_scores, b[i].token_scores);
  }
}

// The states of beams change places, prompts are of different lengths, sentences share a batch: it is the same search
// as one that begins anew for each token.
TEST(RecurrentGeneratorTest, ASequenceIsTheSameBitsAloneAndInABatchOnAnyThreads) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const RecurrentConfig config = random_model(random);
    SCOPED_TRACE(concat("round ", round, ": ", describe(config)));
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const RecurrentEncoderDecoder model(weights, config);
    GenerationOptions options;
    options.max_new_tokens = random_int(random, 1, 12);
    options.eos_token_ids = {1, 3, 6};
    options.seed = random.next() >> 11;
    options.num_beams = round % 3 == 0 ? 1 : 4;
    options.num_return_sequences = options.num_beams;
    if (round % 4 == 1) options.shortlist = {0, 2, 4, 5, 9, 11, 17};
    GenerationInput all;
    const int batch = random_int(random, 1, 4);
    for (int row = 0; row < batch; ++row) {
      all.sources.push_back(random_ids(random, random_int(random, 1, 12), config.source_vocab));
      all.prompts.push_back(random_ids(random, random_int(random, 1, 4), config.target_vocab));
    }
    const auto together = generate(model, all, options);
    const auto threaded = generate(model, all, options, 3);
    for (std::size_t i = 0; i < all.prompts.size(); ++i) {
      GenerationInput one;
      one.sources = {all.sources[i]};
      one.prompts = {all.prompts[i]};
      expect_same(together[i], generate(model, one, options)[0]);
      expect_same(together[i], threaded[i]);
      if (!options.shortlist.empty()) continue;
      expect_same(together[i], generate_by_full_passes(model, all.sources[i], all.prompts[i], options));
    }
  }
}

TEST(RecurrentModelTest, OffersItsInnerTensors) {
  Collector collector;
  Bench bench(1, &collector);
  RecurrentConfig config;
  config.design = DecoderDesign::kLuong;
  config.cell = CellKind::kLstm;
  config.source_vocab = config.target_vocab = 20;
  config.d_embedding = 4;
  config.hidden_size = 6;
  config.num_layers = 2;
  config.d_attention = 5;
  config.window = 2;
  config.d_readout = 7;
  Weights weights = Weights::random(1);
  const RecurrentEncoderDecoder model(weights, config);
  logits_of(model, {{4, 5, 6}, {7}}, {{1, 2}, {3, 4}}, 2, bench);
  std::vector<std::string> paths;
  for (const auto& entry : collector.recorded) paths.push_back(entry.first);
  EXPECT_THAT(paths, UnorderedElementsAre("encoder.embeddings", "encoder.layers.0.output", "encoder.layers.1.output",
                                          "encoder.output", "decoder.embeddings", "decoder.layers.0.output",
                                          "decoder.layers.1.output", "decoder.attention.weights",
                                          "decoder.attention.context", "decoder.attention.centers", "decoder.output"));
  EXPECT_EQ(collector.recorded.at("decoder.attention.weights").shape(), (Shape{2, 1, 2, 3}));
  EXPECT_EQ(collector.recorded.at("decoder.attention.centers").shape(), (Shape{2, 2}));
  EXPECT_EQ(collector.recorded.at("decoder.layers.1.output").shape(), (Shape{2, 2, 6}));
  EXPECT_EQ(collector.recorded.at("encoder.layers.0.output").matrix().row(4)[0], 0.0f) << "beyond the sentence";

  // At every step of a generation too.
  Collector of_step;
  Bench stepping(1, &of_step);
  GenerationInput input;
  input.sources = {{4, 5, 6}};
  input.prompts = {{1}};
  GenerationOptions options;
  options.max_new_tokens = 1;
  Generator(model, input, options, stepping.workspace).step();
  EXPECT_EQ(of_step.recorded.at("decoder.attention.weights").shape(), (Shape{1, 1, 1, 3}));
}

RecurrentConfig small_config() {
  RecurrentConfig config;
  config.source_vocab = config.target_vocab = 20;
  config.d_embedding = 4;
  config.hidden_size = 6;
  config.d_attention = 5;
  config.d_readout = 4;
  return config;
}

TEST(RecurrentModelTest, RefusesConfigsThatAreNoModel) {
  const auto message = [](auto change) {
    RecurrentConfig config = small_config();
    change(config);
    Weights weights = Weights::random(1);
    const Error error = error_of([&] { RecurrentEncoderDecoder(weights, config); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return std::string(error.what());
  };
  using Config = RecurrentConfig;
  EXPECT_THAT(message([](Config& config) { config.source_vocab = 0; }), HasSubstr("srcVocabSize"));
  EXPECT_THAT(message([](Config& config) { config.target_vocab = -2; }), HasSubstr("tgtVocabSize"));
  EXPECT_THAT(message([](Config& config) { config.d_embedding = 0; }), HasSubstr("dEmbedding"));
  EXPECT_THAT(message([](Config& config) { config.hidden_size = 0; }), HasSubstr("hiddenSize"));
  EXPECT_THAT(message([](Config& config) { config.num_layers = 0; }), HasSubstr("numLayers"));
  EXPECT_THAT(message([](Config& config) { config.d_readout = 0; }), HasSubstr("dReadout"));
  EXPECT_THAT(message([](Config& config) { config.d_attention = 0; }), HasSubstr("dAttention"));
  EXPECT_THAT(message([](Config& config) { config.window = -1; }), HasSubstr("window"));
  EXPECT_THAT(message([](Config& config) {
                config.share_embeddings = true;
                config.source_vocab = 21;
              }),
              HasSubstr("21 source and 20 target"));
  EXPECT_THAT(message([](Config& config) {
                config.tie_embeddings = true;
                config.d_readout = 5;
              }),
              HasSubstr("readout of 5"));
  EXPECT_THAT(message([](Config& config) {
                config.score = AlignmentScore::kDot;
                config.bidirectional = true;
              }),
              HasSubstr("one width, got 6 of the decoder and 12"));
  EXPECT_THAT(message([](Config& config) {
                config.design = DecoderDesign::kLuong;
                config.bidirectional = true;
              }),
              HasSubstr("forward alone"));
  EXPECT_THAT(message([](Config& config) {
                config.design = DecoderDesign::kLuong;
                config.maxout = true;
              }),
              HasSubstr("maxout"));
}

TEST(RecurrentModelTest, RefusesInputsThatDoNotFit) {
  Bench bench;
  Weights weights = Weights::random(1);
  const RecurrentEncoderDecoder model(weights, small_config());
  const auto encode = [&](const Ids& ids, int batch, int time, const Ids& lengths) {
    return message_of([&] { model.encoder().forward({ids, batch, time, lengths}, bench.workspace); });
  };
  EXPECT_THAT(encode({1, 2, 3}, 2, 2, {}), HasSubstr("expected 2 x 2 token ids, got 3"));
  EXPECT_THAT(encode({1, 20}, 1, 2, {}), HasSubstr("20"));
  EXPECT_THAT(encode({1, 2}, 1, 2, {3}), HasSubstr("got 3"));
  EXPECT_THAT(encode({1, 2}, 1, 2, {1, 1}), HasSubstr("a length for each"));

  const auto start = [&](int rows) {
    RecurrentMemory memory = model.encoder().forward({Ids{1, 2, 3, 4}, 2, 2}, bench.workspace);
    return model.decoder().start(std::move(memory), rows, bench.workspace);
  };
  EXPECT_THAT(message_of([&] { start(3); }), HasSubstr("3 sequences cannot share 2 sources"));
  RecurrentDecoderState state = start(2);
  Tensor readout({3, 4});
  EXPECT_THAT(message_of([&] { model.decoder().forward(Ids{1, 2, 3}, state, readout.matrix(), bench.workspace); }),
              HasSubstr("3 tokens cannot be shared by 2"));

  GenerationInput input;
  const auto run = [&] { return message_of([&] { generate(model, input, {}); }); };
  input.prompts = {{1}};
  EXPECT_THAT(run(), HasSubstr("number of sources (0)"));
  input.sources = {Ids()};
  EXPECT_THAT(run(), HasSubstr("a source is empty"));
  input.sources = {{1, 99}};
  EXPECT_THAT(run(), HasSubstr("99"));
  input.source_vectors = readout.matrix();
  EXPECT_THAT(run(), HasSubstr("token ids, not embeddings"));
}

}  // namespace
}  // namespace transformer
