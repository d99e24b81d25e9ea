// The largest elements of rows as long as a vocabulary.
#pragma once

#include <span>
#include <vector>

#include "base/tensor.h"
#include "base/workspace.h"

namespace transformer {

struct Ranked {
  float value;
  int row;
  int col;
};

// best <- the `count` largest of offsets[row] + x[row][col], or all where there are fewer, the largest first; of equal
// ones the one of the earlier row, then of the earlier column. Without NaN. `best` is cleared before.
void top_k(ConstView x, std::span<const float> offsets, std::size_t count, std::vector<Ranked>& best,
           Workspace& workspace);

}  // namespace transformer
