#include "layers/feed_forward.h"

#include <algorithm>

#include "kernels/activation.h"

namespace transformer {

namespace {

// The hidden activations [rows, d_ff] are computed in blocks of this many rows, so that they stay in the cache and
// their memory does not grow with the sequence.
constexpr int kBlockRows = 256;

}  // namespace

const FeedForwardConfig& checked(const FeedForwardConfig& config) {
  require(config.d_model > 0 && config.d_ff > 0, "dModel and dFf must be positive, got ", config.d_model, " and ",
          config.d_ff);
  return config;
}

FeedForward::FeedForward(const WeightScope& scope, const FeedForwardConfig& config)
    : activation_(checked(config).activation),
      fc1_(scope / "fc1", config.d_model, config.d_ff, config.bias),
      fc2_(scope / "fc2", config.d_ff, config.d_model, config.bias) {
  if (config.gated) gate_.emplace(scope / "gate", config.d_model, config.d_ff, config.bias);
}

void FeedForward::forward(ConstView x, const ResidualOutput& result, Workspace& workspace) const {
  const Arena::Scope scratch(workspace.arena);
  // All at once where somebody watches: what is offered is a whole tensor.
  const int block = std::min(workspace.is_watched() ? x.rows : kBlockRows, x.rows);
  const View hidden = workspace.arena.take(block, fc1_.out_features());
  const View gate = gate_ ? workspace.arena.take(block, fc1_.out_features()) : View{};
  for (int row = 0; row < x.rows; row += block) {
    const int rows = std::min(block, x.rows - row);
    const ConstView residual = result.residual;
    forward_rows(x.row_range(row, rows),
                 {result.out.row_range(row, rows), residual.data ? residual.row_range(row, rows) : ConstView{}},
                 hidden.row_range(0, rows), gate_ ? gate.row_range(0, rows) : gate, workspace);
  }
}

void FeedForward::forward_rows(ConstView x, const ResidualOutput& result, View hidden, View gate,
                               Workspace& workspace) const {
  if (gate_) {
    fc1_.forward(x, hidden, workspace);
    gate_->forward(x, gate, workspace);
    activate_gated(activation_, hidden, gate);
  } else {
    fc1_.forward(x, hidden, workspace, activation_);
  }
  workspace.offer("activations", hidden);
  fc2_.forward(hidden, result.out, workspace, Activation::kNone, result.residual);
}

}  // namespace transformer
