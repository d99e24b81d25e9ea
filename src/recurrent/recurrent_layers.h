// PyTorch's nn.GRU and nn.LSTM: layers of recurrent cells on top of each other, read in one direction or both
// (Schuster and Paliwal 1997).
#pragma once

#include <span>
#include <vector>

#include "base/fields.h"
#include "recurrent/cell.h"
#include "recurrent/packed_sequences.h"

namespace transformer {

// Of all that is side by side; far beyond any model, and no sum or small multiple of such numbers overflows.
constexpr int kMaxRecurrentSize = 1 << 24;

struct RecurrentLayersConfig {
  CellKind cell = CellKind::kGru;
  int input_size = 0;
  int hidden_size = 0;
  int num_layers = 1;
  bool bidirectional = false;
  bool bias = true;

  int directions() const { return bidirectional ? 2 : 1; }
  int output_size() const { return directions() * hidden_size; }
  // Of all layers and directions, side by side in this order: the columns of a CellState.
  int state_size() const { return num_layers * output_size(); }
};

constexpr auto fields_of(const RecurrentLayersConfig*) {
  return std::tuple{Field{"cell", &RecurrentLayersConfig::cell},
                    Field{"inputSize", &RecurrentLayersConfig::input_size},
                    Field{"hiddenSize", &RecurrentLayersConfig::hidden_size},
                    Field{"numLayers", &RecurrentLayersConfig::num_layers},
                    Field{"bidirectional", &RecurrentLayersConfig::bidirectional},
                    Field{"bias", &RecurrentLayersConfig::bias}};
}

// A batch of sequences, each of its own length.
struct RecurrentInput {
  ConstView x = {};  // [batch * time, input_size]; what lies beyond a sequence's length is never read
  int batch = 0;
  int time = 0;
  std::span<const int> lengths = {};  // [batch]; none: all of `time`
};

class RecurrentLayers {
 public:
  // scope: the weights of the cells l0, l0_reverse, l1, ...
  RecurrentLayers(const WeightScope& scope, const RecurrentLayersConfig& config);

  const RecurrentLayersConfig& config() const { return config_; }

  // out [batch * time, output_size()]: the states of the last layer, forward beside reverse, zeros beyond a sequence's
  // length. The reverse direction begins at each sequence's own last step. out overlaps neither input nor state.
  // state [batch, state_size()] in place: before the first step, and after the last one of each sequence. No cell state
  // for a GRU.
  // Offers layers.i.output.
  void forward(const RecurrentInput& input, View out, const CellState& state, Workspace& workspace) const;

  // One step of every sequence, where they are read forward alone: x [rows, input_size], state in place. What comes out
  // is the last layer's part of it, top_of(state.hidden).
  void step(ConstView x, const CellState& state, Workspace& workspace) const;

  View top_of(View hidden) const;

 private:
  void check_state(const CellState& state, int rows) const;
  // The columns of one layer and direction.
  CellState part_of(const CellState& state, int index) const;

  RecurrentLayersConfig config_;
  std::vector<RecurrentCell> cells_;  // layer by layer, forward before reverse
};

}  // namespace transformer
