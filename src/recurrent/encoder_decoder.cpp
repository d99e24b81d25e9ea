#include "recurrent/encoder_decoder.h"

#include <algorithm>

#include "recurrent/make_decoder.h"

namespace transformer {

RecurrentEncoder::RecurrentEncoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding)
    : embedding_(std::move(embedding), 1.0f), layers_(layers_scope(scope, config.cell), config.encoder_layers()) {}

RecurrentMemory RecurrentEncoder::forward(const RecurrentSource& source, Workspace& workspace) const {
  const Arena::Scope scratch(workspace.arena);
  const PathScope stack(workspace, "encoder");
  const auto [ids, batch, time, lengths] = source;
  require(ids.size() == static_cast<std::size_t>(batch) * static_cast<std::size_t>(time), "expected ", batch, " x ",
          time, " token ids, got ", ids.size());
  RecurrentMemory memory;
  memory.lengths.assign(static_cast<std::size_t>(batch), time);
  if (!lengths.empty()) memory.lengths.assign(lengths.begin(), lengths.end());
  check_lengths(memory.lengths, batch, time);

  const RecurrentLayersConfig& layers = layers_.config();
  const View x = workspace.arena.take(batch * time, layers.input_size);
  embed(ids, memory.lengths, x);
  workspace.offer("embeddings", x, {batch, time, x.cols});
  memory.states = Tensor({batch, time, layers.output_size()});
  memory.hidden = Tensor::zeros({batch, layers.state_size()});
  if (layers.cell == CellKind::kLstm) memory.cell = Tensor::zeros({batch, layers.state_size()});
  const CellState state = {memory.hidden.matrix(), memory.cell.empty() ? View{} : memory.cell.matrix()};
  layers_.forward({x, batch, time, memory.lengths}, memory.states.matrix(), state, workspace);
  workspace.offer("output", memory.states.matrix(), {batch, time, layers.output_size()});
  return memory;
}

void RecurrentEncoder::embed(std::span<const int> ids, std::span<const int> lengths, View x) const {
  const int time = lengths.empty() ? 0 : x.rows / static_cast<int>(lengths.size());
  for (int begin = 0; int length : lengths) {
    embedding_.forward(ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)),
                       x.row_range(begin, length));
    for (int row = begin + length; row < begin + time; ++row) std::fill_n(x.row(row), x.cols, 0.0f);
    begin += time;
  }
}

RecurrentEncoderDecoder::RecurrentEncoderDecoder(Weights& weights, const RecurrentConfig& config) : config_(config) {
  validate(config);
  const WeightScope scope(weights);
  const auto table = [&](const WeightScope& at, int vocab) {
    return take_embedding(at / "embedding", vocab, config.d_embedding);
  };
  const SharedMatrix source = table(config.share_embeddings ? scope : scope / "encoder", config.source_vocab);
  const SharedMatrix target = config.share_embeddings ? source : table(scope / "decoder", config.target_vocab);
  encoder_.emplace(scope / "encoder", config, source);
  decoder_ = make_decoder(scope / "decoder", config, target);
  const WeightScope at = scope / "projection";
  SharedMatrix weight =
      config.tie_embeddings ? target : at.take_matrix("weight", config.target_vocab, config.d_readout);
  Tensor bias = config.projection_bias ? at.take("bias", {config.target_vocab}) : Tensor();
  projection_.emplace(at.name(), std::move(weight), std::move(bias));
  parameter_count_ = weights.parameters_taken();
}

}  // namespace transformer
