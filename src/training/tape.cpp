#include "training/tape.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer::training {

Value Tape::make(int rows, int cols) {
  const View x = arena().take(rows, cols);
  if (!learns_) return {x, {}};
  const View gradient = arena().take(rows, cols);
  std::fill_n(gradient.data, static_cast<std::size_t>(rows) * cols, 0.0f);
  return {x, gradient};
}

void Tape::go_back() {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)();
  steps_.clear();
}

void add_to(View sum, ConstView x, float factor) {
  for (int row = 0; sum.data && row < x.rows; ++row) {
    if (factor == 1.0f) {
      add_row(x.row(row), sum.row(row), x.cols);
    } else {
      add_scaled_row(x.row(row), factor, sum.row(row), x.cols);
    }
  }
}

}  // namespace transformer::training
