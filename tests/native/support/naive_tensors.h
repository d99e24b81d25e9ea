// Tensors by their indices: twins of everything that broadcasts, element by element.
#pragma once

#include <vector>

#include "base/tensor.h"

namespace transformer::testing {

using Index = std::vector<int>;

// All indices of a shape, in row-major order.
inline std::vector<Index> indices_of(const Shape& shape) {
  std::vector<Index> indices = {{}};
  for (int size : shape) {
    std::vector<Index> longer;
    for (const Index& index : indices) {
      for (int i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

// The index with more axes at its end.
inline Index joined_index(Index index, std::initializer_list<int> rest) {
  index.insert(index.end(), rest);
  return index;
}

// The element of x at an index of a shape that x broadcasts to: axes are matched from the right, one of size 1 repeats.
inline float broadcast_at(const Tensor& x, const Index& index) {
  const Shape& shape = x.shape();
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int i = index[index.size() - shape.size() + axis];
    at = at * shape[axis] + (shape[axis] == 1 ? 0 : i);
  }
  return x.data()[at];
}

}  // namespace transformer::testing
