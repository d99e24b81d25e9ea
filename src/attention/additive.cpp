#include "attention/additive.h"

#include "base/broadcast.h"
#include "kernels/elementwise.h"
#include "matrices/product.h"

namespace transformer {

void additive_scores(ConstView queries, ConstView keys, const AdditiveWeights& weights, View scores,
                     Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const int width = weights.Ws.rows;
  const View projected_queries = workspace.arena.take(queries.rows, width);
  const View projected_keys = workspace.arena.take(keys.rows, width);
  const View inner = workspace.arena.take(workspace.threads.size(), width);
  multiply(queries, FloatMatrix::from_transposed(weights.Ws), projected_queries, {.bias = weights.bias},
           workspace.threads);
  multiply(keys, FloatMatrix::from_transposed(weights.Wh), projected_keys, {}, workspace.threads);

  const double work = kTanhWork * queries.rows * keys.rows * width;
  workspace.threads.parallel_for(queries.rows, work, [&](int query, int thread) {
    for (int key = 0; key < keys.rows; ++key) {
      tanh_of_sum(projected_queries.row(query), projected_keys.row(key), inner.row(thread), width);
      scores.row(query)[key] = dot(weights.v, inner.row(thread), width);
    }
  });
}

ScoredAttention additive_attention(ScoreArguments given, const AdditiveTensors& tensors, Workspace& workspace) {
  const ScoreArguments arguments = broadcast(std::move(given));
  const auto& [Ws, Wh, v, bias] = tensors;
  require_matrix(Ws, last_axis(arguments.queries), "Ws", "[d_attention, d_query]");
  require_matrix(Wh, last_axis(arguments.keys), "Wh", "[d_attention, d_key]");
  const int width = Ws.axis(0);
  require(Wh.axis(0) == width, "Ws and Wh must have the same number of rows, got ", to_string(Ws.shape()), " and ",
          to_string(Wh.shape()));
  const AdditiveWeights weights = {Ws.matrix(), Wh.matrix(), vector_of(v, width, "v"),
                                   bias.empty() ? nullptr : vector_of(bias, width, "bias")};
  return attend_by_scores(arguments,
                          {.scores = [&](ConstView queries, ConstView keys,
                                         View scores) { additive_scores(queries, keys, weights, scores, workspace); }},
                          workspace);
}

}  // namespace transformer
