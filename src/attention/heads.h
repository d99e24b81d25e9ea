// A view [batch, heads, time, d_head] of any memory layout.
#pragma once

#include <cstddef>

#include "base/tensor.h"

namespace transformer {

template <class T>
struct HeadsView {
  T* data = nullptr;
  std::ptrdiff_t batch = 0;  // strides in elements
  std::ptrdiff_t head = 0;
  std::ptrdiff_t time = 0;

  T* at(int b, int h, int t) const { return data + b * batch + h * head + t * time; }
  // `count` rows of one head from time `first` on: [count, d_head]
  MatrixView<T> rows(int b, int h, int first, int count, int d_head) const {
    return {at(b, h, first), count, d_head, time};
  }
  operator HeadsView<const T>() const { return {data, batch, head, time}; }
};

using Heads = HeadsView<float>;
using ConstHeads = HeadsView<const float>;

// The columns of a projection [batch * time, heads * d_head] are its heads.
template <class T>
HeadsView<T> heads_in_columns(const MatrixView<T>& x, int batch, int d_head) {
  const int time = batch > 0 ? x.rows / batch : 0;
  return {x.data, time * x.stride, d_head, x.stride};
}

}  // namespace transformer
