#include "attention/scaled_dot_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "attention/head_group.h"
#include "kernels/elementwise.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

// sums += weights V for one query, without reading the values of the keys that it must not attend to: their weights
// are 0, but 0 times NaN or infinity is NaN.
void careful_sums(View weights, std::span<const bool> hidden, const Panels& values, const Scratch& scratch, View sums) {
  const std::ptrdiff_t stride = std::ptrdiff_t{kKeyTile} * kPanel;
  for (int panel = 0; panel < sums.cols / kPanel; ++panel) {
    float* to = scratch.values.data + panel * stride;
    std::copy_n(values.first + panel * values.stride, weights.cols * kPanel, to);
    for (int key = 0; key < weights.cols; ++key) {
      if (hidden[key]) std::fill_n(to + key * kPanel, kPanel, 0.0f);
    }
  }
  gemm_panels(weights, {scratch.values.data, stride}, sums, true);
}

// From the scores of some keys to their weights; hidden: set for the keys that each query must not attend to, or null
void update_softmax(const HeadTile& tile, const Scratch& scratch, int count, bool (*hidden)[kKeyTile]) {
  for (int query = 0; query < tile.queries; ++query) {
    float* scores = scratch.scores.row(query);
    for (int j = 0; hidden && j < count; ++j) hidden[query][j] = scores[j] == kForbidden;
    const float tile_maximum = row_max(scores, count);
    if (tile_maximum == kForbidden) {  // all keys of the tile are masked for this query
      std::fill_n(scores, count, 0.0f);
      continue;
    }
    float& maximum = scratch.maximum[query];
    const float next = tile_maximum <= maximum ? maximum : tile_maximum;  // NaN propagates to the result
    if (maximum != next && maximum != kForbidden) {
      const float rescale = std::exp(maximum - next);
      scale_row(scratch.sums.row(query), scratch.sums.row(query), scratch.sums.cols, rescale);
      scratch.normalizer[query] *= rescale;
    }
    scratch.normalizer[query] += exp_and_sum(scores, count, next);
    maximum = next;
  }
}

void accumulate_tile(const HeadGroup& group, int key, int count, bool is_first) {
  group.compute_scores(key, count);
  for (int i = 0; i < group.heads(); ++i) update_softmax(group.tile(i), group.scratch(i), count, nullptr);
  group.add_values(key, count, !is_first);
}

// As careful_sums(), with the same bits where all values are finite; of one tile.
void accumulate_carefully(const HeadGroup& group, int key, int count) {
  const HeadTile tile = group.tile(0);
  const Scratch scratch = group.scratch(0);
  bool hidden[kQueryTile][kKeyTile];
  group.compute_scores(key, count);
  update_softmax(tile, scratch, count, hidden);
  for (int query = 0; query < tile.queries; ++query) {
    careful_sums(scratch.scores.row_range(query, 1).column_range(0, count), hidden[query], tile.values_from(key),
                 scratch, scratch.sums.row_range(query, 1));
  }
}

// The rows of a tile in a map [batch, heads, queries, keys]; empty without a map.
View rows_of_tile(Tensor* map, const HeadTile& tile) {
  if (!map) return {};
  const int head = tile.row * tile.input.heads + tile.head;
  return map->matrix().row_range(head * tile.input.queries.time + tile.first_query, tile.queries);
}

void write_maps(const HeadGroup& group, View weights, View scores) {
  const HeadTile tile = group.tile(0);
  const Scratch scratch = group.scratch(0);
  for (int query = 0; query < tile.queries; ++query) {
    if (weights.data) std::fill_n(weights.row(query), weights.cols, 0.0f);
    if (scores.data) std::fill_n(scores.row(query), scores.cols, kForbidden);
  }
  for (int key = tile.first_key(); key < tile.end_key(); key += kKeyTile) {
    const int count = std::min(kKeyTile, tile.end_key() - key);
    group.compute_scores(key, count);
    for (int query = 0; query < tile.queries; ++query) {
      float* row = scratch.scores.row(query);
      if (scores.data) std::copy_n(row, count, scores.row(query) + key);
      if (!weights.data || scratch.maximum[query] == kForbidden) continue;
      exp_and_sum(row, count, scratch.maximum[query]);
      divide_row(row, weights.row(query) + key, count, scratch.normalizer[query]);
    }
  }
}

// sums, maximum and normalizer of all keys
void accumulate(const HeadGroup& group, bool is_careful) {
  const HeadTile first = group.tile(0);  // all have the same keys
  // Otherwise the first tile of keys writes the sums, which takes 2 to 4 % less time.
  const bool adds_to_sums = is_careful || first.first_key() >= first.end_key();
  const Scratch all = group.scratch(0);
  for (int query = 0; query < group.heads() * first.queries; ++query) {
    if (adds_to_sums) std::fill_n(all.sums.row(query), all.sums.cols, 0.0f);
    all.maximum[query] = kForbidden;
    all.normalizer[query] = 0.0f;
  }
  for (int key = first.first_key(); key < first.end_key(); key += kKeyTile) {
    const int count = std::min(kKeyTile, first.end_key() - key);
    if (is_careful) {
      accumulate_carefully(group, key, count);
    } else {
      accumulate_tile(group, key, count, key == first.first_key());
    }
  }
}

// The output of one tile from its sums.
void finish_tile(const HeadGroup& one, Heads out, const AttentionMaps& maps) {
  const HeadTile tile = one.tile(0);
  const Scratch scratch = one.scratch(0);
  // Hidden keys that hold NaN or infinity are rare, so that the usual case costs a look at the sums, and at each bias:
  // together 4 % of the time at 16 tokens, 3 % at 64, 1 % of a decoding step, and nothing that could be measured at 256
  // (x86-64, one thread).
  if (!all_finite(scratch.sums.data, tile.queries * scratch.sums.cols)) accumulate(one, true);
  const View rows = out.rows(tile.row, tile.head, tile.first_query, tile.queries, tile.input.keys.size().d_v);
  for (int query = 0; query < tile.queries; ++query) {
    if (scratch.maximum[query] == kForbidden) {
      std::fill_n(rows.row(query), rows.cols, 0.0f);
    } else {
      scale_row(scratch.sums.row(query), rows.row(query), rows.cols, 1.0f / scratch.normalizer[query]);
    }
  }
  if (maps.weights || maps.scores) {
    write_maps(one, rows_of_tile(maps.weights, tile), rows_of_tile(maps.scores, tile));
  }
}

void attend(const HeadGroup& group, Heads out, const AttentionMaps& maps) {
  for (int i = 0; i < group.heads(); ++i) group.tile(i).scale_queries(group.scratch(i).scaled);
  accumulate(group, false);
  for (int i = 0; i < group.heads(); ++i) finish_tile(group.only(i), out, maps);
}

// The two products; all queries of a head read keys and values once.
Work work_of(const AttentionInput& input) {
  const KvCache::Size& size = input.keys.size();
  const double width = size.d_k + size.d_v;
  Work work;
  for (int row = 0; row < input.queries.batch; ++row) {
    const double keys = input.keys.length(row);
    const double queries = input.queries.length(row);
    const double forbidden = input.mask.causal ? queries * (queries - 1.0) / 2 : 0;
    work.flops += 2 * input.heads * (queries * keys - forbidden) * width;
    work.state_bytes += (size.heads * keys + input.heads * queries) * width * sizeof(float);
  }
  return work;
}

// The tasks: the tiles of queries of all heads, numbered through the sequences. The heads of a sequence with one query
// are tiles together.
class Tasks {
 public:
  Tasks(const AttentionInput& input, int threads)
      : input_(input),
        heads_together_(std::clamp(ceil_div(input.heads * std::max(input.queries.batch, 1), threads), 1,
                                   std::min(input.heads, kQueryTile))) {
    int end = 0;
    ends_.reserve(input.queries.batch);
    for (int row = 0; row < input.queries.batch; ++row) {
      ends_.push_back(end += ceil_div(input.heads, heads_of(row)) * tiles_of(row));
    }
  }

  int count() const { return ends_.empty() ? 0 : ends_.back(); }

  HeadGroup group(int index, const Scratch& scratch) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
    const int row = static_cast<int>(end - ends_.begin());
    const int queries = input_.queries.length(row), keys = input_.keys.length(row);
    const int tiles = tiles_of(row), heads = heads_of(row);
    const int place = index - (row > 0 ? ends_[row - 1] : 0);
    const int first_query = place % tiles * kQueryTile, first_head = place / tiles * heads;
    const HeadTile first = {input_,
                            row,
                            first_head,
                            first_query,
                            std::min(kQueryTile, queries - first_query),
                            keys - input_.mask.unmasked_keys - queries + first_query,
                            keys};
    return {first, std::min(heads, input_.heads - first_head), scratch};
  }

 private:
  int tiles_of(int row) const { return ceil_div(input_.queries.length(row), kQueryTile); }
  int heads_of(int row) const { return input_.queries.length(row) == 1 ? heads_together_ : 1; }

  const AttentionInput& input_;
  int heads_together_;
  std::vector<int> ends_;  // of each sequence: the number of its last task + 1
};

}  // namespace

void scaled_dot_product_attention(const AttentionInput& input, Heads out, const AttentionMaps& maps,
                                  Workspace& workspace) {
  const KvCache& cache = input.keys;
  const int d_v = cache.size().d_v;
  for (Tensor* map : {maps.weights, maps.scores}) {
    if (map) *map = Tensor({input.queries.batch, input.heads, input.queries.time, cache.max_length()});
  }

  const PathScope part(workspace, "scaled_dot_product");
  const Work work = work_of(input);
  workspace.count(work);
  const Arena::Scope scope(workspace.arena);
  const int threads = workspace.threads.size();
  const int padded_d_v = panel_count(d_v) * kPanel;
  const View scaled = workspace.arena.take(threads * kQueryTile, cache.size().d_k);
  const View scores = workspace.arena.take(threads * kQueryTile, kKeyTile);
  const View sums = workspace.arena.take(threads * kQueryTile, padded_d_v);
  const View values = workspace.arena.take(threads * padded_d_v, kKeyTile);
  const View statistics = workspace.arena.take(threads * 2, kQueryTile);

  const Tasks tasks(input, threads);
  workspace.threads.parallel_for(tasks.count(), work.flops / 2, [&](int task, int thread) {
    const Scratch scratch = {scaled.row_range(thread * kQueryTile, kQueryTile),
                             scores.row_range(thread * kQueryTile, kQueryTile),
                             sums.row_range(thread * kQueryTile, kQueryTile),
                             values.row_range(thread * padded_d_v, padded_d_v),
                             statistics.row(2 * thread),
                             statistics.row(2 * thread + 1)};
    attend(tasks.group(task, scratch), out, maps);
  });
}

namespace {

bool is_same(ConstView a, ConstView b, int row) {
  return std::memcmp(a.row(row), b.row(row), a.cols * sizeof(float)) == 0;
}

// out = weights V, of the tile's only query
void weigh_values(const HeadTile& tile, const float* weights, float* out, int width) {
  std::fill_n(out, width, 0.0f);
  for (int first = 0; first < tile.keys; first += kKeyTile) {
    const Panels values = tile.values_from(first);
    for (int key = 0; key < std::min(kKeyTile, tile.keys - first); ++key) {
      const float weight = weights[first + key];
      if (weight == 0.0f) continue;  // hidden keys may hold NaN
      for (int i = 0; i < width; ++i) {
        out[i] += weight * values.first[i / kPanel * values.stride + key * kPanel + i % kPanel];
      }
    }
  }
}

}  // namespace

void edit_attention(const AttentionInput& input, Heads out, const AttentionMaps& maps, Workspace& workspace) {
  const Tensor scores_before = maps.scores->clone(), weights_before = maps.weights->clone();
  const View scores = maps.scores->matrix(), weights = maps.weights->matrix();
  workspace.edit("scores", scores, maps.scores->shape());
  for (int row = 0; row < scores.rows; ++row) {
    if (!is_same(scores, scores_before.matrix(), row)) softmax(scores.row_range(row, 1), weights.row_range(row, 1));
  }
  workspace.edit("weights", weights, maps.weights->shape());
  const int queries = input.queries.time, width = input.keys.size().d_v;
  for (int row = 0; row < weights.rows; ++row) {
    if (is_same(weights, weights_before.matrix(), row)) continue;
    const int query = row % queries, head = row / queries % input.heads, sequence = row / queries / input.heads;
    const HeadTile tile = {input, sequence, head, query, 1, 0, input.keys.length(sequence)};
    weigh_values(tile, weights.row(row), out.rows(sequence, head, query, 1, width).row(0), width);
  }
}

}  // namespace transformer
