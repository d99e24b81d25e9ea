// The products C = A B of a model: nearly all of a transformer's work. Dispatched here, whatever the format of B.
#pragma once

#include <span>

#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "matrices/float_matrix.h"

namespace transformer {

struct RowsProduct {
  const Matrix* b = nullptr;
  View c = {};  // overlaps neither the rows nor the residual
  Epilogue epilogue = {};
};

// c = A b, then the epilogue, for several products of the same rows, as those for queries, keys and values, in one loop
// of the threads: the same bits as of each product alone. A is quantised once for all matrices of a format.
void multiply_together(ConstView a, std::span<const RowsProduct> products, Workspace& workspace);

// C [m, n] = A [m, k] B [k, n] for a B that is not a weight. C overlaps neither A nor the residual.
void multiply(ConstView a, const FloatMatrix& b, View c, const Epilogue& epilogue, ThreadPool& threads);

}  // namespace transformer
