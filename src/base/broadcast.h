// Shapes that are matched from the right, an axis of 1 being repeated, as NumPy does.
#pragma once

#include <initializer_list>

#include "base/tensor.h"

namespace transformer {

// The axes before the last `kept`; invalid_argument that says what shape is `wanted` where there are fewer.
Shape leading_axes(const Tensor& x, int kept, const char* name, const char* wanted);

// An axis counted from the end: 1 is the last.
int last_axis(const Tensor& x, int from_end = 1);

Shape joined(Shape leading, std::initializer_list<int> rest);

// The shape that both broadcast to; `what` names them in the error.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* what);

// `x` with its leading axes, all but the last `kept`, repeated to be `leading`.
Tensor broadcast_leading(Tensor x, const Shape& leading, int kept, const char* name);

// The index-th of the matrices in the last two axes of x.
View matrix_at(Tensor& x, int index);
ConstView matrix_at(const Tensor& x, int index);

}  // namespace transformer
