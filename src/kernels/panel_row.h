// One row of a panel of B, kPanel columns, as two vectors of floats, whatever type the panel stores.
#pragma once

#include <cstdint>

#include "base/half.h"
#include "kernels/panels.h"
#include "kernels/simd.h"

namespace transformer {

inline constexpr int kPanelVectors = 2;
static_assert(kPanel == kPanelVectors * kLanes, "panels are cut for another vector unit");

// The formats of a panel: the type of its elements, and how a row of it is loaded.
struct FloatPanel {
  using Element = float;
  void load_row(const float* row, Vec* columns) const {
    columns[0] = load(row);
    columns[1] = load(row + kLanes);
  }
};

using Halves = xsimd::batch<std::uint16_t>;
static_assert(Halves::size == kPanel);

// A float32 of an upper and a lower half, the first half of them and the rest.
inline void join(Halves upper, Halves lower, Vec* numbers) {
  numbers[0] = xsimd::bitwise_cast<float>(xsimd::zip_lo(lower, upper));
  numbers[1] = xsimd::bitwise_cast<float>(xsimd::zip_hi(lower, upper));
}

// Panels of bfloat16.
struct Bf16Panel {
  using Element = std::uint16_t;
  explicit Bf16Panel(HalfCode) {}
  void load_row(const std::uint16_t* row, Vec* columns) const { join(Halves::load_unaligned(row), Halves(0), columns); }
};

// Panels of binary16: see HalfCode.
struct F16Panel {
  using Element = std::uint16_t;
  Vec scale;
  explicit F16Panel(HalfCode code) : scale(code.scale) {}
  void load_row(const std::uint16_t* row, Vec* columns) const {
    const Halves codes = Halves::load_unaligned(row);
    // A shift that repeats the sign: it stays at the top.
    const auto shifted = xsimd::bitwise_cast<std::int16_t>(codes) >> 3;
    join(xsimd::bitwise_cast<std::uint16_t>(shifted) & Halves(0x8fff), codes << 13, columns);
    for (int v = 0; v < kPanelVectors; ++v) columns[v] *= scale;
  }
};

}  // namespace transformer
