#include "transformer/transformer.h"

namespace transformer {

Transformer::Transformer(Weights& weights, const TransformerConfig& config) : config_(config) {
  validate(config);
  weights.require_room(estimated_parameters(config));
  const WeightScope root(weights);
  const WeightScope scope = config.scope.empty() ? root : root / config.scope;
  const int d_model = config.d_model();

  if (config.has_front()) front_.emplace(scope / "front", config.front, config.memory_width());
  SharedMatrix source;
  SharedMatrix target;
  if (config.share_embeddings) {
    source = target = take_embedding(scope / "embedding", config.encoder.vocab, config.encoder.input_width());
  } else {
    const auto own_table = [&](const char* name, const StackConfig& stack) {
      return stack.vocab > 0 ? take_embedding(scope / name / "embedding", stack.vocab, stack.input_width()) : nullptr;
    };
    source = own_table("encoder", config.encoder);
    target = own_table("decoder", config.decoder);
  }
  if (config.encoder.num_layers > 0) encoder_.emplace(scope / "encoder", config, source);
  if (config.decoder.num_layers > 0) decoder_.emplace(scope / "decoder", config, target);
  if (config.pool.num_heads > 0) pool_.emplace(scope / "pool", config.pool, d_model);
  if (config.contrast.compares) contrast_.emplace(scope / "contrast", config.contrast);
  if (is_there(config.pooler)) pooler_.emplace(scope / "pooler", config.pooler, d_model);
  if (is_there(config.head)) head_.emplace(scope / "head", config.head, d_model);
  if (config.projection.vocab > 0) {
    const WeightScope at = scope / "projection";
    const ProjectionConfig& projection = config.projection;
    Tensor bias = projection.bias ? at.take("bias", {projection.vocab}) : Tensor();
    const SharedMatrix& table = decoder_ ? target : source;
    const SharedMatrix weight = projection.tied ? table : at.take_matrix("weight", projection.vocab, d_model);
    projection_.emplace(Linear(at.name(), weight, std::move(bias)), projection.scale, projection.cap);
  }
  parameter_count_ = weights.parameters_taken();
}

}  // namespace transformer
