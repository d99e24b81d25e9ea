// A stack of encoder layers, from tokens to the memory that the decoder attends to.
#pragma once

#include <vector>

#include "transformer/encoder_layer.h"
#include "transformer/input.h"

namespace transformer {

class Encoder {
 public:
  // scope: layers.0, layers.1, ..., norm where there is one, what the position scheme has, and the input layer's
  Encoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  // sequences -> memory [batch * time, d_model]. mask: padding, bias, causal as the caller wants them.
  // Observable, all below "encoder": embeddings, what layers.i show, layers.i.output, output (after the final norm).
  void forward(const Sequences& sequences, Mask mask, View memory, Workspace& workspace) const;

 private:
  std::shared_ptr<const PositionScheme> positions_;
  InputLayer input_;
  std::vector<EncoderLayer> layers_;
  std::optional<Norm> norm_;
};

}  // namespace transformer
