// The last step of a matrix product: from the sums to C.
#pragma once

#include "base/tensor.h"

namespace transformer {

enum class Activation;  // its names change more often than products do: kernels/activation.h

// c = activation(sum + bias) + residual
struct Epilogue {
  const float* bias = nullptr;  // [n]
  Activation activation = {};
  ConstView residual = {};  // [m, n], or none
};

// Applies the epilogue to a block of C that contains the sums and starts at (row, col).
void finish(View block, int row, int col, const Epilogue& epilogue);

}  // namespace transformer
