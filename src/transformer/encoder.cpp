#include "transformer/encoder.h"

namespace transformer {

std::optional<PositionBias> make_position_bias(const WeightScope& scope, const TransformerConfig& config, int num_heads,
                                               bool bidirectional) {
  switch (config.positions) {
    case Positions::kAlibi: return PositionBias::alibi(num_heads);
    case Positions::kRelative:
      return PositionBias::relative(scope / "relative_bias", num_heads,
                                    {config.relative_buckets, config.relative_max_distance, bidirectional});
    default: return std::nullopt;
  }
}

std::shared_ptr<const RotaryEmbedding> make_rotary(const TransformerConfig& config, int d_head) {
  if (config.positions != Positions::kRotary) return nullptr;
  return std::make_shared<const RotaryEmbedding>(config.max_length, d_head, config.rotary_base, config.rotary_layout);
}

Encoder::Encoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : input_(scope, config, config.encoder, std::move(embedding)),
      position_bias_(make_position_bias(scope, config, config.encoder.layer.num_heads, true)) {
  const LayerConfig& layer = config.encoder.layer;
  const auto rotary = make_rotary(config, layer.d_head);
  for (int i = 0; i < config.encoder.num_layers; ++i) layers_.emplace_back(scope / "layers" / i, layer, rotary);
  if (config.encoder.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
}

void Encoder::forward(const Sequences& sequences, Mask mask, View memory, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const ProbeScope stack(workspace, "encoder");
  const std::initializer_list<int> shape = {sequences.batch, sequences.time, memory.cols};
  input_.forward(sequences, std::vector<int>(static_cast<std::size_t>(sequences.batch), 0), memory, workspace);
  workspace.offer("embeddings", memory, shape);
  if (position_bias_) mask.relative = position_bias_->table(sequences.time, workspace.arena);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const ProbeScope probe(workspace, "layers", static_cast<int>(i));
    layers_[i].forward(memory, sequences.batch, mask, workspace);
    workspace.offer("output", memory, shape);
  }
  if (norm_) norm_->forward(memory, memory, workspace);
  workspace.offer("output", memory, shape);
}

}  // namespace transformer
