// A single product, as a linear layer computes it.
#pragma once

#include "kernels/gemm_together.h"

namespace transformer::testing {

inline void multiply(ConstView a, const Matrix& b, View c, const Epilogue& epilogue, Workspace& workspace) {
  const RowsProduct product = {&b, c, epilogue};
  gemm_together(a, {&product, 1}, workspace);
}

}  // namespace transformer::testing
