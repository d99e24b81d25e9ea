#include "kernels/gemm_nibbles.h"

#include "kernels/gemm_int8.h"
#include "kernels/nibble_dot.h"
#include "kernels/tile_walk.h"

namespace transformer {

namespace {

template <class Dot>
struct NibbleTile {
  static constexpr int kPanelCols = kIntegerPanel;
  static constexpr int kRows = kIsSpare<Dot> ? 1 : 4;
  static constexpr int panels_at_once(int rows) { return rows == 1 && !kIsSpare<Dot> ? 4 : 1; }

  NibbleTile at_row(int offset) const { return {rows, b, row + offset}; }
  NibbleTile at_panel(int panel) const { return {rows, {b.first + panel * b.stride, b.stride, b.groups, b.code}, row}; }
  static constexpr bool accumulates() { return false; }

  template <int Rows, int Panels>
  void multiply(int step, TilePlace c) const {
    constexpr int kVectors = Panels * kIntegerPanelVectors;
    constexpr int kStep = 8;  // k of a vector of weights
    const int groups = b.groups;
    const std::ptrdiff_t a_stride = rows->stride;
    const std::ptrdiff_t panel_step = step * b.stride;
    const std::int8_t* activation = rows->row(row);
    const std::uint8_t* block = b.first;
    const std::int32_t* offsets = rows->offsets + std::ptrdiff_t{row} * groups;
    const Dot unit;
    const HalfBits scale_bits(b.code.type);
    Floats totals[Rows][kVectors] = {};
    for (int group = 0; group < groups; ++group) {
      Ints sums[Rows][kVectors];
      for (int r = 0; r < Rows; ++r) {
        for (Ints& sum : sums[r]) sum = unit.start(offsets[r * groups + group]);
      }
      const std::uint8_t* integers = block;
      // Unrolled, the compiler would load all weights of the group before their first product, more than registers
      // hold.
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
      for (int k = 0; k < kNibbleGroup; k += kStep) {
        typename Dot::Weights weights[kVectors];
        for (int p = 0; p < Panels; ++p) {
          for (int v = 0; v < kIntegerPanelVectors; ++v) {
            weights[p * kIntegerPanelVectors + v] = Dot::load_weights(integers + p * panel_step + v * kIntLanes * 4);
          }
        }
        for (int r = 0; r < Rows; ++r) {
          const auto activations = Dot::load_activations(activation + r * a_stride);
          for (int v = 0; v < kVectors; ++v) sums[r][v] = unit.dot(weights[v], activations, sums[r][v]);
        }
        activation += kStep;
        integers += kIntegerPanel * 4;
      }
      for (int p = 0; p < Panels; ++p) {
        for (int v = 0; v < kIntegerPanelVectors; ++v) {
          const Floats scales = load_scales(block + p * panel_step + kNibbleScalesAt + v * kIntLanes * 2, scale_bits);
          const int at = p * kIntegerPanelVectors + v;
          for (int r = 0; r < Rows; ++r) {
            const Ints finished = unit.finish(sums[r][at], offsets[r * groups + group]);
            totals[r][at] = add_scaled(totals[r][at], finished, scales);
          }
        }
      }
      block += kNibbleBlock;
    }
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        const Floats sums = times(totals[r][v], b.code.scale);
        store(c.data + r * c.stride + column_of(v, step), times(sums, rows->scales[row + r]));
      }
    }
  }

  const QuantizedRows* rows;
  NibblePanels b;
  int row;  // the first row of A
};

}  // namespace

// Not inlined, for its size.
[[gnu::noinline]] void gemm_block(const QuantizedRows& a, int row, const NibblePanels& b, View c) {
#if defined(TRANSFORMER_RELAXED_SIMD) || !defined(__wasm_simd128__)
  static const bool has_quads = int8_dot_group() == DotGroup::kQuads;
  if (has_quads) {
#if defined(TRANSFORMER_RELAXED_SIMD)
    if (quads_take_steps()) return multiply_block(NibbleTile<SteppedNibbleQuads>{&a, b, row}, c);
#endif
    return multiply_block(NibbleTile<NibbleQuads>{&a, b, row}, c);
  }
#endif
#if defined(__wasm_simd128__)
  multiply_block(NibbleTile<NibblePairs>{&a, b, row}, c);
#endif
}

}  // namespace transformer
