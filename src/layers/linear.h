// y = x W^T + b; the only layer that knows whether W is kept in float32 or in 8 bits.
#pragma once

#include <memory>
#include <span>

#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "weights/weights.h"

namespace transformer {

// The matrix of a Linear. An embedding table is one too, so that a tied output projection shares it.
using SharedMatrix = std::shared_ptr<const Matrix>;

// Takes `name` [out, in] from the scope.
SharedMatrix take_matrix(const WeightScope& scope, std::string_view name, int out_features, int in_features);

// Where a sub-layer writes f(x) + residual; out overlaps neither x nor the residual, which may be missing.
struct ResidualOutput {
  View out;
  ConstView residual = {};
};

class Linear {
 public:
  // scope: weight [out_features, in_features]; bias [out_features] where there is one
  Linear(const WeightScope& scope, int in_features, int out_features, bool bias);
  Linear(std::string name, SharedMatrix weight, Tensor bias);

  int in_features() const { return weight_->depth(); }
  int out_features() const { return weight_->cols(); }

  // The same map to these of its outputs alone, in this order.
  Linear select(std::span<const int> outputs) const;

  // x [rows, in_features] -> out [rows, out_features], then out = activation(out) + residual where they are given.
  // out overlaps neither x nor the residual.
  void forward(ConstView x, View out, Workspace& workspace, Activation activation = Activation::kNone,
               ConstView residual = {}) const;

 private:
  std::string name_;  // in paths: "q_proj"
  SharedMatrix weight_;
  Tensor bias_;  // [out_features], or empty
};

}  // namespace transformer
