// One row of a panel of B, kPanel columns, as two vectors of floats, whatever type the panel stores.
#pragma once

#include <cstdint>

#include "base/packed_matrix.h"
#include "kernels/simd.h"

namespace transformer {

inline constexpr int kPanelVectors = 2;
static_assert(kPanel == kPanelVectors * kLanes, "panels are cut for another vector unit");

// The formats of a panel: the type of its elements, and how a row of it is loaded.
struct FloatPanel {
  using Element = float;
  static void load_row(const float* row, Vec* columns) {
    columns[0] = load(row);
    columns[1] = load(row + kLanes);
  }
};

using Words = xsimd::batch<std::uint32_t>;

// Panels of a HalfMatrix: Number::widen turns 16 bits, in the upper halves of words whose lower halves it ignores, to
// floats.
template <class Number>
struct HalfPanel {
  using Element = std::uint16_t;
  static void load_row(const std::uint16_t* row, Vec* columns) {
    const Words words = Words::load_unaligned(reinterpret_cast<const std::uint32_t*>(row));
    columns[0] = Number::widen(words << 16);
    columns[1] = Number::widen(words);
  }
};

struct Bf16 {
  static Vec widen(Words halves) { return xsimd::bitwise_cast<float>(halves & Words(0xffff0000u)); }
};

// Every finite number; of infinity and NaN it makes finite ones. A product with 2^112 would be shorter, but processors
// take 150 cycles for a subnormal factor. Here t, the bits with a greater exponent, is right for normal numbers. A
// subnormal one has no leading 1, which t adds: t = 2^-15 (1 + m), and the number is 2^-14 m = 2 t - 2^-14. That is
// less than t exactly for subnormal numbers, and positive, so that its bits compare like integers.
struct F16 {
  static Vec widen(Words halves) {
    const Words raised = (halves >> 3 & Words(0x0fffe000u)) + Words(112u << 23);
    const Vec t = xsimd::bitwise_cast<float>(raised);
    const Words magnitude = xsimd::min(raised, xsimd::bitwise_cast<std::uint32_t>(t + t - Vec(0x1p-14f)));
    return xsimd::bitwise_cast<float>(magnitude | (halves & Words(0x80000000u)));
  }
};

using Bf16Panel = HalfPanel<Bf16>;
using F16Panel = HalfPanel<F16>;

}  // namespace transformer
