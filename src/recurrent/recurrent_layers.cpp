#include "recurrent/recurrent_layers.h"

#include <algorithm>

namespace transformer {

namespace {

void validate(const RecurrentLayersConfig& config) {
  require(config.input_size > 0 && config.input_size <= kMaxRecurrentSize, "inputSize must be positive, got ",
          config.input_size);
  require(config.hidden_size > 0 && config.hidden_size <= kMaxRecurrentSize, "hiddenSize must be positive, got ",
          config.hidden_size);
  require(config.num_layers > 0 && config.num_layers <= kMaxRecurrentSize / (2 * config.hidden_size),
          "numLayers must be positive, got ", config.num_layers);
}

// One direction of one layer over packed rows: x -> out, from the state to the state.
struct DirectionRun {
  const RecurrentCell& cell;
  const PackedSequences& sequences;
  bool is_reverse;
};

void run(const DirectionRun& direction, ConstView x, View out, const CellState& state, Workspace& workspace) {
  const Arena::Scope scratch(workspace.arena);
  const PackedSequences& sequences = direction.sequences;
  const View gates = workspace.arena.take(x.rows, direction.cell.gates_size());
  direction.cell.read(x, gates, workspace);

  const auto sorted = [&](View given) {
    if (!given.data) return given;
    const View rows = workspace.arena.take(given.rows, given.cols);
    sequences.sort(given, rows);
    return rows;
  };
  const View hidden = sorted(state.hidden);
  const View cell = sorted(state.cell);
  for (int i = 0; i < sequences.steps(); ++i) {
    const int step = direction.is_reverse ? sequences.steps() - 1 - i : i;
    const View step_out = sequences.at(out, step);
    // Rows beyond these have ended and keep their state or, in reverse, have not begun.
    const int active = step_out.rows;
    const CellState running = {hidden.row_range(0, active), cell.data ? cell.row_range(0, active) : View{}};
    direction.cell.step(sequences.at(gates, step), running, workspace);
    for (int row = 0; row < active; ++row) std::copy_n(hidden.row(row), hidden.cols, step_out.row(row));
  }
  sequences.unsort(hidden, state.hidden);
  if (cell.data) sequences.unsort(cell, state.cell);
}

}  // namespace

RecurrentLayers::RecurrentLayers(const WeightScope& scope, const RecurrentLayersConfig& config) : config_(config) {
  validate(config);
  for (int layer = 0; layer < config.num_layers; ++layer) {
    const int input_size = layer == 0 ? config.input_size : config.output_size();
    const CellConfig cell = {config.cell, input_size, config.hidden_size, config.bias};
    cells_.emplace_back(scope, cell, concat("l", layer));
    if (config.bidirectional) cells_.emplace_back(scope, cell, concat("l", layer, "_reverse"));
  }
}

void RecurrentLayers::check_state(const CellState& state, int rows) const {
  const auto check = [&](const char* name, ConstView given) {
    require(given.rows == rows && given.cols == config_.state_size(), name, " must hold ", config_.state_size(),
            " numbers for each of the ", rows, " sequences, got ", given.rows, " x ", given.cols);
  };
  check("hidden", state.hidden);
  if (config_.cell == CellKind::kLstm) check("cell", state.cell);
}

CellState RecurrentLayers::part_of(const CellState& state, int index) const {
  const int size = config_.hidden_size;
  return {state.hidden.column_range(index * size, size),
          config_.cell == CellKind::kLstm ? state.cell.column_range(index * size, size) : View{}};
}

View RecurrentLayers::top_of(View hidden) const {
  return hidden.column_range(config_.state_size() - config_.output_size(), config_.output_size());
}

void RecurrentLayers::forward(const RecurrentInput& input, View out, const CellState& state,
                              Workspace& workspace) const {
  require(input.x.cols == config_.input_size, "x must be ", config_.input_size, " wide, got ", input.x.cols);
  require(input.x.rows == input.batch * input.time, "x must be ", input.batch, " sequences of ", input.time,
          " steps, got ", input.x.rows, " rows");
  check_state(state, input.batch);
  const PackedSequences sequences(input.batch, input.time, input.lengths);
  const Arena::Scope scratch(workspace.arena);
  View x = workspace.arena.take(sequences.rows(), config_.input_size);
  sequences.pack(input.x, x);
  const int directions = config_.directions();
  for (int layer = 0; layer < config_.num_layers; ++layer) {
    const PathScope part(workspace, "layers", layer);
    const View y = workspace.arena.take(sequences.rows(), config_.output_size());
    for (int direction = 0; direction < directions; ++direction) {
      const int index = layer * directions + direction;
      const View own = y.column_range(direction * config_.hidden_size, config_.hidden_size);
      run({cells_[static_cast<std::size_t>(index)], sequences, direction == 1}, x, own, part_of(state, index),
          workspace);
    }
    x = y;
    if (layer + 1 == config_.num_layers || workspace.wants("output")) sequences.unpack(x, out);
    workspace.offer("output", out, {input.batch, input.time, out.cols});
  }
}

void RecurrentLayers::step(ConstView x, const CellState& state, Workspace& workspace) const {
  require(!config_.bidirectional, "layers that read backwards too need whole sequences");
  require(x.cols == config_.input_size, "x must be ", config_.input_size, " wide, got ", x.cols);
  check_state(state, x.rows);
  const Arena::Scope scratch(workspace.arena);
  for (int layer = 0; layer < config_.num_layers; ++layer) {
    const PathScope part(workspace, "layers", layer);
    const RecurrentCell& cell = cells_[static_cast<std::size_t>(layer)];
    const View gates = workspace.arena.take(x.rows, cell.gates_size());
    cell.read(x, gates, workspace);
    const CellState own = part_of(state, layer);
    cell.step(gates, own, workspace);
    x = own.hidden;
  }
}

}  // namespace transformer
