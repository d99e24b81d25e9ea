#include "kernels/gemm.h"

#include <algorithm>

#include "kernels/gemm_tasks.h"
#include "kernels/panel_row.h"

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

template <class Panel>
struct Tile {
  Panel format;
  const float* a;
  std::ptrdiff_t a_stride;
  const typename Panel::Element* b;  // first panel
  std::ptrdiff_t panel_stride;
  int depth;
  float* c;
  std::ptrdiff_t c_stride;
  bool accumulate;
  int step = 1;  // from panel to panel of those that are computed together
};

// C [Rows, Panels of kPanel columns] (+)= A [Rows, depth] B. The accumulators are indexed by constants, so that they
// stay in registers.
template <int Rows, int Panels, class Panel>
inline void multiply_tile(const Tile<Panel>& tile) {
  constexpr int kVectors = Panels * kPanelVectors;
  const std::ptrdiff_t panel_step = tile.step * tile.panel_stride;
  const auto place = [&tile](int r, int v) {
    const int panel = v / kPanelVectors;
    return tile.c + r * tile.c_stride + panel * tile.step * kPanel + v % kPanelVectors * kLanes;
  };
  Vec sums[Rows][kVectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = tile.accumulate ? load(place(r, v)) : Vec(0.0f);
  }
  const float* a = tile.a;
  const typename Panel::Element* b = tile.b;
  for (int k = 0; k < tile.depth; ++k) {
    Vec columns[kVectors];
    for (int p = 0; p < Panels; ++p) tile.format.load_row(b + p * panel_step, columns + p * kPanelVectors);
    for (int r = 0; r < Rows; ++r) {
      const Vec factor = Vec(a[r * tile.a_stride]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = multiply_add(factor, columns[v], sums[r][v]);
    }
    a += 1;
    b += kPanel;
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < kVectors; ++v) store(place(r, v), sums[r][v]);
  }
}

// With one or two rows, several panels are computed together: two or four accumulators would stall on latency. They are
// as far apart as they can be, so that each is read in one long stream with its successors: see ProductTasks.
template <int Rows, class Panel>
void multiply_strip(Tile<Panel> tile, int panels) {
  constexpr int kPanelsAtOnce = Rows == 1 ? 4 : Rows == 2 ? 2 : 1;
  auto advance = [&tile](int count) {
    tile.b += count * tile.panel_stride;
    tile.c += count * kPanel;
  };
  tile.step = panels / kPanelsAtOnce;
  for (int p = 0; p < tile.step; ++p) {
    multiply_tile<Rows, kPanelsAtOnce>(tile);
    advance(1);
  }
  if constexpr (kPanelsAtOnce == 1) return;
  advance((kPanelsAtOnce - 1) * tile.step);
  for (int p = panels % kPanelsAtOnce; p > 0; --p) {
    multiply_tile<Rows, 1>(tile);
    advance(1);
  }
}

// For 1 to kTileRows rows.
template <class Panel, int Most = kTileRows>
void multiply_strip(const Tile<Panel>& tile, int rows, int panels) {
  if constexpr (Most > 1) {
    if (rows < Most) return multiply_strip<Panel, Most - 1>(tile, rows, panels);
  }
  multiply_strip<Most>(tile, panels);
}

// The last panel, if C ends inside of it: through a scratch tile of the panel's width.
void multiply_edge(ConstView a, const float* b, View c, bool accumulate) {
  alignas(64) float tile[kTileRows * kPanel];
  for (int row = 0; row < a.rows; row += kTileRows) {
    const int rows = std::min(kTileRows, a.rows - row);
    for (int r = 0; accumulate && r < rows; ++r) std::copy_n(c.row(row + r), c.cols, tile + r * kPanel);
    gemm_panels(a.row_range(row, rows), {b, 0, 1}, {tile, rows, kPanel, kPanel}, accumulate);
    for (int r = 0; r < rows; ++r) std::copy_n(tile + r * kPanel, c.cols, c.row(row + r));
  }
}

// C (+)= A B for one task and one block of depth. Each tile of rows takes all panels: the first one reads them in a
// long stream, the others from the second-level cache. Panel by panel, 8 rows times 65 MB took 1.2 times as long, base
// encoders of 16 tokens 1.05 times, and longer ones as long (Zen 4). Not inlined, for its size.
[[gnu::noinline]] void multiply_block(ConstView a, const float* b, std::ptrdiff_t panel_stride, View c,
                                      bool accumulate) {
  const int whole = c.cols / kPanel;
  gemm_panels(a, {b, panel_stride, whole}, c, accumulate);
  const int rest = c.cols - whole * kPanel;
  if (rest > 0) {
    multiply_edge(a, b + whole * panel_stride, c.column_range(whole * kPanel, rest), accumulate);
  }
}

// Slices of a HalfMatrix are widened this deep, to 8 KiB in wasm.
constexpr int kWidenedDepth = 256;

template <class Panel>
void widen_rows(const Panel& format, const std::uint16_t* halves, int count, float* to) {
  for (int k = 0; k < count; ++k, halves += kPanel, to += kPanel) {
    Vec columns[kPanelVectors];
    format.load_row(halves, columns);
    for (int v = 0; v < kPanelVectors; ++v) store(to + v * kLanes, columns[v]);
  }
}

// The rows of one tile widen B in registers, more share a slice. In registers a binary16 matrix of 16 MB takes 0.9 of
// the time of float32 with plain SIMD and 0.75 with fused multiply-add, for one row; bfloat16 0.6.
template <class Panel>
void multiply_halves(ConstView a, const HalfMatrix& b, int panel, View c) {
  const Panel format(b.code());
  if (a.rows <= kTileRows) {
    const int whole = c.cols / kPanel;
    multiply_strip(
        Tile<Panel>{format, a.data, a.stride, b.panel(panel), b.panel_size(), a.cols, c.data, c.stride, false}, a.rows,
        whole);
    c = c.column_range(whole * kPanel, c.cols - whole * kPanel);
    panel += whole;
  }
  alignas(64) float slice[kWidenedDepth * kPanel];
  for (int col = 0; col < c.cols; col += kPanel, ++panel) {
    const View block = c.column_range(col, std::min(kPanel, c.cols - col));
    int depth = 0;
    do {  // also once for k = 0, where C is zero
      const int count = std::min(kWidenedDepth, b.depth() - depth);
      const std::uint16_t* halves = b.panel(panel) + std::ptrdiff_t{depth} * kPanel;
      widen_rows(format, halves, count, slice);
      multiply_block(a.column_range(depth, count), slice, 0, block, depth > 0);
      depth += count;
    } while (depth < b.depth());
  }
}

}  // namespace

void gemm_panels(ConstView a, const Panels& b, View c, bool accumulate) {
  int tiles = ceil_div(a.rows, kTileRows);
  for (int row = 0, rows; row < a.rows; row += rows, --tiles) {
    rows = ceil_div(a.rows - row, tiles);  // as even as possible: a tile of one row is slow
    const Tile<FloatPanel> tile = {{},     a.row(row), a.stride, b.first,   b.stride,
                                   a.cols, c.row(row), c.stride, accumulate};
    multiply_strip(tile, rows, b.count);
  }
}

// Blocks are not inlined, for their size.
[[gnu::noinline]] void gemm_block(ConstView a, const PackedMatrix& b, int panel, View c) {
  int depth = 0;
  do {  // also once for k = 0, where C is zero
    const int count = c.rows <= kTileRows ? b.depth() : std::min(kDepthBlock, b.depth() - depth);
    multiply_block(a.column_range(depth, count), b.panel(panel) + std::ptrdiff_t{depth} * kPanel, b.panel_size(), c,
                   depth > 0);
    depth += count;
  } while (depth < b.depth());
}

[[gnu::noinline]] void gemm_block(ConstView a, const HalfMatrix& b, int panel, View c) {
  b.code().type == HalfType::kBf16 ? multiply_halves<Bf16Panel>(a, b, panel, c)
                                   : multiply_halves<F16Panel>(a, b, panel, c);
}

void gemm(ConstView a, const PackedMatrix& b, View c, const Epilogue& epilogue, ThreadPool& threads) {
  const double work = a.elements() * b.cols();
  for_each_block_of_product(c, kPanel, work, threads, [&](int row, int panel, View block) {
    gemm_block(a.row_range(row, block.rows), b, panel, block);
    finish(block, row, panel * kPanel, epilogue);
  });
}

}  // namespace transformer
