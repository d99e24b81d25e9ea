// GRU and LSTM, and the encoder-decoders of Bahdanau and Luong, of any config and with any inputs: an error, or results
// that are the same on two threads.
#include "fuzzed.h"
#include "recurrent/layers_pass.h"
#include "recurrent/model_pass.h"

namespace transformer::fuzz {
namespace {

// Calls `pass` with one and with two threads; it returns a list of tensors.
void require_same_on_two_threads(const auto& pass) {
  static ThreadPool one(1), two(2);
  Arena arena;
  Workspace alone{arena, one}, shared{arena, two};
  const auto expected = pass(alone), actual = pass(shared);
  for (std::size_t i = 0; i < expected.size(); ++i) require_same_bits(expected[i], actual[i]);
}

std::vector<int> lengths_from(Data& data, int batch, int time) {
  std::vector<int> lengths;
  if (data.ConsumeBool()) return lengths;
  for (int i = 0; i < batch; ++i) lengths.push_back(data.ConsumeIntegralInRange(0, time));
  if (data.ConsumeIntegralInRange(0, 7) == 7) lengths.push_back(size_from(data));
  return lengths;
}

void layers(Data& data) {
  RecurrentLayersConfig config = {enum_from<CellKind>(data), size_from(data, 6), size_from(data, 9),
                                  size_from(data, 3),        data.ConsumeBool(), data.ConsumeBool()};
  const double width = 1.0 * config.hidden_size + config.input_size;
  require(width * config.hidden_size * config.num_layers < 1e5, "too large for a fuzzer");
  Weights weights = weights_from(data);
  const RecurrentLayers layers{WeightScope(weights), config};
  const int batch = data.ConsumeIntegralInRange(0, 4), time = data.ConsumeIntegralInRange(0, 6);
  Shape shape = {batch, time, data.ConsumeIntegralInRange(0, 15) == 15 ? size_from(data) : config.input_size};
  if (data.ConsumeIntegralInRange(0, 3) == 3) shape.erase(shape.begin());
  RecurrentLayersCall call = {tensor_from(data, shape), lengths_from(data, batch, time)};
  const auto state = [&] {
    const int parts = config.num_layers * config.directions();
    if (data.ConsumeBool()) return Tensor();
    if (data.ConsumeIntegralInRange(0, 15) == 15) return tensor_from(data, shape_from(data));
    return tensor_from(data, {parts, batch, config.hidden_size});
  };
  call.hidden = state();
  if (config.cell == CellKind::kLstm || data.ConsumeIntegralInRange(0, 15) == 15) call.cell = state();
  require_same_on_two_threads([&](Workspace& workspace) {
    RecurrentLayersResult result = run_layers(layers, call, workspace);
    return std::to_array({std::move(result.output), std::move(result.hidden), std::move(result.cell)});
  });
}

RecurrentConfig config_from(Data& data) {
  RecurrentConfig config;
  config.design = enum_from<DecoderDesign>(data);
  config.cell = enum_from<CellKind>(data);
  config.source_vocab = size_from(data, 9);
  config.target_vocab = data.ConsumeBool() ? config.source_vocab : size_from(data, 9);
  config.d_embedding = size_from(data, 6);
  config.hidden_size = size_from(data, 6);
  config.num_layers = size_from(data, 2);
  config.bidirectional = data.ConsumeBool();
  config.score = enum_from<AlignmentScore>(data);
  config.d_attention = size_from(data, 5);
  config.window = size_from(data, 3);
  config.d_readout = data.ConsumeBool() ? config.d_embedding : size_from(data, 6);
  config.maxout = data.ConsumeBool();
  config.share_embeddings = data.ConsumeIntegralInRange(0, 3) == 3;
  config.tie_embeddings = data.ConsumeIntegralInRange(0, 3) == 3;
  config.projection_bias = data.ConsumeBool();
  return config;
}

std::vector<int> ids_from(Data& data, int count, int vocab) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  for (int& id : ids)
    id = data.ConsumeIntegralInRange(0, 31) == 31 ? size_from(data) : data.ConsumeIntegralInRange(0, vocab - 1);
  return ids;
}

void model(Data& data) {
  const RecurrentConfig config = config_from(data);
  validate(config);
  for (int size : {config.source_vocab, config.target_vocab, config.d_embedding, config.hidden_size, config.num_layers,
                   config.d_attention, config.d_readout})
    require(size <= 16, "too large for a fuzzer");
  Weights weights = weights_from(data);
  const RecurrentEncoderDecoder model(weights, config);
  const int batch = data.ConsumeIntegralInRange(0, 3);
  const int source_time = data.ConsumeIntegralInRange(0, 5), target_time = data.ConsumeIntegralInRange(0, 5);
  const std::vector<int> source = ids_from(data, batch * source_time, config.source_vocab);
  const std::vector<int> target = ids_from(data, batch * target_time, config.target_vocab);
  const std::vector<int> lengths = lengths_from(data, batch, source_time);
  require_same_on_two_threads([&](Workspace& workspace) {
    RecurrentPassOutput output =
        run_pass(model, {{source, batch, source_time, lengths}, target, target_time}, workspace);
    return std::to_array({std::move(output.logits), std::move(output.memory)});
  });
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] { data.ConsumeBool() ? layers(data) : model(data); });
  return 0;
}
