// The matrix product C = A B in integers with B in 4 bits, and the rows of A quantised on the fly to 8 bits.
//
// The sums of a group are exact, and the groups are added in one order: a row has the same bits alone, in a batch, or
// next to padding, and on every machine.
#pragma once

#include "base/tensor.h"
#include "kernels/panels.h"
#include "kernels/quantize_rows.h"

namespace transformer {

// A block of C [m, n] = A [m, k] B [k, n], whose rows begin with that one of a and whose columns begin with the first
// panel of b: (sum_g (sum_{k in g} q_a q_b) * scale_b,g) * scale_a. A row of A with NaN or infinity gives a row of NaN.
// c does not overlap A.
void gemm_block(const QuantizedRows& a, int row, const NibblePanels& b, View c);

}  // namespace transformer
