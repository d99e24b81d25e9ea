// Tensor owns its numbers; a View is a matrix in memory that something else owns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"

namespace transformer {

// Sizes, counts, indices and axes are int: they are subtracted and compared, and all are below 2^31. Their products may
// exceed it: strides and offsets are std::ptrdiff_t, and std::size_t counts the elements or bytes of a whole buffer. So
// indices need no casts. count_of() is the size of a list as an int.
template <class List>
int count_of(const List& list) {
  return static_cast<int>(list.size());
}

using Shape = std::vector<int>;  // sizes of the axes, slowest first

// a / b, rounded up, for a >= 0 and b > 0. Unlike (a + b - 1) / b it does not overflow.
constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0); }

// "[2, 7, 16]"; of a shape with very many axes the first.
std::string to_string(const Shape& shape);

// The number of elements; invalid_argument for a negative axis or a product beyond what memory can address.
std::size_t element_count(const Shape& shape);

// A matrix [rows, cols] in row-major order; adjacent rows are `stride` elements apart.
template <class T>
struct MatrixView {
  T* data = nullptr;
  int rows = 0;
  int cols = 0;
  std::ptrdiff_t stride = 0;

  T* row(int index) const { return data + index * stride; }
  MatrixView row_range(int begin, int count) const { return {row(begin), count, cols, stride}; }
  MatrixView column_range(int begin, int count) const { return {data + begin, rows, count, stride}; }
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }
  double elements() const { return 1.0 * rows * cols; }
};

using View = MatrixView<float>;
using ConstView = MatrixView<const float>;

// Of matrices of one size; does nothing if both are the same one.
void copy_rows(ConstView from, View to);

// A dense array with a shape. Movable; copied only by clone().
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape) : shape_(std::move(shape)), buffer_(element_count(shape_)) {}
  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

  static Tensor zeros(Shape shape);
  Tensor clone() const;
  // The same numbers with another shape of the same size.
  Tensor reshaped(Shape shape) &&;

  const Shape& shape() const { return shape_; }
  int axis(int index) const { return shape_[index]; }
  std::size_t size() const { return buffer_.size(); }
  bool empty() const { return buffer_.data() == nullptr; }  // default-constructed: no tensor, unlike a scalar
  float* data() { return buffer_.data(); }
  const float* data() const { return buffer_.data(); }

  // All axes but the last as rows: [a, b, c] -> [a*b, c].
  View matrix();
  ConstView matrix() const;

 private:
  Shape shape_;
  Buffer buffer_;
};

}  // namespace transformer
