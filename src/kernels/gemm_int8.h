// The matrix product C = A B in integers: B is in 8 bits, and the rows of A are quantised on the fly.
//
// Sums of integers are exact, so that a row has the same bits alone, in a batch, or next to padding.
#pragma once

#include "base/quantized_matrix.h"
#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "kernels/integer_blocks.h"

namespace transformer {

// The group of the fastest product on this machine: quads if the vector unit has a four-way dot product that passes its
// test, else pairs. Constant while the program runs.
DotGroup int8_dot_group();

// C [m, n] = A [m, k] B [k, n]: (sum_k (q_a - zero_a) q_b) * (scale_a * scale_b), then the epilogue. A row of A with
// NaN or infinity gives a row of NaN. C overlaps neither A nor the residual.
void gemm_int8(ConstView a, const QuantizedMatrix& b, View c, const Epilogue& epilogue, Workspace& workspace);

// A block of such a product, without its epilogue: c [some rows, some columns], which begins at that place.
void gemm_block(const Strip<QuantizedMatrix>& at, View c);

}  // namespace transformer
