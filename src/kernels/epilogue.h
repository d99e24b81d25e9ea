// What happens to a finished sum of a matrix product on its way into C.
#pragma once

#include "base/tensor.h"
#include "kernels/activation.h"

namespace transformer {

// c = activation(sum + bias) + residual
struct Epilogue {
  const float* bias = nullptr;  // [n]
  Activation activation = Activation::kNone;
  ConstView residual = {};  // [m, n], or none
};

// The epilogue for a block of C that holds the sums and begins at (row, col).
void finish(View block, int row, int col, const Epilogue& epilogue);

}  // namespace transformer
