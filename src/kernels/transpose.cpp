#include "kernels/transpose.h"

#include "kernels/panel_row.h"

namespace transformer {

void transpose_to_panel(ConstView x, float* panel) {
  int col = 0;
  for (; col + kLanes <= x.cols; col += kLanes) {
    for (int v = 0; v < kPanelVectors; ++v) {
      Vec square[kLanes];
      for (int i = 0; i < kLanes; ++i) square[i] = load(x.row(v * kLanes + i) + col);
      xsimd::transpose(square, square + kLanes);
      for (int i = 0; i < kLanes; ++i) store(panel + (col + i) * kPanel + v * kLanes, square[i]);
    }
  }
  for (; col < x.cols; ++col) {
    for (int row = 0; row < kPanel; ++row) panel[col * kPanel + row] = x.row(row)[col];
  }
}

}  // namespace transformer
