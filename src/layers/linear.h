// y = x W^T + b, for a W in whatever format it is kept.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>

#include "base/fields.h"
#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "weights/weights.h"

namespace transformer {

// The matrix of a Linear, or an embedding table, which a tied output projection shares.
using SharedMatrix = std::shared_ptr<const Matrix>;

// The output f(x) + residual of a sub-layer. out overlaps neither x nor the residual, which is optional.
struct ResidualOutput {
  View out;
  ConstView residual = {};
};

// y = activation(x W^T + b), called alone.
struct LinearConfig {
  int in_features = 0;
  int out_features = 0;
  bool bias = true;
  Activation activation = {};
};

constexpr auto fields_of(const LinearConfig*) {
  return std::tuple{Field{"inFeatures", &LinearConfig::in_features}, Field{"outFeatures", &LinearConfig::out_features},
                    Field{"bias", &LinearConfig::bias}, Field{"activation", &LinearConfig::activation}};
}

// The config itself; invalid_argument, in the user's names, for impossible sizes.
const LinearConfig& checked(const LinearConfig& config);

class Linear;

// Where the output of a layer goes.
struct LinearOutput {
  const Linear& layer;
  View out;
};

class Linear {
 public:
  // scope: weight [out_features, in_features]; bias [out_features] (optional)
  Linear(const WeightScope& scope, int in_features, int out_features, bool bias);
  Linear(std::string name, SharedMatrix weight, Tensor bias);

  int in_features() const { return weight_->depth(); }
  int out_features() const { return weight_->cols(); }

  // A Linear with only the given outputs, in that order.
  Linear select(std::span<const int> outputs) const;

  // x [rows, in_features] -> out [rows, out_features], then out = activation(out) + residual.
  // out overlaps neither x nor the residual.
  void forward(ConstView x, View out, Workspace& workspace, Activation activation = {}, ConstView residual = {}) const;

  // The outputs of up to three layers for the same x, in one loop of the threads: the same bits as of each alone. With
  // queries, keys and values, an attention layer of 8 to 64 tokens takes 3 to 6 % less time in 8 and 4 bits, where x is
  // quantised once, and a step of decoding 1 to 3 % less.
  static void forward_together(ConstView x, std::initializer_list<LinearOutput> outputs, Workspace& workspace);

 private:
  const float* bias() const { return bias_.empty() ? nullptr : bias_.data(); }

  std::string name_;  // in paths: "q_proj"
  SharedMatrix weight_;
  Tensor bias_;  // [out_features], or empty
};

}  // namespace transformer
