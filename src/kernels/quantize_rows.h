// Activations as integers. Each row is quantised by itself, on the fly, so that it depends on no other row.
#pragma once

#include <cstdint>

#include "base/arena.h"
#include "base/quantized_matrix.h"
#include "base/thread_pool.h"

namespace transformer {

// Rows of integers q with x = (q - zero) * scale; 0 stays exactly 0.
// kQuads: q of 8 bits, 0 to 127. The row's range, including 0, is spread over all of them (Jacob et al. 2018, eq. 1).
// kPairs: signed q of 16 bits, zero = 0. Their range is as large as sums of products with weights up to 127 allow in 32
// bits: all 16 bits up to a depth of 512, 13 bits at 4096.
// The scale of a row with NaN or infinity is NaN or infinite.
struct QuantizedRows {
  const std::int8_t* row(int index) const { return integers + index * stride; }

  const std::int8_t* integers;  // 8 or 16 bits each
  std::ptrdiff_t stride;        // bytes from row to row; covers whole groups, so that they can be read
  const float* scales;          // [rows]
  const std::int32_t* zeros;    // [rows]
  int rows;
};

// Quantises x [rows, depth]; the result is in the arena.
QuantizedRows quantize_rows(ConstView x, DotGroup group, Arena& arena, ThreadPool& threads);

// The greatest magnitude of q - zero at a depth.
int largest_activation(DotGroup group, int depth);

}  // namespace transformer
