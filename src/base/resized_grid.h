// Vectors on a grid brought to another size, as PyTorch's `interpolate` does with align_corners=False.
#pragma once

#include "base/tensor.h"

namespace transformer {

struct Grid {
  int rows = 0;
  int columns = 0;

  int cells() const { return rows * columns; }
  bool operator==(const Grid&) const = default;
};

struct GridKernel {
  double cubic = 0;        // the parameter of Keys' cubic kernel (1981); 0: the kernel is linear
  bool antialias = false;  // it is widened where the grid shrinks; if not, points beyond the edge repeat it
};

// [from.rows * from.columns, width] -> [to.rows * to.columns, width]
Tensor resized_grid(ConstView table, const Grid& from, const Grid& to, const GridKernel& kernel);

}  // namespace transformer
