// Tiles of attention: some queries of one head of one sequence, and those that run over the keys together.
#pragma once

#include <algorithm>

#include "attention/attention_input.h"
#include "kernels/gemm.h"

namespace transformer {

inline constexpr int kQueryTile = 36;                  // whole tiles of the product: 32 takes 1.02 times as long
inline constexpr int kKeyTile = KvCache::kPageTokens;  // K and V of a tile are 16 KiB each at d_head 64

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

  Panels keys_from(int key) const { return {input.keys.keys(row, key_head(), key), input.keys.key_panel_stride()}; }
  Panels values_from(int key) const {
    return {input.keys.values(row, key_head(), key), input.keys.value_panel_stride()};
  }

  // scores [queries, count] for the keys from `key` on: from scaled K^T to the input of the softmax
  void finish_scores(View scores, int key, int count) const;

 private:
  // scores [queries, any number of keys from `key` on]
  void apply_mask(View scores, int key) const;
};

// The scratch memory of a thread, with the running softmax of each query of a tile.
struct Scratch {
  View scaled;  // [kQueryTile, d_k]: the queries times the scale
  View scores;  // [kQueryTile, kKeyTile]
  View sums;    // [kQueryTile, d_v in whole panels]: sum_j exp(s_j - maximum) v_j so far
  View values;  // [d_v in whole panels, kKeyTile]: of careful_sums()
  float* maximum;
  float* normalizer;  // sum_j exp(s_j - maximum) so far

  // For the queries from that one on.
  Scratch from(int query) const {
    const auto rest = [query](View x) { return x.row_range(query, x.rows - query); };
    return {rest(scaled), rest(scores), rest(sums), values, maximum + query, normalizer + query};
  }
};

// Tiles that run over the keys together: one, or adjacent heads of a sequence's only query. A page has the keys of all
// heads one after the other, so that they are read in long streams: up to four heads far apart at once. Compared with
// one head after the other, the two products of 8 heads read 1.5 to 1.7 times as fast from memory: 22 to 30 GB/s, where
// reading alone has 26 (d_head 64, 1,000 to 4,000 keys, Zen 4, one thread).
class HeadGroup {
 public:
  HeadGroup(const HeadTile& first, int heads, const Scratch& scratch)
      : first_(first), heads_(heads), scratch_(scratch) {}

  int heads() const { return heads_; }
  HeadTile tile(int i) const {
    HeadTile tile = first_;
    tile.head += i;
    return tile;
  }
  Scratch scratch(int i) const { return scratch_.from(i); }
  HeadGroup only(int i) const { return {tile(i), 1, scratch(i)}; }

  // scores [queries, count] of each head, for the keys from `key` on
  void compute_scores(int key, int count) const;

  // sums (+)= weights V of each head
  void add_values(int key, int count, bool accumulate) const;

 private:
  struct Size {
    std::ptrdiff_t b_stride;
    int panels;
    int depth;
  };

  // strip(i): the product of head i and its only query; multiply_one(tile, scratch): the same for any queries
  template <class Strip, class MultiplyOne>
  void multiply(const Size& size, bool accumulate, const Strip& strip, const MultiplyOne& multiply_one) const;

  HeadTile first_;
  int heads_;
  Scratch scratch_;
};

}  // namespace transformer
