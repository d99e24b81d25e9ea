// Activations as integers. Each row is quantised by itself, on the fly, so that it depends on no other row.
#pragma once

#include <cstdint>

#include "base/arena.h"
#include "base/thread_pool.h"
#include "kernels/panels.h"

namespace transformer {

// The integers q of a row of activations x = (q - zero) * scale; 0 stays exactly 0.
// kUnsigned7: 0 to 127. The row's range, including 0, is spread over all of them (Jacob et al. 2018, eq. 1).
// kSigned8: -127 to 127, zero = 0. No coarser than kUnsigned7, and twice as fine if both signs reach equally far.
// kSigned16: signed, zero = 0. The range is as large as sums of products with weights up to 127 allow in 32 bits: all
// 16 bits up to a depth of 512, 13 bits at 4096.
enum class RowFormat { kUnsigned7, kSigned8, kSigned16 };

// The format for products with weights of 8 bits.
constexpr RowFormat row_format(DotGroup group) {
  return group == DotGroup::kQuads ? RowFormat::kUnsigned7 : RowFormat::kSigned16;
}

// Integers for each row. The scale of a row with NaN or infinity is NaN or infinite.
struct QuantizedRows {
  const std::int8_t* row(int index) const { return integers + index * stride; }

  const std::int8_t* integers;  // 8 or 16 bits each
  std::ptrdiff_t stride;        // bytes from row to row; covers whole groups, padded with zeros
  const float* scales;          // [rows]
  const std::int32_t* zeros;    // [rows]
  const std::int32_t* offsets;  // kSigned8: [rows, groups of kNibbleGroup], -8 times the sum of each group's integers
  int rows;
};

// Quantises x [rows, depth]; the result is in the arena.
QuantizedRows quantize_rows(ConstView x, RowFormat format, Arena& arena, ThreadPool& threads);

// The greatest magnitude of q - zero at a depth.
int largest_activation(RowFormat format, int depth);

}  // namespace transformer
