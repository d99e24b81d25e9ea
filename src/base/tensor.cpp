#include "base/tensor.h"

#include <algorithm>
#include <climits>
#include <cstdint>

namespace transformer {

std::string to_string(const Shape& shape) {
  constexpr int kShown = 16;
  std::string text = "[";
  for (int i = 0; i < std::min(count_of(shape), kShown); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  if (count_of(shape) > kShown) text += concat(", ... (", count_of(shape), " axes)");
  return text + "]";
}

std::size_t element_count(const Shape& shape) {
  // Indices are int, so a tensor has at most INT_MAX elements. One without elements has axes that loops run over too.
  constexpr std::int64_t kLongestEmpty = 1 << 30;
  std::int64_t length = 1;  // of the axes that are not 0
  bool is_empty = false;
  for (int axis : shape) {
    if (axis < 0) {
      fail(ErrorCode::kInvalidArgument, "a tensor cannot have the shape ", to_string(shape),
           ", which has a negative axis");
    }
    is_empty = is_empty || axis == 0;
    length *= std::max(axis, 1);
    if (length > INT_MAX) break;
  }
  if (is_empty && length > kLongestEmpty) {
    fail(ErrorCode::kInvalidArgument, "a tensor of shape ", to_string(shape),
         " has no elements, and axes that are too long for that");
  }
  if (length > INT_MAX) {
    fail(ErrorCode::kInvalidArgument, "a tensor of shape ", to_string(shape), " has more than 2^31 - 1 elements");
  }
  return is_empty ? 0 : static_cast<std::size_t>(length);
}

Tensor Tensor::zeros(Shape shape) {
  Tensor tensor(std::move(shape));
  std::fill_n(tensor.data(), tensor.size(), 0.0f);
  return tensor;
}

Tensor Tensor::clone() const {
  if (empty()) return {};
  Tensor copy(shape_);
  std::copy_n(data(), size(), copy.data());
  return copy;
}

Tensor Tensor::reshaped(Shape shape) && {
  require(element_count(shape) == size(), "a tensor of shape ", to_string(shape_), " cannot be reshaped to ",
          to_string(shape));
  Tensor result = std::move(*this);
  result.shape_ = std::move(shape);
  return result;
}

namespace {

template <class T>
MatrixView<T> as_matrix(T* data, const Shape& shape, std::size_t size) {
  if (shape.empty()) return {data, size > 0 ? 1 : 0, 1, 1};  // a scalar, or no tensor
  int rows = 1;
  for (int axis = 0; axis < count_of(shape) - 1; ++axis) rows *= shape[axis];
  return {data, rows, shape.back(), shape.back()};
}

}  // namespace

View Tensor::matrix() { return as_matrix(data(), shape_, size()); }
ConstView Tensor::matrix() const { return as_matrix(data(), shape_, size()); }

void copy_rows(ConstView from, View to) {
  for (int row = 0; row < to.rows && from.data != to.data; ++row) std::copy_n(from.row(row), to.cols, to.row(row));
}

}  // namespace transformer
