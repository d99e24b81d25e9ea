#include "layers/norm.h"

#include <algorithm>

#include "kernels/norm.h"

namespace transformer {

namespace {
constexpr int kTaskRows = 16;
constexpr double kWorkPerElement = 17;  // in multiply-adds of a product: measured, 0.7 ns against 0.04
constexpr double kFlopsPerElement = 8;  // of a layer norm: 1 for the mean, 3 for the variance, 4 for the result
}  // namespace

Norm::Norm(const WeightScope& scope, int d_model, const NormConfig& config)
    : name_(scope.name()),
      config_(config),
      weight_(scope.take("weight", {d_model})),
      bias_(config.kind == NormKind::kLayer && config.bias ? scope.take("bias", {d_model}) : Tensor()) {}

void Norm::forward(ConstView x, View out, Workspace& workspace) const {
  const PathScope part(workspace, name_);
  workspace.count({kFlopsPerElement * x.elements(), 0, 2.0 * x.elements() * sizeof(float)});
  const int tasks = ceil_div(x.rows, kTaskRows);
  workspace.threads.parallel_for(tasks, kWorkPerElement * x.rows * x.cols, [&](int task, int) {
    const int row = task * kTaskRows;
    const int rows = std::min(kTaskRows, x.rows - row);
    if (config_.kind == NormKind::kLayer) {
      layer_norm(x.row_range(row, rows), weight_.data(), bias_.empty() ? nullptr : bias_.data(), config_.eps,
                 out.row_range(row, rows));
    } else {
      rms_norm(x.row_range(row, rows), weight_.data(), config_.eps, out.row_range(row, rows));
    }
  });
}

}  // namespace transformer
