// The matrix product C = A B in integers with B in 4 bits, and the rows of A quantised on the fly to 8 bits.
//
// The sums of a group are exact, and the groups are added in one order: a row has the same bits alone, in a batch, or
// next to padding, and on every machine.
#pragma once

#include "base/int4_matrix.h"
#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "kernels/integer_blocks.h"

namespace transformer {

// C [m, n] = A [m, k] B [k, n]: (sum_g (sum_{k in g} q_a q_b) * scale_b,g) * scale_a, then the epilogue. A row of A
// with NaN or infinity gives a row of NaN. C overlaps neither A nor the residual.
void gemm_int4(ConstView a, const Int4Matrix& b, View c, const Epilogue& epilogue, Workspace& workspace);

// A block of such a product, without its epilogue: c [some rows, some columns], which begins at that place.
void gemm_block(const Strip<Int4Matrix>& at, View c);

}  // namespace transformer
