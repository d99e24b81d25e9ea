// The matrix product C = A B in integers: B is in 8 bits, and the rows of A are quantised on the fly.
//
// Sums of integers are exact, so that a row has the same bits alone, in a batch, or next to padding.
#pragma once

#include "base/tensor.h"
#include "kernels/panels.h"
#include "kernels/quantize_rows.h"

namespace transformer {

// The group of the fastest product on this machine: quads if the vector unit has a four-way dot product that passes its
// test, else pairs. Constant while the program runs.
DotGroup int8_dot_group();

// Whether this machine has no instruction for the dot product of quads, but multiplies them in steps (x86-64 without
// AVX-VNNI). Told by activations for which the instruction's result is left to the machine: sums of two, which are kept
// in 16 bits between the steps, saturate. For relaxed SIMD; constant while the program runs.
bool quads_take_steps();

// A block of C [m, n] = A [m, k] B [k, n], whose rows begin with that one of a and whose columns begin with the first
// panel of b: (sum_k (q_a - zero_a) q_b) * (scale_a * scale_b). A row of A with NaN or infinity gives a row of NaN. c
// does not overlap A.
void gemm_block(const QuantizedRows& a, int row, const BytePanels& b, View c);

}  // namespace transformer
