#include "training/layers.h"

#include <string>

namespace transformer::training {

namespace {

bool has_bias(const AttentionConfig& config, char projection) {
  return config.bias && config.unbiased.find(projection) == std::string::npos;
}

}  // namespace

LinearLayer::LinearLayer(const ParameterScope& scope, int in_features, int out_features, bool bias)
    : weight_(&scope.add("weight", {out_features, in_features})),
      bias_(bias ? &scope.add("bias", {out_features}) : nullptr) {}

NormLayer::NormLayer(const ParameterScope& scope, int width, const NormConfig& config)
    : config_(config),
      weight_(&scope.add("weight", {width})),
      bias_(config.kind == NormKind::kLayer && config.bias ? &scope.add("bias", {width}) : nullptr) {}

AttentionLayer::AttentionLayer(const ParameterScope& scope, const AttentionConfig& config, int memory_width,
                               MaybeRotation rotation)
    : config_(config),
      rotation_(std::move(rotation)),
      q_proj_(scope / "q_proj", config.d_model, config.num_heads * config.d_head, has_bias(config, 'q')),
      k_proj_(scope / "k_proj", memory_width, config.num_kv_heads * config.d_head, has_bias(config, 'k')),
      v_proj_(scope / "v_proj", memory_width, config.num_kv_heads * config.d_head, has_bias(config, 'v')),
      out_proj_(scope / "out_proj", config.num_heads * config.d_head, config.d_model, has_bias(config, 'o')) {
  if (config.query_key_norm == QueryKeyNorm::kNone) return;
  NormConfig norm = config.norm;
  norm.bias = false;
  q_norm_.emplace(scope / "q_norm", config.d_head, norm);
  k_norm_.emplace(scope / "k_norm", config.d_head, norm);
}

Value AttentionLayer::place(Tape& tape, Value x, const std::optional<NormLayer>& norm, const Segments& tokens) const {
  const int width = x.x.cols;
  const auto normed = [&](Value value) {
    return with_width(norm->forward(tape, with_width(value, config_.d_head)), width);
  };
  if (norm && !config_.norm_after_rotation) x = normed(x);
  if (rotation_) x = rotate(tape, x, *rotation_, tokens);
  return norm && config_.norm_after_rotation ? normed(x) : x;
}

Value AttentionLayer::forward(Tape& tape, const Input& input) const {
  const Value queries = place(tape, q_proj_.forward(tape, input.x), q_norm_, input.tokens);
  const Value keys = place(tape, k_proj_.forward(tape, input.memory), k_norm_, input.memory_tokens);
  const Value values = v_proj_.forward(tape, input.memory);
  const HeadsOf heads = {config_.num_heads, config_.num_kv_heads, config_.d_head};
  return out_proj_.forward(tape, attend(tape, {queries, keys, values, input.tokens, input.memory_tokens}, heads,
                                        config_.scale, input.causal));
}

FeedForwardLayer::FeedForwardLayer(const ParameterScope& scope, const FeedForwardConfig& config)
    : activation_(config.activation),
      fc1_(scope / "fc1", config.d_model, config.d_ff, config.bias),
      fc2_(scope / "fc2", config.d_ff, config.d_model, config.bias) {
  if (config.gated) gate_.emplace(scope / "gate", config.d_model, config.d_ff, config.bias);
}

Value FeedForwardLayer::forward(Tape& tape, Value x) const {
  Value hidden = activate(tape, fc1_.forward(tape, x), activation_);
  if (gate_) hidden = multiply(tape, hidden, gate_->forward(tape, x));
  return fc2_.forward(tape, hidden);
}

Block::Block(const ParameterScope& scope, const char* name, const LayerConfig& config, bool has_norm)
    : name_(name), place_(config.norm_place), scale_(config.residual_scale) {
  const auto make = [&](std::optional<NormLayer>& norm, const char* suffix) {
    norm.emplace(scope / (std::string(name) + suffix), config.d_model, config.norm);
  };
  std::optional<NormLayer>& first = place_ == NormPlace::kPost     ? sum_
                                    : place_ == NormPlace::kBranch ? branch_
                                                                   : before_;
  if (has_norm) make(first, "_norm");
  if (place_ == NormPlace::kSandwich) make(branch_, "_post_norm");
}

}  // namespace transformer::training
