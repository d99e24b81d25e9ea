// A recurrent cell, GRU or LSTM: reads one input and goes from one state to the next. PyTorch's names and gate order.
#pragma once

#include "base/names.h"
#include "layers/linear.h"

namespace transformer {

enum class CellKind { kGru, kLstm };

constexpr auto enum_names(CellKind) {
  return std::to_array<Named<CellKind>>({{"gru", CellKind::kGru}, {"lstm", CellKind::kLstm}});
}

struct CellConfig {
  CellKind kind = CellKind::kGru;
  int input_size = 0;
  int hidden_size = 0;
  bool bias = true;
};

// The state of cells, a row for each sequence.
struct CellState {
  View hidden = {};  // h [rows, hidden_size]
  View cell = {};    // c, the same, of an LSTM
};

class RecurrentCell {
 public:
  // scope: weight_ih_<place> [gates * hidden_size, input_size], weight_hh_<place> [gates * hidden_size, hidden_size],
  // bias_ih_<place> and bias_hh_<place> [gates * hidden_size] where there are any; place: "l0", "l0_reverse"
  RecurrentCell(const WeightScope& scope, const CellConfig& config, std::string_view place);

  int gates_size() const { return input_.out_features(); }  // all gates side by side

  // The inputs' part of the gates, W x + b, of as many steps as there are: x [rows, input_size] ->
  // gates [rows, gates_size()]
  void read(ConstView x, View gates, Workspace& workspace) const;

  // One step of the sequences that the rows are: gates of read() -> state in place.
  void step(ConstView gates, const CellState& state, Workspace& workspace) const;

 private:
  CellKind kind_;
  Linear input_;
  Linear hidden_;
};

}  // namespace transformer
