#include "layers/linear.h"

namespace transformer {

SharedMatrix take_matrix(const WeightScope& scope, std::string_view name, int out_features, int in_features) {
  return std::make_shared<const PackedMatrix>(scope.take_matrix(name, out_features, in_features));
}

Linear::Linear(const WeightScope& scope, int in_features, int out_features, bool bias)
    : weight_(take_matrix(scope, "weight", out_features, in_features)),
      bias_(bias ? scope.take("bias", {out_features}) : Tensor()) {}

Linear::Linear(SharedMatrix weight, Tensor bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}

void Linear::forward(ConstView x, View out, Workspace& workspace, Activation activation, ConstView residual) const {
  gemm(x, *weight_, out, {bias_.empty() ? nullptr : bias_.data(), activation, residual}, workspace.threads);
}

}  // namespace transformer
