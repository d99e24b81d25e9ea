#include "attention/score_attention.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"

namespace transformer {

void attend_by_scores(const ScoreAttention& attention, ConstView bias, ConstView values, Workspace& workspace) {
  for (int query = 0; query < attention.scores.rows; ++query) {
    float* weights = attention.weights.row(query);
    std::copy_n(attention.scores.row(query), attention.scores.cols, weights);
    if (bias.data) add_row(bias.row(query), weights, attention.scores.cols);
  }
  softmax(attention.weights, attention.weights);
  weighted_sum(attention.weights, values, attention.context, workspace);
}

void weighted_sum(ConstView weights, ConstView values, View context, Workspace& workspace) {
  gemm(weights, PackedMatrix::from_rows(values), context, {}, workspace.threads);
}

}  // namespace transformer
