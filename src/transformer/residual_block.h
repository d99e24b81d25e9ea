// A sub-layer with its residual connection and its norms.
#pragma once

#include <optional>

#include "base/segments.h"
#include "layers/linear.h"
#include "layers/norm.h"
#include "transformer/config.h"

namespace transformer {

// The rows [rows, d_model] of a block.
struct BlockRows {
  View x;           // in place
  ConstView input;  // x, or what x was before a parallel block
  const Segments& sequences;
};

class ResidualBlock {
 public:
  // scope: NAME_norm; with norms on both sides NAME_post_norm too; NAME_scale.weight [d_model] with layer_scale
  // name: the sub-layer's, in paths; has_norm: false leaves out NAME_norm
  ResidualBlock(const WeightScope& scope, const char* name, const LayerConfig& config, bool has_norm = true);

  // As NormPlace describes. sublayer(in, {out, residual}) writes f(in) + residual to out.
  // Observable: residual, the block's output.
  template <class Sublayer>
  void forward(const BlockRows& rows, Workspace& workspace, const Sublayer& sublayer) const {
    run(
        rows, workspace,
        [](const void* self, ConstView in, const ResidualOutput& result) {
          (*static_cast<const Sublayer*>(self))(in, result);
        },
        &sublayer);
  }

 private:
  using Call = void (*)(const void* sublayer, ConstView in, const ResidualOutput& result);
  void run(const BlockRows& rows, Workspace& workspace, Call call, const void* sublayer) const;

  const char* name_;
  NormPlace place_;
  float scale_;
  Tensor layer_scale_;  // [d_model], or empty
  std::optional<Norm> before_;
  std::optional<Norm> branch_;  // of what the sub-layer adds
  std::optional<Norm> sum_;
};

}  // namespace transformer
