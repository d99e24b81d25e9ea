#include "attention/query_key_norm.h"

#include <algorithm>

#include "kernels/norm.h"

namespace transformer {

HeadsNorm::HeadsNorm(const WeightScope& scope, QueryKeyNorm span, HeadsWidth width, const NormConfig& config)
    : name_(scope.name()),
      config_(config),
      parts_(span == QueryKeyNorm::kWidth ? 1 : width.heads),
      stride_(span == QueryKeyNorm::kHead ? 0 : width.d_head),
      weight_(scope.take("weight", {span == QueryKeyNorm::kHead ? width.d_head : width.heads * width.d_head})) {}

void HeadsNorm::forward(View x, Workspace& workspace) const {
  const PathScope path(workspace, name_);
  workspace.count({kRmsNormFlops * x.elements(), 0, 2.0 * x.elements() * sizeof(float)});
  const int width = x.cols / parts_;
  workspace.threads.parallel_for(ceil_div(x.rows, kNormTaskRows), kNormWork * x.elements(), [&](int task, int) {
    const int row = task * kNormTaskRows;
    const View rows = x.row_range(row, std::min(kNormTaskRows, x.rows - row));
    for (int part = 0; part < parts_; ++part) {
      const View own = rows.column_range(part * width, width);
      const float* weight = weight_.data() + part * stride_;
      if (config_.kind == NormKind::kLayer) {
        layer_norm(own, weight, nullptr, config_.eps, own);
      } else {
        rms_norm(own, weight, config_.eps, own);
      }
    }
  });
}

}  // namespace transformer
