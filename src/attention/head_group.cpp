#include "attention/head_group.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer {

namespace {

void add_bias(const ScoreBias& bias, std::ptrdiff_t offset, int key, int count, float* scores) {
  const float* from = bias.data + offset + key * bias.key;
  if (bias.key == 1) return add_bias_row(from, scores, count);
  for (int j = 0; j < count; ++j)
    scores[j] = from[j * bias.key] == kForbidden ? kForbidden : scores[j] + from[j * bias.key];
}

}  // namespace

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

void HeadTile::finish_scores(View scores, int key, int count) const {
  for (int query = 0; input.cap > 0.0f && query < queries; ++query) soft_cap_row(scores.row(query), count, input.cap);
  apply_mask(scores.column_range(0, count), key);
}

template <class Strip, class MultiplyOne>
void HeadGroup::multiply(const Size& size, bool accumulate, const Strip& strip, const MultiplyOne& multiply_one) const {
  if (heads_ == 1) return multiply_one(tile(0), scratch(0));
  // As many groups as are needed, of about the same size: six heads are 3 + 3, since 4 + 2 would read in shorter
  // streams.
  const int groups = (heads_ + kStripsAtOnce - 1) / kStripsAtOnce;
  for (int first = 0; first < groups; ++first) {
    RowStrips rows = {{}, 0, size.b_stride, size.panels, size.depth};
    for (int i = first; i < heads_; i += groups) rows.strips[rows.count++] = strip(i);
    gemm_row_strips(rows, accumulate);
  }
}

void HeadGroup::compute_scores(int key, int count) const {
  const int panels = panel_count(count);
  const View& scaled = scratch_.scaled;
  multiply(
      {first_.input.keys.key_panel_stride(), panels, scaled.cols}, false,
      [&](int i) { return RowStrip{scaled.row(i), tile(i).keys_from(key).first, scratch_.scores.row(i)}; },
      [&](const HeadTile& tile, const Scratch& own) {
        gemm_panels(own.scaled.row_range(0, tile.queries), tile.keys_from(key),
                    own.scores.column_range(0, panels * kPanel), false);
      });
  for (int i = 0; i < heads_; ++i) tile(i).finish_scores(scratch(i).scores, key, count);
}

void HeadGroup::add_values(int key, int count, bool accumulate) const {
  const View& sums = scratch_.sums;
  multiply(
      {first_.input.keys.value_panel_stride(), sums.cols / kPanel, count}, accumulate,
      [&](int i) { return RowStrip{scratch_.scores.row(i), tile(i).values_from(key).first, sums.row(i)}; },
      [&](const HeadTile& tile, const Scratch& own) {
        gemm_panels(own.scores.row_range(0, tile.queries).column_range(0, count), tile.values_from(key), own.sums,
                    accumulate);
      });
}

}  // namespace transformer
