// A stack of encoder layers, from tokens to the memory that the decoder attends to.
#pragma once

#include <vector>

#include "transformer/encoder_layer.h"
#include "transformer/input.h"

namespace transformer {

class Encoder {
 public:
  // scope: layers.0, layers.1, ..., norm where there is one, relative_bias for that scheme, and the input layer's
  Encoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  // sequences -> memory [batch * time, d_model]. mask: padding, bias, causal as the caller wants them.
  // Probes, all below "encoder": embeddings, layers.i.self_attn.weights, layers.i.output, output (after the final
  // norm).
  void forward(const Sequences& sequences, Mask mask, View memory, Workspace& workspace) const;

 private:
  InputLayer input_;
  std::optional<PositionBias> position_bias_;
  std::vector<EncoderLayer> layers_;
  std::optional<Norm> norm_;
};

// What both stacks build from the position scheme.
std::optional<PositionBias> make_position_bias(const WeightScope& scope, const TransformerConfig& config, int num_heads,
                                               bool bidirectional);
std::shared_ptr<const RotaryEmbedding> make_rotary(const TransformerConfig& config, int d_head);

}  // namespace transformer
