#include "transformer/decoder_layer.h"

namespace transformer {

DecoderLayer::DecoderLayer(const WeightScope& scope, const LayerConfig& config, int memory_width,
                           std::shared_ptr<const PositionScheme> positions, bool has_norm)
    : norm_place_(config.norm_place),
      self_block_(scope, config.ssru ? "ssru" : "self_attn", config, has_norm),
      feed_forward_(scope / "feed_forward", feed_forward_of(config)),
      feed_forward_block_(scope, "feed_forward", config) {
  if (config.ssru) {
    ssru_.emplace(scope / "ssru", config.d_model);
  } else {
    self_attn_.emplace(scope / "self_attn", attention_of(config), std::move(positions));
  }
  if (memory_width > 0) {
    AttentionConfig attention = attention_of(config);
    attention.d_key = attention.d_value = memory_width;
    cross_attn_.emplace(scope / "cross_attn", attention);
    cross_attn_block_.emplace(scope, "cross_attn", config);
  }
}

void DecoderLayer::append_memory(ConstView memory, const Segments& sources, KvCache& cross,
                                 Workspace& workspace) const {
  const PathScope path(workspace, "cross_attn");
  cross_attn_->append_keys_values(memory, memory, sources, cross, workspace);
}

void DecoderLayer::forward_self(View x, const DecoderTokens& tokens, const LayerCaches& caches, const Mask& mask,
                                Workspace& workspace) const {
  self_block_.forward({x, x, tokens.self}, workspace, [&](ConstView in, const ResidualOutput& result) {
    if (ssru_) return ssru_->forward(in, tokens.self, *caches.cells, result, workspace);
    self_attn_->attend_to_itself({in, tokens.self, *caches.self, mask}, result, workspace);
  });
}

void DecoderLayer::forward(View x, const DecoderTokens& tokens, LayerCaches caches, const DecoderMasks& masks,
                           Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const ConstView input = feed_forward_input(norm_place_, x, workspace);
  forward_self(x, tokens, caches, masks.self, workspace);
  if (cross_attn_) {
    cross_attn_block_->forward({x, x, tokens.self}, workspace, [&](ConstView in, const ResidualOutput& result) {
      cross_attn_->attend({in, tokens.cross, *caches.cross, masks.cross}, result, workspace);
    });
  }
  feed_forward_block_.forward({x, input, tokens.self}, workspace, [&](ConstView in, const ResidualOutput& result) {
    feed_forward_.forward(in, result, workspace);
  });
}

}  // namespace transformer
