#include "layers/feed_forward.h"

#include <algorithm>

namespace transformer {

namespace {

// The inner activations [rows, d_ff] are made for this many rows at a time, so that they stay in the cache and their
// memory does not grow with the length.
constexpr int kRows = 256;

}  // namespace

FeedForward::FeedForward(const WeightScope& scope, const FeedForwardConfig& config)
    : activation_(config.activation),
      fc1_(scope / "fc1", config.d_model, config.d_ff, config.bias),
      fc2_(scope / "fc2", config.d_ff, config.d_model, config.bias) {
  if (config.gated) gate_.emplace(scope / "gate", config.d_model, config.d_ff, config.bias);
}

void FeedForward::forward(ConstView x, View out, Workspace& workspace, ConstView residual) const {
  const Arena::Scope scratch(workspace.arena);
  const int block = std::min(kRows, x.rows);
  const View hidden = workspace.arena.take(block, fc1_.out_features());
  const View gate = gate_ ? workspace.arena.take(block, fc1_.out_features()) : View{};
  for (int row = 0; row < x.rows; row += kRows) {
    const int rows = std::min(kRows, x.rows - row);
    const ConstView in = x.row_range(row, rows);
    const View inner = hidden.row_range(0, rows);
    if (gate_) {
      const View gates = gate.row_range(0, rows);
      fc1_.forward(in, inner, workspace);
      gate_->forward(in, gates, workspace);
      activate_gated(activation_, inner, gates);
    } else {
      fc1_.forward(in, inner, workspace, activation_);
    }
    fc2_.forward(inner, out.row_range(row, rows), workspace, Activation::kNone,
                 residual.data ? residual.row_range(row, rows) : ConstView{});
  }
}

}  // namespace transformer
