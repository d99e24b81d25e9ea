#include "layers/norm.h"

#include <algorithm>

#include "kernels/norm.h"

namespace transformer {

namespace {
constexpr int kTaskRows = 16;
constexpr double kWorkPerElement = 3;  // three passes over a row
}  // namespace

Norm::Norm(const WeightScope& scope, int d_model, const NormConfig& config)
    : config_(config),
      weight_(scope.take("weight", {d_model})),
      bias_(config.kind == NormKind::kLayer && config.bias ? scope.take("bias", {d_model}) : Tensor()) {}

void Norm::forward(ConstView x, View out, Workspace& workspace) const {
  const int tasks = (x.rows + kTaskRows - 1) / kTaskRows;
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
