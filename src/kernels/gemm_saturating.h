// A row times a matrix in integers whose sums of two products saturate at 16 bits, as those of x86's pmaddubsw do.
#pragma once

#include <cstdint>

#include "base/tensor.h"
#include "kernels/panels.h"

namespace transformer {

// c [1, n] = sum over pairs of k of sat16(a_k b_k + a_k+1 b_k+1), as floats, for a [k, even] from 0 to 255 and panels
// of pairs. n may end inside of a panel.
void multiply_saturating(const std::int16_t* a, const BytePanels& b, View c);

}  // namespace transformer
