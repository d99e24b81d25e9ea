#include "attention/scaled_dot_product.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

constexpr int kQueryTile = 36;                  // whole tiles of the product: 32 takes 1.02 times as long
constexpr int kKeyTile = KvCache::kPageTokens;  // K and V of a tile are 16 KiB each at d_head 64

// One head of one sequence, for one tile of queries.
struct HeadTile {
  const AttentionInput& input;
  int row;          // of the batch
  int head;         // of the queries
  int first_query;  // of the tile
  int queries;      // in the tile
  int position;     // of the tile's first query
  int keys;         // of the sequence

  int key_head() const { return head / (input.heads / input.keys.size().heads); }

  // Keys outside of [first_key, end_key) are masked for every query of the tile.
  int first_key() const {
    const int window = input.mask.window;
    return window < 0 ? 0 : std::max(0, position - window) / kKeyTile * kKeyTile;
  }
  int end_key() const {
    if (input.mask.unmasked_keys > 0) return keys;
    const int last = position + queries - 1;
    int end = keys;
    if (input.mask.causal) end = std::min(end, last + 1);
    if (input.mask.window >= 0) end = std::min(end, last + input.mask.window + 1);
    return std::max(end, 0);
  }

  // The tile's queries times the scale: there are fewer queries than scores to scale.
  void scale_queries(View scaled) const;

  // scores [queries, count] = scaled K^T + bias for the keys from `key` on.
  void compute_scores(ConstView scaled, View scores, int key, int count) const;

 private:
  // scores [queries, any number of keys from `key` on]
  void apply_mask(View scores, int key) const;
};

void add_bias(const ScoreBias& bias, std::ptrdiff_t offset, int key, int count, float* scores) {
  const float* from = bias.data + offset + key * bias.key;
  if (bias.key == 1) return add_bias_row(from, scores, count);
  for (int j = 0; j < count; ++j)
    scores[j] = from[j * bias.key] == kForbidden ? kForbidden : scores[j] + from[j * bias.key];
}

void HeadTile::apply_mask(View scores, int key) const {
  const Mask& mask = input.mask;
  const int count = std::min(scores.cols, keys - mask.unmasked_keys - key);
  if (count <= 0) return;
  for (const ScoreBias* bias : {&mask.padding, &mask.mask, &mask.bias, &mask.positions}) {
    for (int query = 0; bias->data && query < queries; ++query) {
      const std::ptrdiff_t offset = row * bias->batch + head * bias->head + (first_query + query) * bias->query;
      add_bias(*bias, offset, key, count, scores.row(query));
    }
  }
  for (int query = 0; mask.distance.centre && query < queries; ++query) {
    const float* centre = mask.distance.centre + head * mask.distance.head_stride;
    add_row(centre + (key - position - query), scores.row(query), count);
  }
  for (int query = 0; (mask.causal || mask.window >= 0) && query < queries; ++query) {
    const int at = position + query;
    const int last = mask.causal ? at : at + mask.window;
    const int allowed_end = std::clamp(last + 1 - key, 0, count);
    std::fill(scores.row(query) + allowed_end, scores.row(query) + count, kForbidden);
    if (mask.window >= 0) std::fill_n(scores.row(query), std::clamp(at - mask.window - key, 0, count), kForbidden);
  }
}

void HeadTile::scale_queries(View scaled) const {
  const ConstView q = input.query.rows(row, head, first_query, queries, scaled.cols);
  for (int query = 0; query < queries; ++query) {
    scale_row(q.row(query), scaled.row(query), q.cols, input.scale);
  }
}

void HeadTile::compute_scores(ConstView scaled, View scores, int key, int count) const {
  const KvCache& cache = input.keys;
  const Panels panels = {cache.keys(row, key_head(), key), cache.key_panel_stride()};
  gemm_panels(scaled.row_range(0, queries), panels, scores.column_range(0, panel_count(count) * kPanel), false);
  for (int query = 0; input.cap > 0.0f && query < queries; ++query) soft_cap_row(scores.row(query), count, input.cap);
  apply_mask(scores.column_range(0, count), key);
}

// The scratch memory of a thread, with the running softmax of each query of a tile.
struct Scratch {
  View scaled;  // [kQueryTile, d_k]: the queries times the scale
  View scores;  // [kQueryTile, kKeyTile]
  View sums;    // [kQueryTile, d_v in whole panels]: sum_j exp(s_j - maximum) v_j so far
  View values;  // [d_v in whole panels, kKeyTile]: of careful_sums()
  float* maximum;
  float* normalizer;  // sum_j exp(s_j - maximum) so far
};

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

// is_careful: as careful_sums(), with the same bits where all values are finite.
void accumulate_tile(const HeadTile& tile, const Scratch& scratch, int key, int count, bool is_careful) {
  tile.compute_scores(scratch.scaled, scratch.scores, key, count);
  bool hidden[kQueryTile][kKeyTile];
  for (int query = 0; query < tile.queries; ++query) {
    float* scores = scratch.scores.row(query);
    for (int j = 0; is_careful && j < count; ++j) hidden[query][j] = scores[j] == kForbidden;
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
  const KvCache& cache = tile.input.keys;
  const Panels panels = {cache.values(tile.row, tile.key_head(), key), cache.value_panel_stride()};
  for (int query = 0; is_careful && query < tile.queries; ++query) {
    careful_sums(scratch.scores.row_range(query, 1).column_range(0, count), hidden[query], panels, scratch,
                 scratch.sums.row_range(query, 1));
  }
  if (is_careful) return;
  gemm_panels(scratch.scores.row_range(0, tile.queries).column_range(0, count), panels, scratch.sums,
              key > tile.first_key());
}

// The rows of a tile in a map [batch, heads, queries, keys]; empty without a map.
View rows_of_tile(Tensor* map, const HeadTile& tile) {
  if (!map) return {};
  const int head = tile.row * tile.input.heads + tile.head;
  return map->matrix().row_range(head * tile.input.queries.time + tile.first_query, tile.queries);
}

void write_maps(const HeadTile& tile, const Scratch& scratch, View weights, View scores) {
  for (int query = 0; query < tile.queries; ++query) {
    if (weights.data) std::fill_n(weights.row(query), weights.cols, 0.0f);
    if (scores.data) std::fill_n(scores.row(query), scores.cols, kForbidden);
  }
  for (int key = tile.first_key(); key < tile.end_key(); key += kKeyTile) {
    const int count = std::min(kKeyTile, tile.end_key() - key);
    tile.compute_scores(scratch.scaled, scratch.scores, key, count);
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
void accumulate(const HeadTile& tile, const Scratch& scratch, bool is_careful) {
  // Otherwise the first tile of keys writes the sums, which takes 2 to 4 % less time.
  const bool adds_to_sums = is_careful || tile.first_key() >= tile.end_key();
  for (int query = 0; query < tile.queries; ++query) {
    if (adds_to_sums) std::fill_n(scratch.sums.row(query), scratch.sums.cols, 0.0f);
    scratch.maximum[query] = kForbidden;
    scratch.normalizer[query] = 0.0f;
  }
  for (int key = tile.first_key(); key < tile.end_key(); key += kKeyTile) {
    accumulate_tile(tile, scratch, key, std::min(kKeyTile, tile.end_key() - key), is_careful);
  }
}

void attend_tile(const HeadTile& tile, const Scratch& scratch, View out, const AttentionMaps& maps) {
  tile.scale_queries(scratch.scaled);
  accumulate(tile, scratch, false);
  // Hidden keys that hold NaN or infinity are rare, so that the usual case costs a look at the sums, and at each bias:
  // together 4 % of the time at 16 tokens, 3 % at 64, 1 % of a decoding step, and nothing that could be measured at 256
  // (x86-64, one thread).
  if (!all_finite(scratch.sums.data, tile.queries * scratch.sums.cols)) accumulate(tile, scratch, true);
  for (int query = 0; query < tile.queries; ++query) {
    if (scratch.maximum[query] == kForbidden) {
      std::fill_n(out.row(query), out.cols, 0.0f);
    } else {
      scale_row(scratch.sums.row(query), out.row(query), out.cols, 1.0f / scratch.normalizer[query]);
    }
  }
  if (maps.weights || maps.scores) {
    write_maps(tile, scratch, rows_of_tile(maps.weights, tile), rows_of_tile(maps.scores, tile));
  }
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

// The tiles of queries of all heads, numbered through the sequences.
class Tiles {
 public:
  explicit Tiles(const AttentionInput& input) : input_(input) {
    int end = 0;
    ends_.reserve(input.queries.batch);
    for (int row = 0; row < input.queries.batch; ++row) {
      ends_.push_back(end += input.heads * ceil_div(input.queries.length(row), kQueryTile));
    }
  }

  int count() const { return ends_.empty() ? 0 : ends_.back(); }

  HeadTile operator[](int index) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
    const int row = static_cast<int>(end - ends_.begin());
    const int queries = input_.queries.length(row), keys = input_.keys.length(row);
    const int tiles = ceil_div(queries, kQueryTile);
    const int place = index - (row > 0 ? ends_[row - 1] : 0);
    const int first_query = place % tiles * kQueryTile;
    return {input_,
            row,
            place / tiles,
            first_query,
            std::min(kQueryTile, queries - first_query),
            keys - input_.mask.unmasked_keys - queries + first_query,
            keys};
  }

 private:
  const AttentionInput& input_;
  std::vector<int> ends_;  // of each sequence: the number of its last tile + 1
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

  const Tiles tiles(input);
  workspace.threads.parallel_for(tiles.count(), work.flops / 2, [&](int task, int thread) {
    const HeadTile tile = tiles[task];
    const Scratch scratch = {scaled.row_range(thread * kQueryTile, kQueryTile),
                             scores.row_range(thread * kQueryTile, kQueryTile),
                             sums.row_range(thread * kQueryTile, kQueryTile),
                             values.row_range(thread * padded_d_v, padded_d_v),
                             statistics.row(2 * thread),
                             statistics.row(2 * thread + 1)};
    attend_tile(tile, scratch, out.rows(tile.row, tile.head, tile.first_query, tile.queries, d_v), maps);
  });
}

}  // namespace transformer
