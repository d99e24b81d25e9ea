// The matrix product C = A B with a packed B: nearly all of a transformer's work.
//
// Every element of C is a sum over k in ascending order, in one accumulator. Which other rows or columns are computed
// never changes that order, so that a row has the same bits alone, in a batch, or next to padding.
#pragma once

#include <cstddef>

#include "base/half_matrix.h"
#include "base/packed_matrix.h"
#include "base/tensor.h"
#include "base/thread_pool.h"
#include "kernels/epilogue.h"

namespace transformer {

// C [m, n] = A [m, k] B [k, n]. C overlaps neither A nor the residual.
void gemm(ConstView a, const PackedMatrix& b, View c, const Epilogue& epilogue, ThreadPool& threads);

// A block of such a product, without its epilogue: c [rows of a, some columns] = a B. Its columns begin with that panel
// of B.
void gemm_block(ConstView a, const PackedMatrix& b, int panel, View c);
// The same for B in 16 bits, of finite numbers: the same bits as with those numbers in a PackedMatrix.
void gemm_block(ConstView a, const HalfMatrix& b, int panel, View c);

// Panels of kPanel columns, [k, kPanel] each; panel p starts at first + p * stride.
struct Panels {
  const float* first;
  std::ptrdiff_t stride;
  int count;
};

// A strip of a product, for attention, which stores keys and values in panels:
// C [rows, b.count * kPanel] (+)= A [rows, k] B. Writes whole panels. With `accumulate` it adds to
// C.
void gemm_panels(ConstView a, const Panels& b, View c, bool accumulate);

}  // namespace transformer
