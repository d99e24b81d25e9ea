#include "kernels/gemm_int4.h"

#include "kernels/gemm_int8.h"
#include "kernels/int4_dot.h"

namespace transformer {

namespace {

template <class Dot>
struct Int4Tile {
  using Matrix = Int4Matrix;

  static constexpr int kRows = kIsSpare<Dot> ? 1 : 4;

  // One row computes several panels together: two accumulators would stall on latency.
  static constexpr int panels_at_once(int rows) { return rows == 1 && !kIsSpare<Dot> ? 4 : 1; }

  template <int Rows, int Panels>
  static void multiply(const Strip<Matrix>& strip, int step, float* c, std::ptrdiff_t c_stride) {
    constexpr int kVectors = Panels * kIntPanelVectors;
    constexpr int kStep = 8;  // k of a vector of weights
    const int groups = strip.b.group_count();
    const std::ptrdiff_t a_stride = strip.rows.stride;
    const std::size_t panel_step = step * strip.b.panel_bytes();
    const std::int8_t* a = strip.rows.row(strip.row);
    const std::uint8_t* b = strip.b.panel(strip.panel);
    const std::int32_t* offsets = strip.rows.offsets + std::ptrdiff_t{strip.row} * groups;
    const Dot unit;
    Floats totals[Rows][kVectors] = {};
    for (int group = 0; group < groups; ++group) {
      Ints sums[Rows][kVectors];
      for (int r = 0; r < Rows; ++r) {
        for (Ints& sum : sums[r]) sum = unit.start(offsets[r * groups + group]);
      }
      const std::uint8_t* integers = b;
      // Unrolled, the compiler would load all weights of the group before their first product, more than registers
      // hold.
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
      for (int k = 0; k < kInt4Group; k += kStep) {
        typename Dot::Weights weights[kVectors];
        for (int p = 0; p < Panels; ++p) {
          for (int v = 0; v < kIntPanelVectors; ++v) {
            weights[p * kIntPanelVectors + v] = Dot::load_weights(integers + p * panel_step + v * kIntLanes * 4);
          }
        }
        for (int r = 0; r < Rows; ++r) {
          const auto activations = Dot::load_activations(a + r * a_stride);
          for (int v = 0; v < kVectors; ++v) sums[r][v] = unit.dot(weights[v], activations, sums[r][v]);
        }
        a += kStep;
        integers += kInt8Panel * 4;
      }
      for (int p = 0; p < Panels; ++p) {
        for (int v = 0; v < kIntPanelVectors; ++v) {
          const Floats scales = load_scales(b + p * panel_step + kInt4ScalesAt + v * kIntLanes * 2);
          const int at = p * kIntPanelVectors + v;
          for (int r = 0; r < Rows; ++r) {
            const Ints finished = unit.finish(sums[r][at], offsets[r * groups + group]);
            totals[r][at] = add_scaled(totals[r][at], finished, scales);
          }
        }
      }
      b += kInt4Block;
    }
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        store_times(c + r * c_stride + column_of(v, step), totals[r][v], strip.rows.scales[strip.row + r]);
      }
    }
  }
};

}  // namespace

// Not inlined, for its size.
[[gnu::noinline]] void gemm_block(const Strip<Int4Matrix>& block, View c) {
#if defined(TRANSFORMER_RELAXED_SIMD) || !defined(__wasm_simd128__)
  static const bool has_quads = int8_dot_group() == DotGroup::kQuads;
  if (has_quads) {
#if defined(TRANSFORMER_RELAXED_SIMD)
    if (quads_take_steps()) return multiply_block<Int4Tile<SteppedNibbleQuads>>(block, c);
#endif
    return multiply_block<Int4Tile<NibbleQuads>>(block, c);
  }
#endif
#if defined(__wasm_simd128__)
  multiply_block<Int4Tile<NibblePairs>>(block, c);
#endif
}

}  // namespace transformer
