// A view [batch, heads, time, d_head] of any memory layout.
#pragma once

#include <cstddef>

#include "base/segments.h"
#include "base/tensor.h"

namespace transformer {

template <class T>
struct HeadsView {
  T* data = nullptr;
  std::ptrdiff_t batch = 0;  // strides in elements
  std::ptrdiff_t head = 0;
  std::ptrdiff_t time = 0;
  const int* first = nullptr;  // where each sequence begins, counted in `time`; null: they are `batch` apart

  T* at(int b, int h, int t) const { return data + (first ? first[b] * time : b * batch) + h * head + t * time; }
  // `count` rows of one head from time `from` on: [count, d_head]
  MatrixView<T> rows(int b, int h, int from, int count, int d_head) const {
    return {at(b, h, from), count, d_head, time};
  }
  operator HeadsView<const T>() const { return {data, batch, head, time, first}; }
};

using Heads = HeadsView<float>;
using ConstHeads = HeadsView<const float>;

// The columns of a projection [rows of all sequences, heads * d_head] are its heads.
template <class T>
HeadsView<T> heads_in_columns(const MatrixView<T>& x, const Segments& sequences, int d_head) {
  return {x.data, sequences.time * x.stride, d_head, x.stride, sequences.offsets.data()};
}

}  // namespace transformer
