#include "attention/score_attention.h"

#include <algorithm>

#include "base/broadcast.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "matrices/product.h"

namespace transformer {

void attend_by_scores(const ScoreAttention& attention, ConstView bias, ConstView values, Workspace& workspace) {
  for (int query = 0; query < attention.scores.rows; ++query) {
    float* weights = attention.weights.row(query);
    std::copy_n(attention.scores.row(query), attention.scores.cols, weights);
    if (bias.data) add_bias_row(bias.row(query), weights, attention.scores.cols);
  }
  softmax(attention.weights, attention.weights);
  weighted_sum(attention.weights, values, attention.context, workspace);
}

void weighted_sum(ConstView weights, ConstView values, View context, Workspace& workspace) {
  multiply(weights, FloatMatrix::from_rows(values), context, {}, workspace.threads);
  for (int query = 0; query < context.rows; ++query) {
    if (all_finite(context.row(query), context.cols)) continue;
    // 0 times NaN or infinity is NaN, but a key of weight 0 must not be read.
    Tensor read = Tensor::zeros({values.rows, values.cols});
    for (int key = 0; key < values.rows; ++key) {
      if (weights.row(query)[key] != 0.0f) std::copy_n(values.row(key), values.cols, read.matrix().row(key));
    }
    multiply(weights.row_range(query, 1), FloatMatrix::from_rows(read.matrix()), context.row_range(query, 1), {},
             workspace.threads);
  }
}

namespace {

// Broadcasts a mask to the scores. [batch, keys], with all leading axes as batch, is a mask for each sequence. Where
// it might as well be [queries, keys], it is refused: the sizes must not decide what a shape means.
Tensor mask_to_scores(Tensor mask, const Shape& leading, const Shape& scores) {
  if (mask.empty()) return mask;
  mask = mask_to_bias(std::move(mask), "mask");
  const bool per_sequence = !leading.empty() && mask.shape() == joined(leading, {scores.back()});
  const bool per_query = count_of(leading) == 1 && mask.shape() == Shape{scores[1], scores[2]};
  require(!per_sequence || !per_query || leading[0] == 1, "a mask of shape ", to_string(mask.shape()),
          " may be [batch, keys] or [queries, keys]: write it as [batch, 1, keys] or as [1, queries, keys]");
  Shape shape = mask.shape();
  if (per_sequence || shape.size() == 1) shape.insert(shape.end() - 1, 1);
  require(broadcast_shapes(shape, scores, "mask and scores") == scores, "mask of shape ", to_string(mask.shape()),
          " does not broadcast to the scores ", to_string(scores));
  return broadcast_leading(std::move(mask).reshaped(joined(shape, {1})), scores, 1, "mask").reshaped(scores);
}

}  // namespace

ScoreArguments broadcast(ScoreArguments a) {
  if (a.values.empty()) a.values = a.keys.clone();
  Shape leading =
      broadcast_shapes(leading_axes(a.queries, 2, "queries", "[..., queries, d_query]"),
                       leading_axes(a.keys, 2, "keys", "[..., keys, d_key]"), "the leading axes of queries and keys");
  leading = broadcast_shapes(leading, leading_axes(a.values, 2, "values", "[..., keys, d_v]"),
                             "the leading axes of queries and values");
  const int keys = last_axis(a.keys, 2);
  require(last_axis(a.values, 2) == keys, "values must have as many rows as keys (", keys, "), got the shape ",
          to_string(a.values.shape()));
  a.queries = broadcast_leading(std::move(a.queries), leading, 2, "queries");
  a.keys = broadcast_leading(std::move(a.keys), leading, 2, "keys");
  a.values = broadcast_leading(std::move(a.values), leading, 2, "values");
  a.mask = mask_to_scores(std::move(a.mask), leading, joined(leading, {last_axis(a.queries, 2), keys}));
  return a;
}

ScoredAttention attend_by_scores(const ScoreArguments& arguments, const Scoring& scoring, Workspace& workspace) {
  const auto& [queries, keys, values, mask] = arguments;
  const Shape leading(queries.shape().begin(), queries.shape().end() - 2);
  const Shape shape = joined(leading, {last_axis(queries, 2), last_axis(keys, 2)});
  ScoredAttention result = {Tensor(joined(leading, {last_axis(queries, 2), last_axis(values)})), Tensor(shape),
                            Tensor(shape)};
  if (result.scores.size() == 0 && result.context.size() == 0) return result;
  const int sequences = static_cast<int>(element_count(leading));
  for (int i = 0; i < sequences; ++i) {
    const ScoreAttention one = {matrix_at(result.scores, i), matrix_at(result.weights, i),
                                matrix_at(result.context, i)};
    scoring.scores(matrix_at(queries, i), matrix_at(keys, i), one.scores);
    Tensor bias = Tensor::zeros({one.scores.rows, one.scores.cols});
    if (!mask.empty()) std::copy_n(matrix_at(mask, i).data, bias.size(), bias.data());
    if (scoring.adjust_bias) scoring.adjust_bias(i, bias.matrix());
    attend_by_scores(one, bias.matrix(), matrix_at(values, i), workspace);
    if (!scoring.adjust_weights) continue;
    scoring.adjust_weights(i, one.weights);
    weighted_sum(one.weights, matrix_at(values, i), one.context, workspace);
  }
  return result;
}

}  // namespace transformer
