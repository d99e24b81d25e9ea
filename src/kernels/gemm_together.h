// Several products of the same rows, as those for queries, keys and values, in one loop of the threads.
#pragma once

#include <span>

#include "base/matrix.h"
#include "base/workspace.h"
#include "kernels/epilogue.h"

namespace transformer {

struct RowsProduct {
  const Matrix* b = nullptr;  // in any format
  View c = {};                // overlaps neither the rows nor the residual
  Epilogue epilogue = {};
};

// c = A b, then the epilogue, for each product: the same bits as of each product alone. A is quantised once for all
// matrices of a format.
void gemm_together(ConstView a, std::span<const RowsProduct> products, Workspace& workspace);

}  // namespace transformer
