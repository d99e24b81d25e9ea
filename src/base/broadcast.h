// Checks of shapes, and broadcasting as in NumPy: shapes are matched from the right, and axes of size 1 are repeated.
#pragma once

#include <initializer_list>

#include "base/tensor.h"

namespace transformer {

// The axes before the last `kept`. invalid_argument, with the shape `wanted`, if there are fewer.
Shape leading_axes(const Tensor& x, int kept, const char* name, const char* wanted);

// The size of an axis counted from the end: 1 is the last.
int last_axis(const Tensor& x, int from_end = 1);

Shape joined(Shape leading, std::initializer_list<int> rest);

// The shape that both broadcast to. invalid_argument, naming them as `what`, if there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* what);

// `x` with its leading axes, all but the last `kept`, broadcast to `leading`.
Tensor broadcast_leading(Tensor x, const Shape& leading, int kept, const char* name);

// x as a list of matrices, its last two axes: the matrix at `index`.
View matrix_at(Tensor& x, int index);
ConstView matrix_at(const Tensor& x, int index);

// A matrix with `cols` columns, and a vector of `size` numbers. invalid_argument, with the name and the expected shape,
// for other shapes.
void require_matrix(const Tensor& x, int cols, const char* name, const char* wanted);
const float* vector_of(const Tensor& x, int size, const char* name);

}  // namespace transformer
