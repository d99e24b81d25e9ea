#include "attention/query_key_norm.h"

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
  normalize(x, x, config_, {{weight_.data(), nullptr}, parts_, stride_}, workspace);
}

}  // namespace transformer
