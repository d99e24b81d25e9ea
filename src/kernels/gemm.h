// Matrix product with a right-hand side that is packed once: C = A B, the work of nearly all of a transformer.
//
// Every element of C is one sum over k in rising order, kept in one accumulator. How many rows or columns are computed
// side by side never changes that order, so one row comes out the same alone, in a batch, or beside padding.
#pragma once

#include <cstddef>

#include "base/packed_matrix.h"
#include "base/tensor.h"
#include "base/thread_pool.h"
#include "kernels/epilogue.h"

namespace transformer {

// C [m, n] = A [m, k] B [k, n]. C overlaps neither A nor the residual.
void gemm(ConstView a, const PackedMatrix& b, View c, const Epilogue& epilogue, ThreadPool& threads);

// Panels of kPanel columns, [k, kPanel] each, of which panel p starts at first + p * stride.
struct Panels {
  const float* first;
  std::ptrdiff_t stride;
  int count;
};

// One strip of a product, for attention, which keeps keys and values as panels of its own:
// C [rows, b.count * kPanel] (+)= A [rows, k] B. Writes whole panels. With `accumulate` the sums go on from what C
// holds.
void gemm_panels(ConstView a, const Panels& b, View c, bool accumulate);

}  // namespace transformer
