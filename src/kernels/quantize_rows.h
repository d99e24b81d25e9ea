// Activations as integers, each row by itself and on the fly: what comes of a row depends on nothing beside it.
#pragma once

#include <cstdint>

#include "base/arena.h"
#include "base/quantized_matrix.h"
#include "base/thread_pool.h"

namespace transformer {

// Rows of integers q of x = (q - zero) * scale, where q - zero has the sign of x, and zero is exactly zero.
//   kQuads  q of 8 bits, 0 to 127; the row's numbers from the smallest to the largest, 0 among them, are spread over
//   all
//           of that (Jacob et al. 2018, eq. 1)
//   kPairs  q of 16 bits, of both signs; zero is 0. As large as sums of products with weights of 127 may be in 32 bits:
//           all 16 bits to a depth of 512, 13 bits at 4096
// A row that holds NaN or infinity has a scale that is NaN or infinite.
struct QuantizedRows {
  const std::int8_t* row(int index) const { return integers + index * stride; }

  const std::int8_t* integers;  // of 8 or 16 bits
  std::ptrdiff_t stride;        // bytes from row to row; more than the row's whole groups, all of which can be read
  const float* scales;          // [rows]
  const std::int32_t* zeros;    // [rows]
  int rows;
};

// x [rows, depth], into memory of the arena.
QuantizedRows quantize_rows(ConstView x, DotGroup group, Arena& arena, ThreadPool& threads);

// The largest magnitude of q - zero at a depth.
int largest_activation(DotGroup group, int depth);

}  // namespace transformer
