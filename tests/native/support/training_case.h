// A case of tests/fixtures/training as a trainer's config, options and batch.
#pragma once

#include "support/fixture.h"
#include "training/trainer.h"

namespace transformer::testing {

struct TrainingCase {
  explicit TrainingCase(const std::string& name) : fixture(name, "training"), json(fixture.json("config.json")) {
    config.encoder = stack(json["encoder_layers"]);
    config.decoder = stack(json["decoder_layers"]);
    config.share_embeddings = json["share_embeddings"];
    config.embedding_scale = json["embedding_scale"];
    config.projection = {json["vocab"], json["projection_bias"], json["tied"]};
    training::Optimizer& optimizer = options.optimizer;
    optimizer.learning_rate = json["learning_rate"];
    optimizer.weight_decay = json["weight_decay"];
    optimizer.max_grad_norm = json["max_grad_norm"];
    optimizer.warmup_steps = json["warmup_steps"];
    optimizer.total_steps = json["total_steps"];
    const std::string decay = json["decay"];
    for (const auto& known : enum_names(training::Decay{})) {
      if (decay == known.name) optimizer.decay = known.value;
    }
    options.label_smoothing = json["smoothing"];
    batch.inputs = rows("inputs");
    if (fixture.has("ids.source")) batch.source = rows("source");
    batch.targets = integers("targets");
  }

  // With the fixture's weights.
  std::unique_ptr<training::Trainer> trainer() const {
    auto made = std::make_unique<training::Trainer>(config, options);
    for (const training::Parameter& one : made->parameters().all()) {
      made->restore(one.name, training::Part::kValue, fixture.tensor("param." + one.name));
    }
    return made;
  }

  Fixture fixture;
  nlohmann::json json;
  TransformerConfig config;
  training::TrainingOptions options;
  training::Batch batch;

 private:
  std::vector<int> integers(const std::string& name) const {
    const std::vector<double> numbers = fixture.numbers(name);
    return {numbers.begin(), numbers.end()};
  }

  training::TokenRows rows(const std::string& side) const {
    return {integers("ids." + side), integers("offsets." + side)};
  }

  StackConfig stack(int layers) const {
    StackConfig stack;
    stack.num_layers = layers;
    if (layers == 0) return stack;
    LayerConfig& layer = stack.layer;
    layer.d_model = json["d_model"];
    layer.norm.kind = json["norm"] == "rms" ? NormKind::kRms : NormKind::kLayer;
    layer.residual_scale = json["residual_scale"];
    for (const auto& known : enum_names(NormPlace{})) {
      if (json["place"] == known.name) layer.norm_place = known.value;
    }
    layer.attention.num_heads = json["heads"];
    layer.attention.num_kv_heads = json["kv_heads"];
    layer.attention.d_head = json["d_head"];
    layer.attention.bias = json["bias"];
    if (json["query_key_norm"]) layer.attention.query_key_norm = QueryKeyNorm::kHead;
    layer.feed_forward = {0, json["d_ff"], Activation::kRelu, json["gated"], json["bias"]};
    for (const auto& known : enum_names(Activation{})) {
      if (json["activation"] == known.name) layer.feed_forward.activation = known.value;
    }
    stack.vocab = json["vocab"];
    stack.norm = json["final_norm"];
    const std::string positions = json["positions"];
    if (positions == "learned") stack.positions = LearnedPositions{9};
    if (positions == "sinusoidal") stack.positions = SinusoidalPositions{9};
    if (positions == "rotary_halves") stack.positions = RotaryPositions{9};
    if (positions == "rotary_interleaved") stack.positions = RotaryPositions{9, RotaryLayout::kInterleaved};
    return stack;
  }
};

inline const std::vector<std::string> kTrainingCases = {"decoder_rms_rotary", "decoder_learned", "both_sinusoidal",
                                                        "encoder_sandwich", "decoder_parallel"};

}  // namespace transformer::testing
