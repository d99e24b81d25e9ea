#include "transformer/encoder_layer.h"

namespace transformer {

AttentionConfig attention_config(const LayerConfig& config) {
  return {.d_model = config.d_model,
          .d_key = config.d_model,
          .d_value = config.d_model,
          .num_heads = config.num_heads,
          .num_kv_heads = config.num_kv_heads,
          .d_head = config.d_head,
          .bias = config.attention_bias,
          .key_bias = config.key_bias,
          .scale = config.attention_scale};
}

FeedForwardConfig feed_forward_config(const LayerConfig& config) {
  return {config.d_model, config.d_ff, config.activation, config.gated, config.feed_forward_bias};
}

EncoderLayer::EncoderLayer(const WeightScope& scope, const LayerConfig& config,
                           std::shared_ptr<const RotaryEmbedding> rotary)
    : norm_place_(config.norm_place),
      self_attn_(scope / "self_attn", attention_config(config), std::move(rotary)),
      self_attn_norm_(scope / "self_attn_norm", config.d_model, config.norm),
      feed_forward_(scope / "feed_forward", feed_forward_config(config)),
      feed_forward_norm_(scope / "feed_forward_norm", config.d_model, config.norm) {}

void EncoderLayer::forward(View x, int batch, const Mask& mask, Workspace& workspace) const {
  run_residual_block({"self_attn", x, batch, norm_place_, self_attn_norm_}, workspace,
                     [&](ConstView in, View out, ConstView residual) {
                       self_attn_.forward(in, in, in, batch, mask, out, workspace, residual);
                     });
  run_residual_block(
      {"feed_forward", x, batch, norm_place_, feed_forward_norm_}, workspace,
      [&](ConstView in, View out, ConstView residual) { feed_forward_.forward(in, out, workspace, residual); });
}

}  // namespace transformer
