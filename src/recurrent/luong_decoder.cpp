#include "recurrent/luong_decoder.h"

#include <algorithm>

#include "kernels/activation.h"

namespace transformer {

LuongDecoder::LuongDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding)
    : RecurrentDecoder(scope, config, std::move(embedding)),
      readout_(scope / "readout", config.encoder_layers().output_size() + config.hidden_size, config.d_readout, true) {}

void LuongDecoder::initialise(RecurrentDecoderState& state, Workspace&) const {
  const RecurrentMemory& memory = state.memory();
  const CellState cells = state.cells();
  const int rows_each = state.rows() / static_cast<int>(memory.lengths.size());
  for (int row = 0; row < state.rows(); ++row) {
    const int source = row / rows_each;
    std::copy_n(memory.hidden.matrix().row(source), cells.hidden.cols, cells.hidden.row(row));
    if (cells.cell.cols > 0) std::copy_n(memory.cell.matrix().row(source), cells.cell.cols, cells.cell.row(row));
  }
}

void LuongDecoder::run(std::span<const int> tokens, RecurrentDecoderState& state, Pass& pass,
                       Workspace& workspace) const {
  const int rows = pass.readout.rows;
  const int key_size = readout_.in_features() - config_.hidden_size;
  const View input = workspace.arena.take(rows, layers_.config().input_size);  // [E y_(t-1); h~_(t-1)]
  const View joined = workspace.arena.take(rows, readout_.in_features());      // [c_t; h_t]
  const View fed = input.column_range(config_.d_embedding, config_.d_readout);
  const View top = joined.column_range(key_size, config_.hidden_size);
  pass.hidden = workspace.arena.take(rows, layers_.config().state_size());
  pass.embedded = input.column_range(0, config_.d_embedding);
  pass.alignment.context = joined.column_range(0, key_size);

  embedding_.forward(tokens, pass.embedded);
  const CellState cells = state.cells();
  for (int step = 0; step < pass.time; ++step) {
    copy_rows(state.fed(), pass.at(fed, step));
    layers_.step(pass.at(input, step), cells, workspace);
    copy_rows(cells.hidden, pass.at(pass.hidden, step));
    copy_rows(layers_.top_of(cells.hidden), pass.at(top, step));
    attend(pass.at(top, step), pass, step, workspace);
    readout_.forward(pass.at(joined, step), pass.at(pass.readout, step), workspace, Activation::kTanh);
    copy_rows(pass.at(pass.readout, step), state.fed());
  }
}

}  // namespace transformer
