#include "attention/luong.h"

#include <cmath>

#include "attention/additive.h"
#include "kernels/gemm.h"

namespace transformer {

void luong_dot_scores(ConstView queries, ConstView keys, View scores, Workspace& workspace) {
  gemm(queries, PackedMatrix::from_transposed(keys), scores, {}, workspace.threads);
}

void luong_general_scores(ConstView queries, ConstView keys, ConstView W, View scores, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const View projected = workspace.arena.take(queries.rows, W.cols);  // s^T W
  gemm(queries, PackedMatrix::from_rows(W), projected, {}, workspace.threads);
  luong_dot_scores(projected, keys, scores, workspace);
}

void luong_concat_scores(ConstView queries, ConstView keys, ConstView W, const float* v, View scores,
                         Workspace& workspace) {
  // W [s; h] = W_s s + W_h h: the additive form with one matrix cut in two.
  const AdditiveWeights halves = {W.column_range(0, queries.cols), W.column_range(queries.cols, keys.cols), v};
  additive_scores(queries, keys, halves, scores, workspace);
}

void mask_outside_window(const float* centers, float D, View bias) {
  for (int query = 0; query < bias.rows; ++query) {
    for (int key = 0; key < bias.cols; ++key) {
      if (std::abs(static_cast<float>(key) - centers[query]) > D) bias.row(query)[key] = kForbidden;
    }
  }
}

void favour_center(const float* centers, float D, View weights) {
  const float sigma = D / 2;
  for (int query = 0; query < weights.rows; ++query) {
    for (int key = 0; key < weights.cols; ++key) {
      const float distance = static_cast<float>(key) - centers[query];
      weights.row(query)[key] *= std::exp(-distance * distance / (2 * sigma * sigma));
    }
  }
}

}  // namespace transformer
