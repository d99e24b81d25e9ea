// The position-wise feed-forward layer: FFN(x) = f(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2), or gated:
// (f(x W1) * (x V)) W2 (Shazeer 2020, eq. 6).
#pragma once

#include <optional>

#include "base/fields.h"
#include "kernels/activation.h"
#include "layers/linear.h"

namespace transformer {

struct FeedForwardConfig {
  int d_model = 0;
  int d_ff = 0;
  Activation activation = Activation::kRelu;
  bool gated = false;
  bool bias = true;
};

constexpr auto fields_of(const FeedForwardConfig*) {
  return std::tuple{Field{"dModel", &FeedForwardConfig::d_model}, Field{"dFf", &FeedForwardConfig::d_ff},
                    Field{"activation", &FeedForwardConfig::activation}, Field{"gated", &FeedForwardConfig::gated},
                    Field{"bias", &FeedForwardConfig::bias}};
}

// The config itself; invalid_argument, in the user's names, for impossible sizes.
const FeedForwardConfig& checked(const FeedForwardConfig& config);

class FeedForward {
 public:
  // scope: fc1 [d_ff, d_model], gate [d_ff, d_model] if gated, fc2 [d_model, d_ff], each weight and bias
  FeedForward(const WeightScope& scope, const FeedForwardConfig& config);

  int d_model() const { return fc1_.in_features(); }

  // Observable: activations [batch, time, d_ff], what fc2 reads.
  // x [rows, d_model] -> result.out [rows, d_model] = FFN(x) + residual
  void forward(ConstView x, const ResidualOutput& result, Workspace& workspace) const;

 private:
  // The same for a block of rows; hidden and gate are its scratch memory.
  void forward_rows(ConstView x, const ResidualOutput& result, View hidden, View gate, Workspace& workspace) const;

  Activation activation_;
  Linear fc1_;
  std::optional<Linear> gate_;
  Linear fc2_;
};

}  // namespace transformer
