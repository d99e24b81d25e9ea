#include "layers/linear.h"

#include <algorithm>
#include <array>

#include "matrices/product.h"

namespace transformer {

const LinearConfig& checked(const LinearConfig& config) {
  require(config.in_features > 0 && config.out_features > 0, "inFeatures and outFeatures must be positive, got ",
          config.in_features, " and ", config.out_features);
  return config;
}

Linear::Linear(const WeightScope& scope, int in_features, int out_features, bool bias)
    : name_(scope.name()),
      weight_(scope.take_matrix("weight", out_features, in_features)),
      bias_(bias ? scope.take("bias", {out_features}) : Tensor()) {}

Linear::Linear(std::string name, SharedMatrix weight, Tensor bias)
    : name_(std::move(name)), weight_(std::move(weight)), bias_(std::move(bias)) {}

Linear Linear::select(std::span<const int> outputs) const {
  Tensor bias;
  if (!bias_.empty()) {
    bias = Tensor({count_of(outputs)});
    std::transform(outputs.begin(), outputs.end(), bias.data(), [this](int output) { return bias_.data()[output]; });
  }
  return Linear(name_, weight_->select_columns(outputs), std::move(bias));
}

void Linear::forward(ConstView x, View out, Workspace& workspace, Activation activation, ConstView residual) const {
  const PathScope part(workspace, name_);
  const double floats = x.elements() + out.elements() + residual.elements();
  workspace.count({2.0 * x.elements() * out.cols, static_cast<double>(weight_->bytes()), floats * sizeof(float)});
  const RowsProduct product = {weight_.get(), out, {bias(), activation, residual}};
  multiply_together(x, {&product, 1}, workspace);
}

void Linear::forward_together(ConstView x, std::initializer_list<LinearOutput> outputs, Workspace& workspace) {
  if (workspace.profiler) {  // which times each layer by itself
    for (const auto& [layer, out] : outputs) layer.forward(x, out, workspace);
    return;
  }
  std::array<RowsProduct, 3> products;
  std::size_t count = 0;
  for (const auto& [layer, out] : outputs) products[count++] = {layer.weight_.get(), out, {layer.bias()}};
  multiply_together(x, {products.data(), count}, workspace);
}

}  // namespace transformer
