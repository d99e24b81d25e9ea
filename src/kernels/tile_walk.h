// How a block of a product C = A B is cut into tiles that fit the registers: for every format of B the same way.
//
// A Tile is such a product:
//   kPanelCols                       columns of a panel of its B
//   kRows                            its greatest number of rows
//   panels_at_once(rows)             the panels that a tile of this many rows computes together
//   at_row(row), at_panel(panel)     the tile that begins there, counted from this one
//   accumulates()                    whether it adds to C
//   multiply<Rows, Panels>(step, c)  computes Panels panels of C, each `step` panels from the one before
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/tensor.h"

namespace transformer {

// Where a tile of C begins.
struct TilePlace {
  float* data;
  std::ptrdiff_t stride;
};

// `panels` whole panels. Few rows compute several of them together: their accumulators would stall on latency. They are
// as far apart as they can be, so that each is read in one long stream with its successors: see ProductTasks.
template <int Rows, class Tile>
void multiply_strip(Tile tile, int panels, TilePlace c) {
  constexpr int kPanelsAtOnce = Tile::panels_at_once(Rows);
  auto advance = [&](int count) {
    tile = tile.at_panel(count);
    c.data += count * Tile::kPanelCols;
  };
  const int step = panels / kPanelsAtOnce;
  for (int p = 0; p < step; ++p) {
    tile.template multiply<Rows, kPanelsAtOnce>(step, c);
    advance(1);
  }
  if constexpr (kPanelsAtOnce == 1) return;
  advance((kPanelsAtOnce - 1) * step);
  for (int p = panels % kPanelsAtOnce; p > 0; --p) {
    tile.template multiply<Rows, 1>(1, c);
    advance(1);
  }
}

// rows: from 1 to Most
template <class Tile, int Most = Tile::kRows>
void multiply_strip_of(int rows, const Tile& tile, int panels, TilePlace c) {
  if constexpr (Most > 1) {
    if (rows < Most) return multiply_strip_of<Tile, Most - 1>(rows, tile, panels, c);
  }
  multiply_strip<Most>(tile, panels, c);
}

// The whole panels of C. Each tile of rows takes all of them: the first one reads them in a long stream, the others
// from the second-level cache. Panel by panel, 8 rows times 65 MB took 1.2 times as long, base encoders of 16
// tokens 1.05 times, and longer ones as long (Zen 4). Not inlined, for its size.
template <class Tile>
[[gnu::noinline]] void multiply_panels(const Tile& tile, View c) {
  int tiles = ceil_div(c.rows, Tile::kRows);
  for (int row = 0, rows; row < c.rows; row += rows, --tiles) {
    rows = ceil_div(c.rows - row, tiles);  // as even as possible: a tile of one row is slow
    multiply_strip_of(rows, tile.at_row(row), c.cols / Tile::kPanelCols, {c.row(row), c.stride});
  }
}

// The last panel, if C ends inside of it: through a scratch tile of the panel's width.
template <class Tile>
void multiply_edge(const Tile& tile, View c) {
  alignas(64) float scratch[Tile::kRows * Tile::kPanelCols];
  for (int row = 0; row < c.rows; row += Tile::kRows) {
    const View whole = {scratch, std::min(Tile::kRows, c.rows - row), Tile::kPanelCols, Tile::kPanelCols};
    for (int r = 0; tile.accumulates() && r < whole.rows; ++r) std::copy_n(c.row(row + r), c.cols, whole.row(r));
    multiply_panels(tile.at_row(row), whole);
    for (int r = 0; r < whole.rows; ++r) std::copy_n(whole.row(r), c.cols, c.row(row + r));
  }
}

// A block of C, which may end inside of a panel.
template <class Tile>
void multiply_block(const Tile& tile, View c) {
  const int whole = c.cols / Tile::kPanelCols;
  multiply_panels(tile, c.column_range(0, whole * Tile::kPanelCols));
  const int rest = c.cols - whole * Tile::kPanelCols;
  if (rest > 0) multiply_edge(tile.at_panel(whole), c.column_range(whole * Tile::kPanelCols, rest));
}

}  // namespace transformer
