#include "transformer/transformer.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer {

Transformer::Transformer(Weights& weights, const TransformerConfig& config) : config_(config) {
  validate(config);
  const WeightScope scope(weights);
  const int d_model = config.d_model();

  SharedMatrix source;
  SharedMatrix target;
  if (config.share_embeddings) {
    source = target = take_matrix(scope / "embedding", "weight", config.encoder.vocab, d_model);
  } else {
    const auto own_table = [&](const char* stack, int vocab) {
      return vocab > 0 ? take_matrix(scope / stack / "embedding", "weight", vocab, d_model) : nullptr;
    };
    source = own_table("encoder", config.encoder.vocab);
    target = own_table("decoder", config.decoder.vocab);
  }
  if (config.encoder.num_layers > 0) encoder_.emplace(scope / "encoder", config, source);
  if (config.decoder.num_layers > 0) decoder_.emplace(scope / "decoder", config, target);
  if (!config.pooler.steps.empty()) pooler_.emplace(scope / "pooler", config.pooler, d_model);
  if (!config.head.steps.empty()) head_.emplace(scope / "head", config.head, d_model);
  if (config.output_vocab > 0) {
    const WeightScope at = scope / "projection";
    Tensor bias = config.projection_bias ? at.take("bias", {config.output_vocab}) : Tensor();
    const SharedMatrix& table = decoder_ ? target : source;
    projection_.emplace(at.name(),
                        config.tie_embeddings ? table : take_matrix(at, "weight", config.output_vocab, d_model),
                        std::move(bias));
  }
  parameter_count_ = weights.parameters_taken();
}

void Transformer::project(ConstView hidden, View logits, Workspace& workspace) const {
  if (config_.projection_scale == 1.0f) return projection_->forward(hidden, logits, workspace);
  const Arena::Scope scope(workspace.arena);
  const View scaled = workspace.arena.take(hidden.rows, hidden.cols);
  for (int row = 0; row < hidden.rows; ++row) {
    std::copy_n(hidden.row(row), hidden.cols, scaled.row(row));
    scale_row(scaled.row(row), hidden.cols, config_.projection_scale);
  }
  projection_->forward(scaled, logits, workspace);
}

}  // namespace transformer
