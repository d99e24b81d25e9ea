#include "kernels/gemm.h"

#include <algorithm>

#include "base/magnitude.h"
#include "kernels/panel_row.h"
#include "kernels/tile_walk.h"

namespace transformer {

namespace {

// Rows of a tile, by 2 vectors. Measured with fused multiply-add: 6 rows reach 47 GFLOP/s, the limit of the registers;
// 4 rows 41; 4 x 3, 3 x 4 and 2 x 4 vectors 32 to 43. With separate multiply and add, 4 rows reach the limit of 34, and
// 6 rows spill registers in older V8 (31 instead of 36 in Node.js 20).
#if defined(TRANSFORMER_RELAXED_SIMD) || defined(__AVX2__)
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif

// A slice of a task's panels of B this deep (128 KiB in wasm) stays in the second-level cache for all rows of A, and
// one of a tile of A in the first-level cache for all panels. A single tile of rows needs no slices.
constexpr int kDepthBlock = 512;

// C (+)= A B for panels of that format; see tile_walk.h.
template <class Format, int Rows = kTileRows>
struct FloatTile {
  static constexpr int kPanelCols = kPanel;
  static constexpr int kRows = Rows;
  static constexpr int panels_at_once(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

  FloatTile at_row(int row) const { return {format, a + row * a_stride, a_stride, b, b_stride, depth, accumulate}; }
  FloatTile at_panel(int panel) const {
    return {format, a, a_stride, b + panel * b_stride, b_stride, depth, accumulate};
  }
  bool accumulates() const { return accumulate; }

  // The accumulators are indexed by constants, so that they stay in registers.
  template <int TileRows, int Panels>
  void multiply(int step, TilePlace c) const {
    constexpr int kVectors = Panels * kPanelVectors;
    const std::ptrdiff_t panel_step = step * b_stride;
    const auto place = [c, step](int r, int v) {
      const int panel = v / kPanelVectors;
      return c.data + r * c.stride + panel * step * kPanel + v % kPanelVectors * kLanes;
    };
    Vec sums[TileRows][kVectors];
    for (int r = 0; r < TileRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = accumulate ? load(place(r, v)) : Vec(0.0f);
    }
    const float* row = a;
    const typename Format::Element* panel = b;
    for (int k = 0; k < depth; ++k) {
      Vec columns[kVectors];
      for (int p = 0; p < Panels; ++p) format.load_row(panel + p * panel_step, columns + p * kPanelVectors);
      for (int r = 0; r < TileRows; ++r) {
        const Vec factor = format.factor(row[r * a_stride]);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = multiply_add(factor, columns[v], sums[r][v]);
      }
      row += 1;
      panel += kPanel;
    }
    for (int r = 0; r < TileRows; ++r) {
      for (int v = 0; v < kVectors; ++v) store(place(r, v), sums[r][v]);
    }
  }

  Format format;
  const float* a;
  std::ptrdiff_t a_stride;
  const typename Format::Element* b;  // first panel
  std::ptrdiff_t b_stride;            // from panel to panel
  int depth;
  bool accumulate;
};

FloatTile<FloatPanel> tile_of(ConstView a, const Panels& b, bool accumulate) {
  return {{}, a.data, a.stride, b.first, b.stride, a.cols, accumulate};
}

// Slices of halves are widened this deep, to 8 KiB in wasm.
constexpr int kWidenedDepth = 256;

// So few rows widen halves in registers.
constexpr int kWideningRows = 2;

template <class Format>
void widen_rows(const Format& format, const std::uint16_t* halves, int count, float* to) {
  for (int k = 0; k < count; ++k, halves += kPanel, to += kPanel) {
    Vec columns[kPanelVectors];
    format.load_row(halves, columns);
    for (int v = 0; v < kPanelVectors; ++v) store(to + v * kLanes, format.number(columns[v]));
  }
}

// One or two rows widen B in registers, more share a slice. In registers a binary16 matrix of 16 MB takes 0.9 of
// the time of float32 with plain SIMD and 0.75 with fused multiply-add, for one row; bfloat16 0.6.
template <class Format>
void multiply_halves(ConstView a, HalfPanels b, View c) {
  const Format format(b.code);
  float largest = 0.0f;
  for (int row = 0; row < a.rows && a.rows <= kWideningRows; ++row) {
    largest = largest_magnitude({a.row(row), static_cast<std::size_t>(a.cols)}, largest);
  }
  if (a.rows <= kWideningRows && format.takes_factor(largest)) {
    const int whole = c.cols / kPanel;
    multiply_panels(FloatTile<Format, kWideningRows>{format, a.data, a.stride, b.first, b.stride, a.cols, false},
                    c.column_range(0, whole * kPanel));
    c = c.column_range(whole * kPanel, c.cols - whole * kPanel);
    b.first += whole * b.stride;
  }
  alignas(64) float slice[kWidenedDepth * kPanel];
  for (int col = 0; col < c.cols; col += kPanel, b.first += b.stride) {
    const View block = c.column_range(col, std::min(kPanel, c.cols - col));
    int depth = 0;
    do {  // also once for k = 0, where C is zero
      const int count = std::min(kWidenedDepth, a.cols - depth);
      widen_rows(format, b.first + std::ptrdiff_t{depth} * kPanel, count, slice);
      multiply_block(tile_of(a.column_range(depth, count), {slice, 0}, depth > 0), block);
      depth += count;
    } while (depth < a.cols);
  }
}

// Panels of B that are fetched from memory together: with kDepthBlock, 128 KiB in wasm.
constexpr int kFarPanels = 8;

// Brings a slice of up to kFarPanels panels into the second-level cache, in as many streams. A product of several rows
// reads one panel after the other, which is a third as fast.
[[gnu::noinline]] void fetch(const Panels& b, int panels, int depth) {
  constexpr int kCacheLine = 64 / sizeof(float);
  const std::ptrdiff_t count = std::ptrdiff_t{depth} * kPanel;
  Vec sums[kFarPanels];
  for (Vec& sum : sums) sum = Vec(0.0f);
  for (std::ptrdiff_t i = 0; i + kLanes <= count; i += kCacheLine) {
    for (int p = 0; p < kFarPanels; ++p) sums[p] |= load(b.first + std::min(p, panels - 1) * b.stride + i);
  }
  for (int p = 1; p < kFarPanels; ++p) sums[0] |= sums[p];
  [[maybe_unused]] volatile float read = xsimd::reduce_max(sums[0]);  // so that it is not left out
}

}  // namespace

void gemm_panels(ConstView a, const Panels& b, View c, bool accumulate) {
  multiply_panels(tile_of(a, b, accumulate), c.row_range(0, a.rows));
}

namespace {

template <int Count>
void multiply_strips(const RowStrips& rows, bool accumulate) {
  for (int panel = 0; panel < rows.panels; ++panel) {
    std::array<RowStrip, kStripsAtOnce> at = rows.strips;
    Vec sums[Count][kPanelVectors];
    for (int s = 0; s < Count; ++s) {
      at[s].b += panel * rows.b_stride;
      at[s].c += panel * kPanel;
      for (int v = 0; v < kPanelVectors; ++v) sums[s][v] = accumulate ? load(at[s].c + v * kLanes) : Vec(0.0f);
    }
    for (int k = 0; k < rows.depth; ++k) {
      for (int s = 0; s < Count; ++s) {
        const Vec factor = Vec(at[s].a[k]);
        const float* columns = at[s].b + k * kPanel;
        for (int v = 0; v < kPanelVectors; ++v) {
          sums[s][v] = multiply_add(factor, load(columns + v * kLanes), sums[s][v]);
        }
      }
    }
    for (int s = 0; s < Count; ++s) {
      for (int v = 0; v < kPanelVectors; ++v) store(at[s].c + v * kLanes, sums[s][v]);
    }
  }
}

}  // namespace

void gemm_row_strips(const RowStrips& rows, bool accumulate) {
  switch (rows.count) {
    case 2: return multiply_strips<2>(rows, accumulate);
    case 3: return multiply_strips<3>(rows, accumulate);
    default: return multiply_strips<kStripsAtOnce>(rows, accumulate);
  }
}

// Blocks are not inlined, for their size.
[[gnu::noinline]] void gemm_block(ConstView a, const Panels& b, View c, Distance distance) {
  const bool is_far = distance == Distance::kFar;
  const int most_cols = is_far ? kFarPanels * kPanel : std::max(c.cols, 1);
  const int most_depth = is_far || c.rows > kTileRows ? kDepthBlock : std::max(a.cols, 1);
  for (int col = 0; col < c.cols; col += most_cols) {
    const View columns = c.column_range(col, std::min(most_cols, c.cols - col));
    int depth = 0;
    do {  // also once for k = 0, where C is zero
      const int count = std::min(most_depth, a.cols - depth);
      const Panels slice = {b.first + col / kPanel * b.stride + std::ptrdiff_t{depth} * kPanel, b.stride};
      if (is_far) fetch(slice, panel_count(columns.cols), count);
      multiply_block(tile_of(a.column_range(depth, count), slice, depth > 0), columns);
      depth += count;
    } while (depth < a.cols);
  }
}

[[gnu::noinline]] void gemm_block(ConstView a, const HalfPanels& b, View c) {
  b.code.type == HalfType::kBf16 ? multiply_halves<Bf16Panel>(a, b, c) : multiply_halves<F16Panel>(a, b, c);
}

}  // namespace transformer
