// src/recurrent: cells, layers and packed sequences, against a twin and against PyTorch's nn.GRU and nn.LSTM.
#include "recurrent/recurrent_layers.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/bench.h"
#include "support/collector.h"
#include "support/errors.h"
#include "support/fixture.h"
#include "support/naive.h"
#include "support/recurrent.h"
#include "support/stored_weights.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

using Vector = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One direction of one layer: its weights, and a plain loop over the equations in double precision.
struct CellTwin {
  CellKind kind;
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

  CellTwin(Weights& weights, Random& random, const CellConfig& config, const std::string& place) : kind(config.kind) {
    const int gates = (kind == CellKind::kGru ? 3 : 4) * config.hidden_size;
    weight_ih = add_random(weights, random, "weight_ih_" + place, {gates, config.input_size});
    weight_hh = add_random(weights, random, "weight_hh_" + place, {gates, config.hidden_size});
    bias_ih = config.bias ? add_random(weights, random, "bias_ih_" + place, {gates}) : Tensor::zeros({gates});
    bias_hh = config.bias ? add_random(weights, random, "bias_hh_" + place, {gates}) : Tensor::zeros({gates});
  }

  static Vector affine(const Tensor& weight, const Tensor& bias, const Vector& x) {
    Vector y;
    for (int row = 0; row < weight.axis(0); ++row) {
      Sum sum;
      for (std::size_t i = 0; i < x.size(); ++i) sum.add(weight.matrix().row(row)[i], x[i]);
      y.push_back(sum.value + bias.data()[row]);
    }
    return y;
  }

  void step(const Vector& input, Vector& h, Vector& c) const {
    const Vector x = affine(weight_ih, bias_ih, input), u = affine(weight_hh, bias_hh, h);
    const std::size_t size = h.size();
    for (std::size_t i = 0; i < size; ++i) {
      const auto sum = [&](std::size_t gate) { return x[gate * size + i] + u[gate * size + i]; };
      if (kind == CellKind::kGru) {
        const double r = sigmoid(sum(0)), z = sigmoid(sum(1));
        const double n = std::tanh(x[2 * size + i] + r * u[2 * size + i]);
        h[i] = (1 - z) * n + z * h[i];
      } else {
        c[i] = sigmoid(sum(1)) * c[i] + sigmoid(sum(0)) * std::tanh(sum(2));
        h[i] = sigmoid(sum(3)) * std::tanh(c[i]);
      }
    }
  }
};

struct LayersTwin {
  RecurrentLayersConfig config;
  std::vector<CellTwin> cells;

  LayersTwin(Weights& weights, Random& random, const RecurrentLayersConfig& given) : config(given) {
    for (int layer = 0; layer < config.num_layers; ++layer) {
      const int input = layer == 0 ? config.input_size : config.output_size();
      const CellConfig cell = {config.cell, input, config.hidden_size, config.bias};
      cells.emplace_back(weights, random, cell, concat("l", layer));
      if (config.bidirectional) cells.emplace_back(weights, random, cell, concat("l", layer, "_reverse"));
    }
  }

  // One sequence: x a vector a step, and h and c of all layers and directions in place -> what comes out at each step.
  std::vector<Vector> run(std::vector<Vector> x, std::vector<Vector>& h, std::vector<Vector>& c) const {
    const int directions = config.directions();
    for (int layer = 0; layer < config.num_layers; ++layer) {
      std::vector<Vector> out(x.size());
      for (int direction = 0; direction < directions; ++direction) {
        const auto index = static_cast<std::size_t>(layer * directions + direction);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::size_t step = direction == 0 ? i : x.size() - 1 - i;
          cells[index].step(x[step], h[index], c[index]);
          out[step].insert(out[step].end(), h[index].begin(), h[index].end());
        }
      }
      x = std::move(out);
    }
    return x;
  }
};

RecurrentLayersConfig random_layers(Random& random) {
  RecurrentLayersConfig config;
  config.cell = random_int(random, 0, 1) ? CellKind::kGru : CellKind::kLstm;
  config.input_size = random_int(random, 1, 20);
  config.hidden_size = random_int(random, 1, 40);
  config.num_layers = random_int(random, 1, 3);
  config.bidirectional = random_int(random, 0, 1) == 1;
  config.bias = random_int(random, 0, 3) > 0;
  return config;
}

// Inputs whose padding is NaN, and whose states before the first step are anything.
struct Case {
  int batch, time;
  std::vector<int> lengths;
  Tensor x, hidden, cell;

  Case(Random& random, const RecurrentLayersConfig& config)
      : batch(random_int(random, 1, 6)), time(random_int(random, 1, 9)) {
    for (int row = 0; row < batch; ++row) lengths.push_back(random_int(random, 0, time));
    x = random_tensor(random, {batch, time, config.input_size});
    for (int row = 0; row < batch; ++row) {
      for (int t = lengths[static_cast<std::size_t>(row)]; t < time; ++t) {
        std::fill_n(x.matrix().row(row * time + t), config.input_size, std::numeric_limits<float>::quiet_NaN());
      }
    }
    hidden = random_tensor(random, {batch, config.state_size()});
    cell = random_tensor(random, {batch, config.state_size()});
  }
};

struct LayersResult {
  Tensor out, hidden, cell;
};

LayersResult run_layers(const RecurrentLayers& layers, const Case& given, Bench& bench) {
  LayersResult result = {Tensor({given.batch, given.time, layers.config().output_size()}), given.hidden.clone(),
                         given.cell.clone()};
  layers.forward({given.x.matrix(), given.batch, given.time, given.lengths}, result.out.matrix(),
                 {result.hidden.matrix(), result.cell.matrix()}, bench.workspace);
  return result;
}

// States are below 1 by construction, but a cell's, which grows by at most 1 a step. A gate's sum of n products of
// numbers below 9 is off by about n^2 eps at most; sigmoid and tanh pass on a share of it. What a step adds, the next
// ones carry on, since no weight is greater than 1: with gates of up to 40 numbers the bound below is never reached by
// far, while a gate in the wrong place is off by 0.1.
constexpr double kBound = 2e-4;

TEST(RecurrentLayersTest, MatchTheTwin) {
  Bench bench(2);
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const RecurrentLayersConfig config = random_layers(random);
    Weights weights;
    const LayersTwin twin(weights, random, config);
    const RecurrentLayers layers{WeightScope(weights), config};
    EXPECT_TRUE(weights.names().empty());
    const Case given(random, config);
    const LayersResult found = run_layers(layers, given, bench);
    for (int row = 0; row < given.batch; ++row) {
      const int length = given.lengths[static_cast<std::size_t>(row)];
      std::vector<Vector> x, h, c;
      for (int t = 0; t < length; ++t)
        x.push_back(as_doubles(given.x.matrix().row(row * given.time + t), config.input_size));
      for (std::size_t part = 0; part < twin.cells.size(); ++part) {
        const std::size_t at = part * static_cast<std::size_t>(config.hidden_size);
        h.push_back(as_doubles(given.hidden.matrix().row(row) + at, config.hidden_size));
        c.push_back(as_doubles(given.cell.matrix().row(row) + at, config.hidden_size));
      }
      const std::vector<Vector> out = twin.run(x, h, c);
      for (int t = 0; t < given.time; ++t) {
        for (int i = 0; i < config.output_size(); ++i) {
          const float actual = found.out.matrix().row(row * given.time + t)[i];
          if (t < length) {
            ASSERT_NEAR(actual, out[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)], kBound);
          } else {
            ASSERT_EQ(actual, 0.0f) << "beyond the sequence's length";
          }
        }
      }
      for (std::size_t i = 0; i < static_cast<std::size_t>(config.state_size()); ++i) {
        const auto part = i / static_cast<std::size_t>(config.hidden_size);
        const auto at = i % static_cast<std::size_t>(config.hidden_size);
        ASSERT_NEAR(found.hidden.matrix().row(row)[i], h[part][at], kBound);
        const bool is_lstm = config.cell == CellKind::kLstm;
        ASSERT_NEAR(found.cell.matrix().row(row)[i], is_lstm ? c[part][at] : given.cell.matrix().row(row)[i], kBound);
      }
    }
  }
}

TEST(RecurrentLayersTest, ASequenceIsTheSameBitsAloneAndInABatchOnAnyThreads) {
  Bench bench, threaded(3);
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    RecurrentLayersConfig config = random_layers(random);
    if (round % 8 == 0) config.hidden_size = 200;  // enough that threads share the work
    const Dtype dtype = round % 2 ? Dtype::kInt8 : Dtype::kF32;
    Weights weights = Weights::random(static_cast<std::uint64_t>(round), dtype);
    const RecurrentLayers layers{WeightScope(weights), config};
    const Case given(random, config);
    const LayersResult together = run_layers(layers, given, bench), shared = run_layers(layers, given, threaded);
    EXPECT_TRUE(same_bits(together.out, shared.out) && same_bits(together.hidden, shared.hidden) &&
                same_bits(together.cell, shared.cell));
    for (int row = 0; row < given.batch; ++row) {
      const int length = given.lengths[static_cast<std::size_t>(row)];
      Tensor out({length, config.output_size()}), hidden({1, config.state_size()}), cell({1, config.state_size()});
      std::copy_n(given.hidden.matrix().row(row), config.state_size(), hidden.data());
      std::copy_n(given.cell.matrix().row(row), config.state_size(), cell.data());
      layers.forward({given.x.matrix().row_range(row * given.time, length), 1, length}, out.matrix(),
                     {hidden.matrix(), cell.matrix()}, bench.workspace);
      EXPECT_TRUE(same_bits(out.matrix(), together.out.matrix().row_range(row * given.time, length)));
      EXPECT_TRUE(same_bits(hidden.matrix(), together.hidden.matrix().row_range(row, 1)));
      EXPECT_TRUE(same_bits(cell.matrix(), together.cell.matrix().row_range(row, 1)));
    }
  }
}

TEST(RecurrentLayersTest, StepsAreTheSameBitsAsTheWholeSequence) {
  Bench bench;
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    RecurrentLayersConfig config = random_layers(random);
    config.bidirectional = false;
    Weights weights = Weights::random(static_cast<std::uint64_t>(round));
    const RecurrentLayers layers{WeightScope(weights), config};
    Case given(random, config);
    given.x = random_tensor(random, {given.batch, given.time, config.input_size});
    given.lengths.clear();
    const LayersResult whole = run_layers(layers, given, bench);
    const CellState state = {given.hidden.matrix(), given.cell.matrix()};
    for (int t = 0; t < given.time; ++t) {
      const ConstView x = given.x.matrix();
      layers.step({x.row(t), given.batch, x.cols, x.stride * given.time}, state, bench.workspace);
      for (int row = 0; row < given.batch; ++row) {
        EXPECT_TRUE(same_bits(layers.top_of(state.hidden).row_range(row, 1),
                              whole.out.matrix().row_range(row * given.time + t, 1)));
      }
    }
    EXPECT_TRUE(same_bits(given.hidden, whole.hidden) && same_bits(given.cell, whole.cell));
  }
}

TEST(RecurrentLayersTest, AreThoseOfPyTorch) {
  Bench bench(2);
  for (const std::string name :
       {"gru", "gru_bidirectional", "gru_no_bias", "lstm", "lstm_bidirectional", "lstm_no_bias"}) {
    const Fixture fixture(name, "recurrent");
    const nlohmann::json args = fixture.json("config.json");
    const RecurrentLayersConfig config = {cell_of(args),
                                          args["input_size"],
                                          args["hidden_size"],
                                          args.value("num_layers", 1),
                                          args.value("bidirectional", false),
                                          args.value("bias", true)};
    Weights weights = state_dict(fixture);
    const RecurrentLayers layers{WeightScope(weights), config};
    EXPECT_TRUE(weights.names().empty());
    const Tensor x = fixture.tensor("x");
    const std::vector<double> numbers = fixture.numbers("lengths");
    const std::vector<int> lengths(numbers.begin(), numbers.end());
    const bool is_lstm = config.cell == CellKind::kLstm;
    for (const std::string prefix : {"", "continued_"}) {
      // PyTorch: [layers * directions, batch, hidden]; here a row for each sequence.
      const auto state = [&](const std::string& what) {
        if (prefix.empty()) return Tensor::zeros({x.axis(0), config.state_size()});
        return swap_first_axes(fixture.tensor("first_" + what)).reshaped({x.axis(0), config.state_size()});
      };
      Tensor out({x.axis(0), x.axis(1), config.output_size()}), hidden = state("hidden"),
                                                                cell = is_lstm ? state("cell") : Tensor();
      layers.forward({x.matrix(), x.axis(0), x.axis(1), lengths}, out.matrix(),
                     {hidden.matrix(), is_lstm ? cell.matrix() : View{}}, bench.workspace);
      const auto expect_state = [&](const Tensor& actual, const std::string& what) {
        const Tensor expected = swap_first_axes(fixture.tensor(prefix + what));
        expect_near(actual.data(), as_doubles(expected.data(), static_cast<int>(expected.size())), 1e-5, name);
      };
      expect_near(out.data(), fixture.numbers(prefix + "output"), 1e-5, name);
      expect_state(hidden, "hidden");
      if (is_lstm) expect_state(cell, "cell");
    }
  }
}

TEST(RecurrentLayersTest, OfferWhatComesOutOfEachLayer) {
  Collector collector;
  Bench bench(1, &collector);
  Random random(4);
  const RecurrentLayersConfig config = {CellKind::kGru, 3, 5, 2, true, true};
  Weights weights = Weights::random(1);
  const RecurrentLayers layers{WeightScope(weights), config};
  const Case given(random, config);
  const LayersResult result = run_layers(layers, given, bench);
  EXPECT_EQ(collector.recorded.at("layers.0.output").shape(), (Shape{given.batch, given.time, 10}));
  EXPECT_TRUE(same_bits(collector.recorded.at("layers.1.output"), result.out));
}

TEST(RecurrentLayersTest, RandomWeightsHaveNoBiases) {
  Weights weights = Weights::random(1);
  for (const char* name : {"encoder.gru.bias_ih_l0", "bias_hh_l2_reverse"}) {
    EXPECT_EQ(weights.take(name, {3}).data()[1], 0.0f) << name;
  }
}

TEST(RecurrentLayersTest, RefuseWhatDoesNotFit) {
  Bench bench;
  const auto construct = [](const RecurrentLayersConfig& config) {
    Weights weights = Weights::random(1);
    RecurrentLayers{WeightScope(weights), config};
  };
  EXPECT_THAT(message_of([&] { construct({CellKind::kGru, 0, 4}); }), HasSubstr("inputSize"));
  EXPECT_THAT(message_of([&] { construct({CellKind::kGru, 4, -1}); }), HasSubstr("hiddenSize"));
  EXPECT_THAT(message_of([&] { construct({CellKind::kGru, 4, 4, 0}); }), HasSubstr("numLayers"));
  EXPECT_EQ(code_of([&] { construct({CellKind::kGru, 4, 1 << 24, 1 << 24}); }), ErrorCode::kInvalidArgument);

  Weights wrong;
  add_tensor(wrong, "weight_ih_l0", {8, 4}, std::vector<float>(32));
  const Error error = error_of([&] { RecurrentLayers(WeightScope(wrong), {CellKind::kGru, 4, 2}); });
  EXPECT_EQ(error.code(), ErrorCode::kBadCheckpoint);
  EXPECT_THAT(error.what(), HasSubstr("[6, 4]"));

  Weights weights = Weights::random(1);
  const RecurrentLayers layers{WeightScope(weights), {CellKind::kLstm, 4, 3}};
  const auto run = [&](const Shape& x_shape, const Shape& state_shape, std::vector<int> lengths) {
    return message_of([&] {
      Tensor x = Tensor::zeros(x_shape), hidden = Tensor::zeros(state_shape), cell = Tensor::zeros(state_shape);
      Tensor out({2, 5, 3});
      layers.forward({x.matrix(), 2, 5, lengths}, out.matrix(), {hidden.matrix(), cell.matrix()}, bench.workspace);
    });
  };
  EXPECT_THAT(run({2, 5, 3}, {2, 3}, {}), HasSubstr("x must be 4 wide, got 3"));
  EXPECT_THAT(run({2, 4, 4}, {2, 3}, {}), HasSubstr("2 sequences of 5 steps, got 8 rows"));
  EXPECT_THAT(run({2, 5, 4}, {2, 4}, {}), HasSubstr("hidden must hold 3 numbers"));
  EXPECT_THAT(run({2, 5, 4}, {1, 3}, {}), HasSubstr("each of the 2 sequences"));
  EXPECT_THAT(run({2, 5, 4}, {2, 3}, {5}), HasSubstr("a length for each of the 2"));
  EXPECT_THAT(run({2, 5, 4}, {2, 3}, {5, 6}), HasSubstr("got 6"));
  EXPECT_THAT(run({2, 5, 4}, {2, 3}, {-1, 5}), HasSubstr("got -1"));
  Weights both_ways = Weights::random(1);
  const RecurrentLayers bidirectional{WeightScope(both_ways), {CellKind::kGru, 4, 3, 1, true}};
  EXPECT_THAT(message_of([&] { bidirectional.step({}, {}, bench.workspace); }), HasSubstr("whole sequences"));
}

}  // namespace
}  // namespace transformer
