// The derivatives of activation functions, for training.
#pragma once

#include "base/tensor.h"
#include "kernels/activation.h"

namespace transformer {

// gradient <- gradient * activation'(x), elementwise; the derivative of relu at 0 is 0. unsupported for an activation
// other than relu, gelu, gelu_tanh and silu.
void activate_backward(Activation activation, ConstView x, View gradient);

}  // namespace transformer
