#include "attention/disentangled.h"

#include <algorithm>
#include <vector>

#include "attention/multi_head.h"
#include "kernels/gemm.h"

namespace transformer {

namespace {

Linear own_projection(const WeightScope& scope, const AttentionConfig& config, int heads) {
  return Linear(scope, config.d_model, heads * config.d_head, true);
}

// The rows of distances below `length` on either side, which are neighbours, and the place of each distance in them.
struct Rows {
  int first;
  int count;
  std::vector<int> places;  // of the distances -length + 1, ..., length - 1
};

Rows rows_of(const Disentangled& positions, int length) {
  Rows rows = {positions.row(1 - length), 0, {}};
  rows.count = positions.row(length - 1) - rows.first + 1;
  for (int distance = 1 - length; distance < length; ++distance) {
    rows.places.push_back(positions.row(distance) - rows.first);
  }
  return rows;
}

}  // namespace

DisentangledTerms::DisentangledTerms(const WeightScope& scope, const Disentangled& positions,
                                     const AttentionConfig& config)
    : positions_(positions) {
  if (positions.config().share_projections) return;
  if (positions.config().content_to_position)
    key_.emplace(own_projection(scope / "pos_key_proj", config, config.num_kv_heads));
  if (positions.config().position_to_content)
    query_.emplace(own_projection(scope / "pos_query_proj", config, config.num_heads));
}

ScoreBias DisentangledTerms::bias(const AttentionInput& input, const Projections& content, Workspace& workspace) const {
  const auto& config = positions_.config();
  const int keys = input.keys.max_length(), queries = input.queries, heads = input.heads;
  const int d_head = input.keys.size().d_k, key_heads = input.keys.size().heads;
  Arena& arena = workspace.arena;
  const View result = arena.take(input.batch * heads * queries, keys);
  if (keys == 0) return {};
  const Rows rows = rows_of(positions_, keys);
  const ConstView table = positions_.table().row_range(rows.first, rows.count);
  const View as_keys = arena.take(rows.count, key_heads * d_head), as_queries = arena.take(rows.count, heads * d_head);
  (key_ ? *key_ : content.key).forward(table, as_keys, workspace);
  (query_ ? *query_ : content.query).forward(table, as_queries, workspace);
  const KvCache::Size size = {1, key_heads, d_head, 0, rows.count};
  KvCache packed(size, arena.take(KvCache::float_count(size)));
  const ConstHeads packed_rows = heads_in_columns<const float>(as_keys, 1, d_head);
  packed.append(0, rows.count, packed_rows, packed_rows);

  const int threads = workspace.threads.size();
  const int padded_rows = panel_count(rows.count) * kPanel, padded_keys = panel_count(keys) * kPanel;
  const View by_query = arena.take(threads * queries, padded_rows);   // Q_i . P^K[r]
  const View by_row = arena.take(threads * rows.count, padded_keys);  // P^Q[r] . K_j
  const double work = 1.0 * input.batch * heads * rows.count * (queries + keys) * d_head;
  workspace.threads.parallel_for(input.batch * heads, work, [&](int task, int thread) {
    const int batch = task / heads, head = task % heads, key_head = head / (heads / key_heads);
    const View from_query = by_query.row_range(thread * queries, queries);
    const View from_row = by_row.row_range(thread * rows.count, rows.count);
    gemm_panels(input.query.rows(batch, head, 0, queries, d_head),
                {packed.keys(0, key_head, 0), packed.key_panel_stride(), panel_count(rows.count)}, from_query, false);
    gemm_panels(as_queries.column_range(head * d_head, d_head),
                {input.keys.keys(batch, key_head, 0), input.keys.key_panel_stride(), panel_count(keys)}, from_row,
                false);
    for (int query = 0; query < queries; ++query) {
      float* out = result.row(task * queries + query);
      const int position = input.keys.length(batch) - queries + query;
      for (int key = 0; key < keys; ++key) {
        const int row = rows.places[position - key + keys - 1];
        const float to_position = config.content_to_position ? from_query.row(query)[row] : 0.0f;
        const float to_content = config.position_to_content ? from_row.row(row)[key] : 0.0f;
        out[key] = input.scale * (to_position + to_content);
      }
    }
  });
  const std::ptrdiff_t per_head = std::ptrdiff_t{queries} * keys;
  return {result.data, heads * per_head, per_head, keys, 1};
}

}  // namespace transformer
