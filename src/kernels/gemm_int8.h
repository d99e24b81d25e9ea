// Matrix product in integers: C = A B, where B is kept in 8 bits and the rows of A are quantised on the fly.
//
// Sums of integers are exact, so their order does not matter: one row comes out the same alone, in a batch, or beside
// padding.
#pragma once

#include "base/quantized_matrix.h"
#include "base/workspace.h"
#include "kernels/epilogue.h"
#include "kernels/quantize_rows.h"

namespace transformer {

// The form of matrices that the fastest product here wants: quads where the vector unit multiplies four by four and was
// seen to do it right, else pairs. The same for as long as the program runs.
DotGroup int8_dot_group();

// C [m, n] = A [m, k] B [k, n]: (sum_k (q_a - zero_a) q_b) * (scale_a * scale_b), then the epilogue. A row of A that
// holds NaN or infinity makes a row of NaN. C overlaps neither A nor the residual.
void gemm_int8(ConstView a, const QuantizedMatrix& b, View c, const Epilogue& epilogue, Workspace& workspace);

}  // namespace transformer
