#include "layers/contrast.h"

#include <cmath>

#include "kernels/elementwise.h"

namespace transformer {

void to_unit_rows(ConstView x, View out) {
  for (int row = 0; row < x.rows; ++row) {
    const float length = std::sqrt(dot(x.row(row), x.row(row), x.cols));
    divide_row(x.row(row), out.row(row), x.cols, length > 0 ? length : 1.0f);
  }
}

Contrast::Contrast(const WeightScope& scope, const ContrastConfig& config)
    : scale_(std::exp(scope.take("scale", {1}).data()[0])),
      bias_(config.bias ? scope.take("bias", {1}).data()[0] : 0) {}

void Contrast::forward(ConstView a, ConstView b, View logits, Workspace& workspace) const {
  const PathScope part(workspace, "contrast");
  workspace.count({2.0 * a.elements() * b.rows, 0, (a.elements() + b.elements()) * sizeof(float)});
  workspace.threads.parallel_for(a.rows, a.elements() * b.rows, [&](int row, int) {
    for (int i = 0; i < b.rows; ++i) logits.row(row)[i] = scale_ * dot(a.row(row), b.row(i), a.cols) + bias_;
  });
}

}  // namespace transformer
