#include "layers/group_norm.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/norm.h"

namespace transformer {

GroupNorm::GroupNorm(const WeightScope& scope, int width, float eps)
    : name_(scope.name()), eps_(eps), weight_(scope.take("weight", {width})), bias_(scope.take("bias", {width})) {}

void GroupNorm::forward(View x, Workspace& workspace) const {
  const PathScope part(workspace, name_);
  workspace.count({kLayerNormFlops * x.elements(), 0, 2.0 * x.elements() * sizeof(float)});
  const auto each_row = [&](const auto& body) {
    workspace.threads.parallel_for(ceil_div(x.rows, kNormTaskRows), kNormWork * x.elements(), [&](int task, int) {
      const int end = std::min(x.rows, (task + 1) * kNormTaskRows);
      for (int row = task * kNormTaskRows; row < end; ++row) body(row);
    });
  };
  // The sum of each row, then of all rows in their order and in double precision: the same bits for any threads.
  std::vector<float> sums(x.rows);
  const auto mean_of_all = [&] { return std::accumulate(sums.begin(), sums.end(), 0.0) / x.elements(); };
  each_row([&](int row) { sums[row] = sum_of_row(x.row(row), x.cols); });
  const auto mean = static_cast<float>(mean_of_all());
  each_row([&](int row) { sums[row] = squared_distances(x.row(row), x.cols, mean); });
  const auto scale = static_cast<float>(1 / std::sqrt(mean_of_all() + eps_));
  each_row(
      [&](int row) { normalize_row(x.row(row), x.row(row), x.cols, {mean, scale}, {weight_.data(), bias_.data()}); });
}

}  // namespace transformer
