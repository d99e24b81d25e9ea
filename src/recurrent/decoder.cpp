#include "recurrent/decoder.h"

namespace transformer {

WeightScope layers_scope(const WeightScope& scope, CellKind cell) {
  return scope / (cell == CellKind::kGru ? "gru" : "lstm");
}

RecurrentDecoder::RecurrentDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding)
    : config_(config),
      embedding_(std::move(embedding), 1.0f),
      layers_(layers_scope(scope, config.cell), config.decoder_layers()),
      alignment_(scope / "attention", config.alignment()) {}

RecurrentDecoderState RecurrentDecoder::start(RecurrentMemory memory, int rows, Workspace& workspace) const {
  const PathScope stack(workspace, "decoder");
  const int batch = memory.states.axis(0);
  require(batch > 0 ? rows % batch == 0 : rows == 0, rows, " sequences cannot share ", batch, " sources");
  Tensor keys({batch, memory.states.axis(1), alignment_.keys_size()});
  {
    const PathScope part(workspace, "attention");
    alignment_.project_keys(memory.states.matrix(), keys.matrix(), workspace);
  }
  const int state_size = layers_.config().state_size();
  RecurrentDecoderState state(std::move(memory), std::move(keys),
                              {.rows = rows,
                               .hidden = state_size,
                               .cell = config_.cell == CellKind::kLstm ? state_size : 0,
                               .fed = config_.design == DecoderDesign::kLuong ? config_.d_readout : 0});
  if (rows > 0) initialise(state, workspace);
  return state;
}

void RecurrentDecoder::attend(ConstView queries, const Pass& pass, int step, Workspace& workspace) const {
  const PathScope part(workspace, "attention");
  const AlignmentResult& all = pass.alignment;
  alignment_.forward(queries, pass.memory,
                     {pass.at(all.weights, step), pass.at(all.context, step), pass.at(all.centers, step)}, workspace);
}

void RecurrentDecoder::forward(std::span<const int> tokens, RecurrentDecoderState& state, View readout,
                               Workspace& workspace) const {
  const int rows = state.rows();
  require(static_cast<std::size_t>(readout.rows) == tokens.size() && (rows == 0 || readout.rows % rows == 0),
          tokens.size(), " tokens cannot be shared by ", rows, " sequences");
  if (readout.rows == 0) return;
  const Arena::Scope scratch(workspace.arena);
  const PathScope stack(workspace, "decoder");
  const int time = readout.rows / rows;
  Pass pass = {.rows = rows, .time = time, .memory = state.attended(), .readout = readout};
  const int keys = pass.memory.time;
  pass.alignment.weights = workspace.arena.take(readout.rows, keys);
  pass.alignment.centers = workspace.arena.take(readout.rows, config_.window > 0 ? 1 : 0);
  run(tokens, state, pass, workspace);
  state.advance(time);

  workspace.offer("embeddings", pass.embedded, {rows, time, pass.embedded.cols});
  for (int layer = 0; layer < layers_.config().num_layers; ++layer) {
    const PathScope part(workspace, "layers", layer);
    const View own = pass.hidden.column_range(layer * config_.hidden_size, config_.hidden_size);
    workspace.offer("output", own, {rows, time, own.cols});
  }
  {
    const PathScope part(workspace, "attention");
    const AlignmentResult& found = pass.alignment;
    workspace.offer("weights", found.weights, {rows, 1, time, keys});
    workspace.offer("context", found.context, {rows, time, found.context.cols});
    if (config_.window > 0) workspace.offer("centers", found.centers, {rows, time});
  }
  workspace.offer("output", readout, {rows, time, readout.cols});
}

}  // namespace transformer
