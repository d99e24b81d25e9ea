// How one task of a product in integers is cut into tiles that fit the registers, for weights of 8 and of 4 bits.
//
// A Tile is such a product: its Matrix, whose panels have kInt8Panel columns; kRows, its greatest number of rows;
// panels_at_once(rows); and multiply<Rows, Panels>(strip, step, c, c_stride), which computes Panels panels of c, each
// `step` panels from the one before.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/quantized_matrix.h"
#include "base/tensor.h"
#include "kernels/int8_dot.h"
#include "kernels/quantize_rows.h"

namespace transformer {

// The cost of an integer multiply-add, in float32 multiply-adds.
inline constexpr double kWorkOfIntegers = 0.25;

// The place of a tile: its first row of A and its first panel of B.
template <class Matrix>
struct Strip {
  const QuantizedRows& rows;
  const Matrix& b;
  int row;
  int panel;
};

template <class Tile>
using StripOf = Strip<typename Tile::Matrix>;

// The first column of vector v of a tile, whose panels are `step` apart.
constexpr int column_of(int v, int step) {
  return v / kIntPanelVectors * step * kInt8Panel + v % kIntPanelVectors * kIntLanes;
}

// `panels` whole panels.
template <class Tile, int Rows>
void multiply_panels(StripOf<Tile> strip, int panels, float* c, std::ptrdiff_t c_stride) {
  constexpr int kPanelsAtOnce = Tile::panels_at_once(Rows);
  auto advance = [&](int count) {
    strip.panel += count;
    c += count * kInt8Panel;
  };
  // As far apart as they can be, so that each is read in one long stream with its successors.
  const int step = panels / kPanelsAtOnce;
  for (int p = 0; p < step; ++p) {
    Tile::template multiply<Rows, kPanelsAtOnce>(strip, step, c, c_stride);
    advance(1);
  }
  if constexpr (kPanelsAtOnce == 1) return;
  advance((kPanelsAtOnce - 1) * step);
  for (int p = panels % kPanelsAtOnce; p > 0; --p) {
    Tile::template multiply<Rows, 1>(strip, 1, c, c_stride);
    advance(1);
  }
}

// rows: from 1 to Most
template <class Tile, int Most = Tile::kRows>
void multiply_strip(const StripOf<Tile>& strip, int rows, int panels, float* c, std::ptrdiff_t c_stride) {
  if constexpr (Most > 1) {
    if (rows < Most) return multiply_strip<Tile, Most - 1>(strip, rows, panels, c, c_stride);
  }
  multiply_panels<Tile, Most>(strip, panels, c, c_stride);
}

// The last panel, if C ends inside of it: through a scratch tile of the panel's width.
template <class Tile>
void multiply_edge(const StripOf<Tile>& strip, View c) {
  alignas(64) float tile[Tile::kRows * kInt8Panel];
  multiply_strip<Tile>(strip, c.rows, 1, tile, kInt8Panel);
  for (int r = 0; r < c.rows; ++r) std::copy_n(tile + r * kInt8Panel, c.cols, c.row(r));
}

// One task. Each tile of rows takes all panels: the first one reads them in a long stream, the others from the caches.
template <class Tile>
void multiply_block(const StripOf<Tile>& block, View c) {
  const int whole = c.cols / kInt8Panel;
  const int rest = c.cols - whole * kInt8Panel;
  int tiles = ceil_div(c.rows, Tile::kRows);
  for (int row = 0, rows; row < c.rows; row += rows, --tiles) {
    rows = ceil_div(c.rows - row, tiles);  // as even as possible: a tile of one row is slow
    StripOf<Tile> strip = {block.rows, block.b, block.row + row, block.panel};
    multiply_strip<Tile>(strip, rows, whole, c.row(row), c.stride);
    strip.panel += whole;
    if (rest > 0) multiply_edge<Tile>(strip, c.row_range(row, rows).column_range(whole * kInt8Panel, rest));
  }
}

}  // namespace transformer
