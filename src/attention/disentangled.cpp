#include "attention/disentangled.h"

#include <algorithm>
#include <vector>

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

// a [n, d_k] times the keys of one row -> [n, keys in whole panels], page by page.
void multiply_keys(ConstView a, const KvCache& cache, int row, int head, View out) {
  for (int first = 0; first < cache.length(row); first += KvCache::kPageTokens) {
    const int panels = panel_count(std::min(KvCache::kPageTokens, cache.length(row) - first));
    gemm_panels(a, {cache.keys(row, head, first), cache.key_panel_stride()}, out.column_range(first, panels * kPanel),
                false);
  }
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
  const int keys = input.keys.max_length(), queries = input.queries.time, heads = input.heads;
  const int d_head = input.keys.size().d_k, key_heads = input.keys.size().heads;
  Arena& arena = workspace.arena;
  const int batch = input.queries.batch;
  const View result = arena.take(batch * heads * queries, keys);
  if (keys == 0) return {};
  const Rows rows = rows_of(positions_, keys);
  const ConstView table = positions_.table().row_range(rows.first, rows.count);
  const View as_keys = arena.take(rows.count, key_heads * d_head), as_queries = arena.take(rows.count, heads * d_head);
  (key_ ? *key_ : content.key).forward(table, as_keys, workspace);
  (query_ ? *query_ : content.query).forward(table, as_queries, workspace);
  const KvCache::Size size = {1, key_heads, d_head, 0, rows.count};
  const std::size_t floats = KvCache::float_count(size);
  KvCache packed(size, {arena.take(floats), floats});
  const ConstHeads packed_rows = heads_in_columns<const float>(as_keys, {1, rows.count}, d_head);
  packed.append(0, rows.count, packed_rows, packed_rows);

  const int threads = workspace.threads.size();
  const int padded_rows = panel_count(rows.count) * kPanel, padded_keys = panel_count(keys) * kPanel;
  const View by_query = arena.take(threads * queries, padded_rows);   // Q_i . P^K[r]
  const View by_row = arena.take(threads * rows.count, padded_keys);  // P^Q[r] . K_j
  const double work = 1.0 * batch * heads * rows.count * (queries + keys) * d_head;
  workspace.threads.parallel_for(batch * heads, work, [&](int task, int thread) {
    const int row_of_batch = task / heads, head = task % heads, key_head = head / (heads / key_heads);
    const int own_queries = input.queries.length(row_of_batch), own_keys = input.keys.length(row_of_batch);
    const View from_query = by_query.row_range(thread * queries, own_queries);
    const View from_row = by_row.row_range(thread * rows.count, rows.count);
    multiply_keys(input.query.rows(row_of_batch, head, 0, own_queries, d_head), packed, 0, key_head, from_query);
    multiply_keys(as_queries.column_range(head * d_head, d_head), input.keys, row_of_batch, key_head, from_row);
    for (int query = 0; query < own_queries; ++query) {
      float* out = result.row(task * queries + query);
      const int position = own_keys - own_queries + query;
      for (int key = 0; key < own_keys; ++key) {
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
