#include "base/broadcast.h"

#include <algorithm>

namespace transformer {

Shape leading_axes(const Tensor& x, int kept, const char* name, const char* wanted) {
  require(count_of(x.shape()) >= kept, name, " must have the shape ", wanted, ", got ", to_string(x.shape()));
  return Shape(x.shape().begin(), x.shape().end() - kept);
}

int last_axis(const Tensor& x, int from_end) { return x.shape()[x.shape().size() - from_end]; }

Shape joined(Shape leading, std::initializer_list<int> rest) {
  leading.insert(leading.end(), rest);
  return leading;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* what) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (int i = 1; i <= count_of(result); ++i) {
    const int from_a = i <= count_of(a) ? a[a.size() - i] : 1;
    const int from_b = i <= count_of(b) ? b[b.size() - i] : 1;
    require(from_a == from_b || from_a == 1 || from_b == 1, what, " do not broadcast: ", to_string(a), " and ",
            to_string(b));
    result[result.size() - i] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

namespace {

// The block of a tensor with the leading axes `own` that is at `index` after broadcasting to `leading`.
std::size_t source_block(std::size_t index, const Shape& own, const Shape& leading) {
  std::size_t block = 0;
  std::size_t stride = 1;
  for (std::size_t axis = 1; axis <= own.size(); ++axis) {
    const std::size_t size = leading[leading.size() - axis];
    const std::size_t own_size = own[own.size() - axis];
    if (own_size > 1) block += index % size * stride;
    stride *= own_size;
    index /= size;
  }
  return block;
}

}  // namespace

Tensor broadcast_leading(Tensor x, const Shape& leading, int kept, const char* name) {
  Shape full = leading;
  full.insert(full.end(), x.shape().end() - kept, x.shape().end());
  if (x.shape() == full) return x;

  const Shape own(x.shape().begin(), x.shape().end() - kept);
  require(broadcast_shapes(own, leading, "the leading axes") == leading, "the leading axes ", to_string(own), " of ",
          name, " do not broadcast to ", to_string(leading));
  const std::size_t size = element_count(Shape(full.end() - kept, full.end()));
  Tensor result(full);
  const std::size_t blocks = element_count(leading);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::copy_n(x.data() + source_block(i, own, leading) * size, size, result.data() + i * size);
  }
  return result;
}

View matrix_at(Tensor& x, int index) {
  const int rows = last_axis(x, 2);
  return x.matrix().row_range(index * rows, rows);
}

ConstView matrix_at(const Tensor& x, int index) {
  const int rows = last_axis(x, 2);
  return x.matrix().row_range(index * rows, rows);
}

void require_matrix(const Tensor& x, int cols, const char* name, const char* wanted) {
  require(x.shape().size() == 2 && x.axis(1) == cols, name, " must have the shape ", wanted, " with ", cols,
          " columns, got ", to_string(x.shape()));
}

const float* vector_of(const Tensor& x, int size, const char* name) {
  require(x.shape() == Shape{size}, name, " must have the shape ", to_string({size}), ", got ", to_string(x.shape()));
  return x.data();
}

}  // namespace transformer
