// Recurrent layers over whole tensors, with or without the batch axis, in PyTorch's shapes.
#pragma once

#include "recurrent/recurrent_layers.h"

namespace transformer {

struct RecurrentLayersCall {
  Tensor x;                       // [batch, time, input_size]
  std::vector<int> lengths = {};  // [batch]; none: all of `time`
  Tensor hidden = {};             // [num_layers * directions, batch, hidden_size]; empty: zeros
  Tensor cell = {};               // the same, of an LSTM
};

// hidden and cell are those after each sequence's last step, in the same shapes.
struct RecurrentLayersResult {
  Tensor output;  // [batch, time, directions * hidden_size], zeros beyond a sequence's length
  Tensor hidden;
  Tensor cell;  // empty for a GRU
};

// invalid_argument, in the user's names, for shapes and lengths that do not fit.
RecurrentLayersResult run_layers(const RecurrentLayers& layers, const RecurrentLayersCall& call, Workspace& workspace);

}  // namespace transformer
