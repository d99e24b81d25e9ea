#include "matrices/bergamot_matrix.h"

#include <algorithm>
#include <cmath>

#include "kernels/gemm_saturating.h"
#include "matrices/product_rows.h"

namespace transformer {

void BergamotMatrix::fix_scales(const FixedScales& scales) {
  fixed_ = scales;
  Int8Matrix::fix_scales(scales);
}

std::unique_ptr<Matrix> BergamotMatrix::select_columns(std::span<const int> columns) const {
  auto selected = std::make_unique<BergamotMatrix>(depth(), count_of(columns));
  selected->fixed_ = fixed_;
  copy_columns(columns, *selected);
  return selected;
}

// The operations and their order are intgemm's: y = sum / (alpha m) - 127 sum_k q_b / (alpha m).
void BergamotMatrix::multiply(const ProductRows& a, int row, int panel, View c) const {
  const float alpha = fixed_.activations, m = fixed_.weights;
  const float unit = 1.0f / (alpha * m);
  const float shift = -((127.0f / alpha) * (127.0f / m)) / 127.0f;
  std::vector<std::int16_t> q(depth() + depth() % 2);
  const BytePanels b = panels(panel);
  for (int i = 0; i < c.rows; ++i) {
    const float* x = a.floats().row(row + i);
    for (int k = 0; k < depth(); ++k) {
      const float nearest = std::nearbyint(x[k] * alpha);
      // So that NaN has an integer, too.
      q[k] = static_cast<std::int16_t>(nearest > -127.0f ? std::min(nearest, 127.0f) + 127.0f : 0.0f);
    }
    multiply_saturating(q.data(), b, c.row_range(i, 1));
    for (int col = 0; col < c.cols; ++col) {
      float& y = c.row(i)[col];
      y = y * unit + static_cast<float>(b.sums[col]) * shift;
    }
  }
}

}  // namespace transformer
