#include "attention/additive.h"

#include "kernels/elementwise.h"
#include "kernels/gemm.h"

namespace transformer {

namespace {
constexpr double kWorkOfTanh = 10;  // in multiply-adds
}

void additive_scores(ConstView queries, ConstView keys, const AdditiveWeights& weights, View scores,
                     Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const int width = weights.Ws.rows;
  const View projected_queries = workspace.arena.take(queries.rows, width);
  const View projected_keys = workspace.arena.take(keys.rows, width);
  const View inner = workspace.arena.take(workspace.threads.size(), width);
  gemm(queries, PackedMatrix::from_transposed(weights.Ws), projected_queries, {.bias = weights.bias},
       workspace.threads);
  gemm(keys, PackedMatrix::from_transposed(weights.Wh), projected_keys, {}, workspace.threads);

  const double work = kWorkOfTanh * queries.rows * keys.rows * width;
  workspace.threads.parallel_for(queries.rows, work, [&](int query, int thread) {
    for (int key = 0; key < keys.rows; ++key) {
      tanh_of_sum(projected_queries.row(query), projected_keys.row(key), inner.row(thread), width);
      scores.row(query)[key] = dot(weights.v, inner.row(thread), width);
    }
  });
}

}  // namespace transformer
