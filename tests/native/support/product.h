// A single product, as a linear layer computes it.
#pragma once

#include "matrices/product.h"

namespace transformer::testing {

using transformer::multiply;

inline void multiply(ConstView a, const Matrix& b, View c, const Epilogue& epilogue, Workspace& workspace) {
  const RowsProduct product = {&b, c, epilogue};
  multiply_together(a, {&product, 1}, workspace);
}

}  // namespace transformer::testing
