#include "kernels/gemm_int8.h"

#include <limits>

#include "kernels/int8_dot.h"
#include "kernels/tile_walk.h"

namespace transformer {

namespace {

template <class Dot>
struct ByteTile {
  static constexpr int kPanelCols = kIntegerPanel;
  static constexpr int kRows = kIsSpare<Dot> ? 1 : Dot::kTileRows;
  static constexpr int panels_at_once(int rows) { return kIsSpare<Dot> ? 1 : rows == 1 ? 4 : rows <= 3 ? 2 : 1; }

  ByteTile at_row(int offset) const { return {rows, b, row + offset}; }
  ByteTile at_panel(int panel) const {
    const int col = panel * kIntegerPanel;
    return {rows, {b.first + panel * b.stride, b.stride, b.groups, b.group, b.scales + col, b.sums + col}, row};
  }
  static constexpr bool accumulates() { return false; }

  // The accumulators are indexed by constants, so that they stay in registers.
  template <int Rows, int Panels>
  void multiply(int step, TilePlace c) const {
    constexpr int kVectors = Panels * kIntegerPanelVectors;
    constexpr int kGroup = size_of(Dot::kGroup);
    const Dot unit;
    Ints sums[Rows][kVectors];
    for (int r = 0; r < Rows; ++r) {
      // Subtracts in advance what the zero points add to each sum.
      for (int v = 0; v < kVectors; ++v) sums[r][v] = load_times(b.sums + column_of(v, step), -rows->zeros[row + r]);
    }
    const std::int8_t* activation = rows->row(row);
    const std::int8_t* weight = b.first;
    const std::ptrdiff_t a_stride = rows->stride;
    const std::ptrdiff_t panel_step = step * b.stride;
    for (int k = b.groups; k > 0; --k) {
      decltype(Dot::load_weights(weight)) weights[kVectors];
      for (int p = 0; p < Panels; ++p) {
        for (int v = 0; v < kIntegerPanelVectors; ++v) {
          weights[p * kIntegerPanelVectors + v] = Dot::load_weights(weight + p * panel_step + v * kIntLanes * kGroup);
        }
      }
      for (int r = 0; r < Rows; ++r) {
        const Ints activations = load_group(activation + r * a_stride);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = unit.dot(weights[v], activations, sums[r][v]);
      }
      activation += sizeof(std::int32_t);
      weight += kIntegerPanel * kGroup;
    }
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        store_scaled(c.data + r * c.stride + column_of(v, step), sums[r][v], rows->scales[row + r],
                     b.scales + column_of(v, step));
      }
    }
  }

  const QuantizedRows* rows;
  BytePanels b;
  int row;  // the first row of A
};

#if defined(TRANSFORMER_RELAXED_SIMD)
// Some engines have a faulty instruction (Node.js 20 gives twice the right result), so it is tested before use: with
// the greatest numbers, whose sums of two must not saturate at 16 bits, and with others.
template <class Dot>
bool is_right() {
  const Dot unit;
  std::int8_t weights[16];
  std::int8_t activations[4];
  for (const int step : {0, 1, 37}) {
    for (const int sign : {-1, 1}) {
      volatile int varying = step;  // so that the compiler cannot evaluate the test
      for (int i = 0; i < 16; ++i) weights[i] = static_cast<std::int8_t>(sign * (127 - i * varying % 128));
      for (int i = 0; i < 4; ++i) activations[i] = static_cast<std::int8_t>(127 - i * varying % 128);
      std::int32_t sums[kIntLanes];
      wasm_v128_store(sums, unit.dot(Dot::load_weights(weights), load_group(activations), wasm_i32x4_splat(1000)));
      for (int lane = 0; lane < kIntLanes; ++lane) {
        std::int32_t sum = 1000;
        for (int i = 0; i < 4; ++i) sum += weights[4 * lane + i] * activations[i];
        if (sums[lane] != sum) return false;
      }
    }
  }
  return true;
}
#endif

}  // namespace

#if defined(TRANSFORMER_RELAXED_SIMD)
bool quads_take_steps() {
  static const bool saturates = [] {
    volatile int beyond = 255;  // of 7 bits; volatile, so that the compiler does not choose a result
    const auto activations = wasm_u8x16_splat(static_cast<std::uint8_t>(beyond));
    const Ints sums = Quads::dot(wasm_i8x16_splat(127), activations, wasm_i32x4_splat(0));
    return wasm_i32x4_extract_lane(sums, 0) == 2 * std::numeric_limits<std::int16_t>::max();
  }();
  return saturates;
}
#endif

// Not inlined, for its size.
[[gnu::noinline]] void gemm_block(const QuantizedRows& a, int row, const BytePanels& b, View c) {
#if defined(TRANSFORMER_RELAXED_SIMD) || !defined(__wasm_simd128__)
  if (b.group == DotGroup::kQuads) {
#if defined(TRANSFORMER_RELAXED_SIMD)
    if (quads_take_steps()) return multiply_block(ByteTile<SteppedQuads>{&a, b, row}, c);
#endif
    return multiply_block(ByteTile<Quads>{&a, b, row}, c);
  }
#endif
  multiply_block(ByteTile<Pairs>{&a, b, row}, c);
}

DotGroup int8_dot_group() {
#if defined(TRANSFORMER_RELAXED_SIMD)
  static const bool are_right = quads_take_steps() ? is_right<SteppedQuads>() : is_right<Quads>();
  return are_right ? DotGroup::kQuads : DotGroup::kPairs;
#elif defined(__wasm_simd128__)
  return DotGroup::kPairs;
#else
  return DotGroup::kQuads;
#endif
}

}  // namespace transformer
