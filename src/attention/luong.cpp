#include "attention/luong.h"

#include <cmath>

#include "attention/additive.h"
#include "base/broadcast.h"
#include "matrices/product.h"

namespace transformer {

void luong_dot_scores(ConstView queries, ConstView keys, View scores, Workspace& workspace) {
  multiply(queries, FloatMatrix::from_transposed(keys), scores, {}, workspace.threads);
}

void luong_general_scores(ConstView queries, ConstView keys, ConstView W, View scores, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const View projected = workspace.arena.take(queries.rows, W.cols);  // s^T W
  multiply(queries, FloatMatrix::from_rows(W), projected, {}, workspace.threads);
  luong_dot_scores(projected, keys, scores, workspace);
}

void luong_concat_scores(ConstView queries, ConstView keys, const ConcatWeights& weights, View scores,
                         Workspace& workspace) {
  // W [s; h] = W_s s + W_h h: additive attention with the two halves of W.
  const auto& [W, v] = weights;
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

namespace {

void check(const ScoreArguments& arguments, const LuongTensors& tensors) {
  const int d_query = last_axis(arguments.queries);
  const int d_key = last_axis(arguments.keys);
  const Tensor& W = tensors.W;
  switch (tensors.score) {
    case LuongScore::kDot:
      require(d_query == d_key, "the dot score needs queries and keys of the same width, got ", d_query, " and ",
              d_key);
      break;
    case LuongScore::kGeneral:
      require_matrix(W, d_key, "W", "[d_query, d_key]");
      require(W.axis(0) == d_query, "W must have the shape [d_query, d_key] = ", to_string({d_query, d_key}), ", got ",
              to_string(W.shape()));
      break;
    case LuongScore::kConcat:
      require_matrix(W, d_query + d_key, "W", "[d_attention, d_query + d_key]");
      vector_of(tensors.v, W.axis(0), "v");
      break;
  }
}

}  // namespace

ScoredAttention luong_attention(ScoreArguments given, LuongTensors tensors, Workspace& workspace) {
  const ScoreArguments arguments = broadcast(std::move(given));
  check(arguments, tensors);
  const Tensor &W = tensors.W, &v = tensors.v;
  const LuongScore score = tensors.score;
  const float D = tensors.D;
  Scoring scoring;
  scoring.scores = [&](ConstView queries, ConstView keys, View scores) {
    if (score == LuongScore::kDot) luong_dot_scores(queries, keys, scores, workspace);
    if (score == LuongScore::kGeneral) luong_general_scores(queries, keys, W.matrix(), scores, workspace);
    if (score == LuongScore::kConcat) luong_concat_scores(queries, keys, {W.matrix(), v.data()}, scores, workspace);
  };
  if (tensors.centers.empty()) return attend_by_scores(arguments, scoring, workspace);

  require(D > 0, "local.D must be positive, got ", D);
  const Shape leading(arguments.queries.shape().begin(), arguments.queries.shape().end() - 1);
  const Shape column = joined(tensors.centers.shape(), {1});
  Tensor centers = broadcast_leading(std::move(tensors.centers).reshaped(column), leading, 1, "local.centers");
  scoring.adjust_bias = [&](int index, View bias) { mask_outside_window(matrix_at(centers, index).data, D, bias); };
  if (tensors.gaussian) {
    scoring.adjust_weights = [&](int index, View weights) {
      favour_center(matrix_at(centers, index).data, D, weights);
    };
  }
  return attend_by_scores(arguments, scoring, workspace);
}

}  // namespace transformer
