// One row of a panel of B, kPanel columns, as two vectors of floats, whatever type the panel stores.
#pragma once

#include <cstdint>
#include <limits>

#include "base/half.h"
#include "kernels/panels.h"
#include "kernels/simd.h"

namespace transformer {

inline constexpr int kPanelVectors = 2;
static_assert(kPanel == kPanelVectors * kLanes, "panels are cut for another vector unit");

// The formats of a panel: the type of its elements, how a row of it is loaded, and by what the loaded columns are to be
// multiplied to get their product with x.
struct FloatPanel {
  using Element = float;
  static Vec factor(float x) { return Vec(x); }
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
  static bool takes_factor(float) { return true; }
  static Vec factor(float x) { return Vec(x); }
  static Vec number(Vec column) { return column; }
  void load_row(const std::uint16_t* row, Vec* columns) const { join(Halves::load_unaligned(row), Halves(0), columns); }
};

// Panels of binary16: see HalfCode. The scale, a power of two, is not for the columns but for their factors, of which
// there are fewer: the products are the same, unless a scaled factor is infinite.
struct F16Panel {
  using Element = std::uint16_t;
  Vec scale;
  float largest_factor;
  explicit F16Panel(HalfCode code)
      : scale(code.scale), largest_factor(std::numeric_limits<float>::max() / code.scale) {}
  bool takes_factor(float magnitude) const { return magnitude <= largest_factor; }
  Vec factor(float x) const { return Vec(x) * scale; }
  Vec number(Vec column) const { return column * scale; }
  void load_row(const std::uint16_t* row, Vec* columns) const {
    const Halves codes = Halves::load_unaligned(row);
    // A shift that repeats the sign: it stays at the top.
    const auto shifted = xsimd::bitwise_cast<std::int16_t>(codes) >> 3;
    join(xsimd::bitwise_cast<std::uint16_t>(shifted) & Halves(0x8fff), codes << 13, columns);
  }
};

}  // namespace transformer
