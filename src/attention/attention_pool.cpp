#include "attention/attention_pool.h"

#include <algorithm>

namespace transformer {

AttentionPool::AttentionPool(const WeightScope& scope, const AttentionPoolConfig& config, int d_model)
    : probe_(scope.take("probe", {d_model})),
      attention_(scope / "attention", {.d_model = d_model, .num_heads = config.num_heads}),
      norm_(scope / "norm", d_model, config.norm),
      feed_forward_(
          scope / "feed_forward",
          checked(FeedForwardConfig{.d_model = d_model, .d_ff = config.d_ff, .activation = config.activation})) {}

void AttentionPool::forward(ConstView states, const Segments& segments, const ScoreBias& padding, View out,
                            Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const View queries = workspace.arena.take(segments.batch, out.cols);
  for (int row = 0; row < queries.rows; ++row) std::copy_n(probe_.data(), queries.cols, queries.row(row));
  const View attended = workspace.arena.take(queries.rows, queries.cols);
  Mask mask;
  mask.padding = padding;
  {
    const PathScope part(workspace, "attention");
    attention_.forward({queries, states, states, {segments.batch, 1}, segments, mask}, {attended}, workspace);
  }
  norm_.forward(attended, queries, workspace);
  const PathScope part(workspace, "feed_forward");
  feed_forward_.forward(queries, {out, attended}, workspace);
}

}  // namespace transformer
