// Activation functions of the feed-forward layer.
#pragma once

#include "base/names.h"
#include "base/tensor.h"

namespace transformer {

// Names as in the papers and in PyTorch; gelu is the exact erf form, gelu_tanh its approximation (Hendrycks and Gimpel,
// 2016), silu is x * sigmoid(x) (Elfwing et al., 2017; also called swish).
// quick_gelu is x * sigmoid(1.702 x), relu2 is relu(x)^2 (So et al. 2021), mish is x * tanh(log(1 + e^x)) (Misra 2019).
enum class Activation { kNone, kRelu, kRelu2, kRelu6, kGelu, kGeluTanh, kQuickGelu, kSilu, kMish, kSigmoid, kTanh };

constexpr auto enum_names(Activation) {
  return std::to_array<Named<Activation>>({{"none", Activation::kNone},
                                           {"relu", Activation::kRelu},
                                           {"relu2", Activation::kRelu2},
                                           {"relu6", Activation::kRelu6},
                                           {"gelu", Activation::kGelu},
                                           {"gelu_tanh", Activation::kGeluTanh},
                                           {"quick_gelu", Activation::kQuickGelu},
                                           {"silu", Activation::kSilu},
                                           {"mish", Activation::kMish},
                                           {"sigmoid", Activation::kSigmoid},
                                           {"tanh", Activation::kTanh}});
}

// x <- activation(x), elementwise.
void activate(Activation activation, View x);

// x <- activation(x) * gate, elementwise (Shazeer 2020, "GLU Variants Improve Transformer").
void activate_gated(Activation activation, View x, ConstView gate);

}  // namespace transformer
