#include "transformer/encoder.h"

#include <algorithm>

namespace transformer {

Encoder::Encoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding)
    : positions_(config.encoder, scope, true),
      input_(scope, config.encoder, {std::move(embedding), config.embedding_scale}, positions_.main()),
      num_layers_(config.encoder.num_layers),
      windows_(config.encoder.windows) {
  const LayerConfig& layer = config.encoder.layer;
  const int groups = config.encoder.layer_groups;
  for (int i = 0; i < (groups > 0 ? groups : config.encoder.num_layers); ++i) {
    layers_.emplace_back(scope / "layers" / i, layer, positions_.of_layer(i), i > 0 || config.encoder.first_norm);
  }
  if (config.encoder.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
}

void Encoder::forward(const Sequences& sequences, Mask mask, View memory, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const PathScope stack(workspace, "encoder");
  const std::initializer_list<int> shape = {sequences.batch, sequences.time, memory.cols};
  workspace.start({});
  workspace.batch = std::max(1, sequences.batch);
  input_.forward(sequences, std::vector<int>(sequences.batch, 0), memory, workspace);
  workspace.offer("embeddings", memory, shape);
  for (int i = 0; i < num_layers_; ++i) {
    const PathScope path(workspace, "layers", i);
    if (i == 0 || positions_.main()->differs_by_layer()) {
      mask.distance = positions_.main()->score_bias(i, sequences.time, workspace.arena);
    }
    if (!windows_.empty()) mask.window = windows_[i];
    layers_[i * count_of(layers_) / num_layers_].forward(memory, sequences.segments(), mask, workspace);
    workspace.offer("output", memory, shape);
  }
  if (norm_) norm_->forward(memory, memory, workspace);
  workspace.offer("output", memory, shape);
}

}  // namespace transformer
