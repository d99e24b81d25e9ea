// A stack of encoder layers: from tokens to the memory that the decoder attends to.
#pragma once

#include <vector>

#include "transformer/encoder_layer.h"
#include "transformer/input.h"

namespace transformer {

class Encoder {
 public:
  // scope: layers.0, layers.1, ..., norm (optional), and the tensors of the position scheme and of the input layer
  Encoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  // sequences -> memory [rows, d_model]. The position scheme's bias is added to the mask.
  // Observable, of sequences of one length, under "encoder": embeddings; per layer layers.i.output and what
  // EncoderLayer lists; output (after the final norm).
  void forward(const Sequences& sequences, Mask mask, View memory, Workspace& workspace) const;

 private:
  StackPositions positions_;
  InputLayer input_;
  int num_layers_;
  std::vector<int> windows_;          // of each layer, or empty
  std::vector<EncoderLayer> layers_;  // of each layer, or of each group of layers
  std::optional<Norm> norm_;
};

}  // namespace transformer
