#include "transformer/encoder_layer.h"

#include <algorithm>

namespace transformer {

EncoderLayer::EncoderLayer(const WeightScope& scope, const LayerConfig& config,
                           std::shared_ptr<const PositionScheme> positions, bool has_norm)
    : norm_place_(config.norm_place),
      self_attn_(scope / "self_attn", attention_of(config), std::move(positions)),
      self_attn_block_(scope, "self_attn", config, has_norm),
      feed_forward_(scope / "feed_forward", feed_forward_of(config)),
      feed_forward_block_(scope, "feed_forward", config) {}

ConstView feed_forward_input(NormPlace place, View x, Workspace& workspace) {
  if (place != NormPlace::kParallel) return x;
  const View copy = workspace.arena.take(x.rows, x.cols);
  for (int row = 0; row < x.rows; ++row) std::copy_n(x.row(row), x.cols, copy.row(row));
  return copy;
}

void EncoderLayer::forward(View x, const Segments& sequences, const Mask& mask, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const ConstView input = feed_forward_input(norm_place_, x, workspace);
  self_attn_block_.forward({x, x, sequences}, workspace, [&](ConstView in, const ResidualOutput& result) {
    self_attn_.forward({in, in, in, sequences, sequences, mask}, result, workspace);
  });
  feed_forward_block_.forward({x, input, sequences}, workspace, [&](ConstView in, const ResidualOutput& result) {
    feed_forward_.forward(in, result, workspace);
  });
}

}  // namespace transformer
