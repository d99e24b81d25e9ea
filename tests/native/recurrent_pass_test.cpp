// Passes of recurrent layers and models over whole tensors, in PyTorch's shapes and against its results.
#include <gmock/gmock.h>

#include <algorithm>

#include "recurrent/layers_pass.h"
#include "recurrent/model_pass.h"
#include "support/bench.h"
#include "support/errors.h"
#include "support/naive.h"
#include "support/recurrent.h"

namespace transformer {
namespace {

using namespace testing;
using ::testing::HasSubstr;

template <class T>
std::vector<T> integers(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST(RecurrentPassTest, StatesHaveTheShapesOfPyTorch) {
  Bench bench(2);
  for (const std::string name : {"gru_bidirectional", "lstm_bidirectional", "lstm_no_bias"}) {
    SCOPED_TRACE(name);
    const Fixture fixture(name, "recurrent");
    const nlohmann::json args = fixture.json("config.json");
    Weights weights = state_dict(fixture);
    const RecurrentLayersConfig config = {cell_of(args),
                                          args["input_size"],
                                          args["hidden_size"],
                                          args["num_layers"],
                                          args.value("bidirectional", false),
                                          args.value("bias", true)};
    const RecurrentLayers layers{WeightScope(weights), config};
    const bool is_lstm = config.cell == CellKind::kLstm;
    RecurrentLayersCall call = {fixture.tensor("x"), integers<int>(fixture.numbers("lengths")),
                                fixture.tensor("first_hidden"), is_lstm ? fixture.tensor("first_cell") : Tensor()};
    const RecurrentLayersResult result = run_layers(layers, call, bench.workspace);
    EXPECT_EQ(result.hidden.shape(), call.hidden.shape());
    expect_near(result.output.data(), fixture.numbers("continued_output"), 1e-5, "output");
    expect_near(result.hidden.data(), fixture.numbers("continued_hidden"), 1e-5, "hidden");
    EXPECT_EQ(result.cell.empty(), !is_lstm);
    if (is_lstm) expect_near(result.cell.data(), fixture.numbers("continued_cell"), 1e-5, "cell");

    call.hidden = Tensor::zeros({1, 4, config.hidden_size});
    EXPECT_THAT(message_of([&] { run_layers(layers, call, bench.workspace); }),
                HasSubstr("hidden must have the shape"));
  }
}

TEST(RecurrentPassTest, TheBatchAxisIsOptional) {
  Bench bench;
  Weights weights = Weights::random(1);
  const RecurrentLayers layers{WeightScope(weights), {CellKind::kLstm, 3, 4, 2, true}};
  const RecurrentLayersResult result = run_layers(layers, {.x = Tensor::zeros({5, 3})}, bench.workspace);
  EXPECT_EQ(result.output.shape(), (Shape{5, 8}));
  EXPECT_EQ(result.hidden.shape(), (Shape{4, 4}));
  EXPECT_EQ(result.cell.shape(), (Shape{4, 4}));
  EXPECT_THAT(message_of([&] { run_layers(layers, {.x = Tensor::zeros({3})}, bench.workspace); }),
              HasSubstr("x must have the shape [batch, time, 3], got [3]"));
}

TEST(RecurrentPassTest, LogitsAndMemoryOfAModel) {
  Bench bench(2);
  const Fixture fixture("luong_local", "recurrent");
  Weights weights = state_dict(fixture);
  const RecurrentEncoderDecoder model(weights, recurrent_config_of(fixture.json("config.json")));
  const Tensor source = fixture.tensor("source"), target = fixture.tensor("target");
  const std::vector<int> ids = integers<int>(fixture.numbers("source")),
                         tokens = integers<int>(fixture.numbers("target"));
  const int batch = source.axis(0), time = source.axis(1);
  std::vector<int> lengths;
  for (int row = 0; row < batch; ++row) {
    lengths.push_back(static_cast<int>(
        std::count_if(ids.begin() + row * time, ids.begin() + (row + 1) * time, [](int id) { return id != 0; })));
  }
  const RecurrentPassOutput output =
      run_pass(model, {{ids, batch, time, lengths}, tokens, target.axis(1)}, bench.workspace);
  const std::vector<double> expected = fixture.numbers("logits");
  expect_near(output.logits.data(), expected, 2e-5 * std::max(1.0, largest(expected)), "logits");
  expect_near(output.memory.data(), fixture.numbers("memory"), 1e-5, "memory");
}

}  // namespace
}  // namespace transformer
