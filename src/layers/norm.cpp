#include "layers/norm.h"

#include <algorithm>

#include "kernels/norm.h"

namespace transformer {

Norm::Norm(const WeightScope& scope, int d_model, const NormConfig& config)
    : name_(scope.name()),
      config_(config),
      weight_(scope.take("weight", {d_model})),
      bias_(config.kind == NormKind::kLayer && config.bias ? scope.take("bias", {d_model}) : Tensor()) {}

void Norm::forward(ConstView x, View out, Workspace& workspace) const {
  const PathScope part(workspace, name_);
  workspace.count({kLayerNormFlops * x.elements(), 0, 2.0 * x.elements() * sizeof(float)});
  const int tasks = ceil_div(x.rows, kNormTaskRows);
  workspace.threads.parallel_for(tasks, kNormWork * x.rows * x.cols, [&](int task, int) {
    const int row = task * kNormTaskRows;
    const int rows = std::min(kNormTaskRows, x.rows - row);
    if (config_.kind == NormKind::kLayer) {
      layer_norm(x.row_range(row, rows), weight_.data(), bias_.empty() ? nullptr : bias_.data(), config_.eps,
                 out.row_range(row, rows));
    } else {
      rms_norm(x.row_range(row, rows), weight_.data(), config_.eps, out.row_range(row, rows));
    }
  });
}

}  // namespace transformer
