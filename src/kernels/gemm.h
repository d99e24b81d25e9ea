// The matrix product C = A B with B in panels of floating-point numbers.
//
// Every element of C is a sum over k in ascending order, in one accumulator. Which other rows or columns are computed
// never changes that order, so that a row has the same bits alone, in a batch, or next to padding.
#pragma once

#include <array>

#include "base/tensor.h"
#include "kernels/panels.h"

namespace transformer {

// Where a product finds B: some of it in the caches, or all of it in memory.
enum class Distance { kNear, kFar };

// A block of such a product: c [rows of a, some columns] = a B, whose columns begin with the first panel of b. The
// distance changes no bits.
void gemm_block(ConstView a, const Panels& b, View c, Distance distance = Distance::kNear);
// The same for B in 16 bits, of finite numbers: the same bits as with those numbers in float32.
void gemm_block(ConstView a, const HalfPanels& b, View c);

// A strip of a product, for attention, which stores keys and values in panels: the first rows of C [.., whole
// panels] (+)= A [rows, k] B. With `accumulate` it adds to C.
void gemm_panels(ConstView a, const Panels& b, View c, bool accumulate);

// Such strips of one row each, with a B of its own: those of several heads for one query.
struct RowStrip {
  const float* a;  // [k]
  const float* b;  // the first panel
  float* c;        // [whole panels]
};

inline constexpr int kStripsAtOnce = 4;

struct RowStrips {
  std::array<RowStrip, kStripsAtOnce> strips;
  int count;                // of the strips: from 2 on
  std::ptrdiff_t b_stride;  // from panel to panel
  int panels;
  int depth;
};

// All of them at once, the same bits as of each alone.
void gemm_row_strips(const RowStrips& rows, bool accumulate);

}  // namespace transformer
