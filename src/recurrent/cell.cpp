#include "recurrent/cell.h"

#include "kernels/gates.h"

namespace transformer {

namespace {

constexpr double kWorkOfGates = 50;  // for each element of the state, in multiply-adds

// Takes weight_<name> and bias_<name>.
Linear take_linear(const WeightScope& scope, const std::string& name, int in_features, const CellConfig& config) {
  const int out_features = (config.kind == CellKind::kGru ? 3 : 4) * config.hidden_size;
  SharedMatrix weight = scope.take_matrix("weight_" + name, out_features, in_features);
  return Linear(name, std::move(weight), config.bias ? scope.take("bias_" + name, {out_features}) : Tensor());
}

}  // namespace

RecurrentCell::RecurrentCell(const WeightScope& scope, const CellConfig& config, std::string_view place)
    : kind_(config.kind),
      input_(take_linear(scope, concat("ih_", place), config.input_size, config)),
      hidden_(take_linear(scope, concat("hh_", place), config.hidden_size, config)) {}

void RecurrentCell::read(ConstView x, View gates, Workspace& workspace) const { input_.forward(x, gates, workspace); }

void RecurrentCell::step(ConstView gates, const CellState& state, Workspace& workspace) const {
  const Arena::Scope scratch(workspace.arena);
  const View hidden = state.hidden;
  const View own = workspace.arena.take(hidden.rows, gates_size());  // what the state says to the gates
  hidden_.forward(hidden, own, workspace);
  const double work = kWorkOfGates * hidden.elements();
  workspace.threads.parallel_for(hidden.rows, work, [&](int row, int) {
    if (kind_ == CellKind::kGru) {
      gru_gates(gates.row(row), own.row(row), hidden.row(row), hidden.cols);
    } else {
      lstm_gates(gates.row(row), own.row(row), state.cell.row(row), hidden.row(row), hidden.cols);
    }
  });
}

}  // namespace transformer
