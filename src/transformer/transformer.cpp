#include "transformer/transformer.h"

namespace transformer {

Transformer::Transformer(Weights& weights, const TransformerConfig& config) : config_(config) {
  validate(config);
  const WeightScope scope(weights);
  const int d_model = config.layer.d_model;
  const bool encodes = config.num_encoder_layers > 0;
  const bool decodes = config.num_decoder_layers > 0;

  SharedMatrix source;
  SharedMatrix target;
  if (config.embeddings) {
    if (config.share_embeddings) {
      source = target = take_matrix(scope / "embedding", "weight", config.tgt_vocab, d_model);
    } else {
      if (encodes) source = take_matrix(scope / "encoder" / "embedding", "weight", config.src_vocab, d_model);
      if (decodes) target = take_matrix(scope / "decoder" / "embedding", "weight", config.tgt_vocab, d_model);
    }
  }
  if (encodes) encoder_.emplace(scope / "encoder", config, source);
  if (decodes) decoder_.emplace(scope / "decoder", config, target);
  if (config.projection) {
    const WeightScope at = scope / "projection";
    Tensor bias = config.projection_bias ? at.take("bias", {config.tgt_vocab}) : Tensor();
    const SharedMatrix& table = target ? target : source;
    projection_.emplace(config.tie_embeddings ? table : take_matrix(at, "weight", config.tgt_vocab, d_model),
                        std::move(bias));
  }
  parameter_count_ = weights.parameters_taken();
}

void Transformer::project(ConstView hidden, View logits, Workspace& workspace) const {
  projection_->forward(hidden, logits, workspace);
}

}  // namespace transformer
