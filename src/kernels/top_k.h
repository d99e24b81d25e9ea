// The greatest elements of rows as long as a vocabulary.
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

// best <- the `count` greatest of offsets[row] + x[row][col], in descending order, or all if there are fewer. Equal
// ones are in the order of their rows, then columns. x must not contain NaN. Clears `best` first.
void top_k(ConstView x, std::span<const float> offsets, std::size_t count, std::vector<Ranked>& best,
           Workspace& workspace);

// The same order for numbers of any origin.
void sort_ranked(std::vector<Ranked>& ranked);

// Sorts columns by keys[column], least first; columns with equal keys keep their order. Keys must not contain NaN.
void sort_by_keys(std::span<const float> keys, std::vector<int>& columns);

}  // namespace transformer
