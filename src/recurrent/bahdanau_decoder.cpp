#include "recurrent/bahdanau_decoder.h"

#include <algorithm>

#include "kernels/activation.h"

namespace transformer {

namespace {

// out_j = max(x_2j, x_2j+1)
void maxout(ConstView x, View out) {
  for (int row = 0; row < out.rows; ++row) {
    const float* pairs = x.row(row);
    for (int j = 0; j < out.cols; ++j) out.row(row)[j] = std::max(pairs[2 * j], pairs[2 * j + 1]);
  }
}

}  // namespace

BahdanauDecoder::BahdanauDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding)
    : RecurrentDecoder(scope, config, std::move(embedding)),
      bridge_(scope / "bridge", config.hidden_size, config.hidden_size, true),
      readout_(scope / "readout", config.hidden_size + layers_.config().input_size,
               (config.maxout ? 2 : 1) * config.d_readout, true) {}

void BahdanauDecoder::initialise(RecurrentDecoderState& state, Workspace& workspace) const {
  const Arena::Scope scratch(workspace.arena);
  const int size = config_.hidden_size;
  const ConstView encoded = state.memory().hidden.matrix();
  const ConstView last = encoded.column_range(encoded.cols - size, size);  // of the last layer's last direction
  const View first = workspace.arena.take(last.rows, size);
  bridge_.forward(last, first, workspace, Activation::kTanh);
  const int rows_each = state.rows() / first.rows;
  for (int row = 0; row < state.rows(); ++row) {
    std::copy_n(first.row(row / rows_each), size, state.cells().hidden.row(row));
  }
}

void BahdanauDecoder::run(std::span<const int> tokens, RecurrentDecoderState& state, Pass& pass,
                          Workspace& workspace) const {
  // [s_i; E y_(i-1); c_i]: the cell reads the last two.
  const int read = layers_.config().input_size;
  const View joined = workspace.arena.take(pass.readout.rows, config_.hidden_size + read);
  const View input = joined.column_range(config_.hidden_size, read);
  pass.hidden = joined.column_range(0, config_.hidden_size);
  pass.embedded = input.column_range(0, config_.d_embedding);
  pass.alignment.context = input.column_range(config_.d_embedding, read - config_.d_embedding);

  embedding_.forward(tokens, pass.embedded);
  const CellState cells = state.cells();
  for (int step = 0; step < pass.time; ++step) {
    attend(cells.hidden, pass, step, workspace);
    layers_.step(pass.at(input, step), cells, workspace);
    copy_rows(cells.hidden, pass.at(pass.hidden, step));
  }
  if (!config_.maxout) return readout_.forward(joined, pass.readout, workspace, Activation::kTanh);
  const View pairs = workspace.arena.take(joined.rows, readout_.out_features());
  readout_.forward(joined, pairs, workspace);
  maxout(pairs, pass.readout);
}

}  // namespace transformer
