// A norm of all numbers of a sequence together (Wu and He 2018, with one group).
#pragma once

#include "base/workspace.h"
#include "weights/weights.h"

namespace transformer {

// With a weight and a bias for each column.
class GroupNorm {
 public:
  // scope: weight [width], bias [width]
  GroupNorm(const WeightScope& scope, int width, float eps = 1e-5f);

  // x [rows, width] of one sequence, in place
  void forward(View x, Workspace& workspace) const;

 private:
  std::string name_;
  float eps_;
  Tensor weight_;
  Tensor bias_;
};

}  // namespace transformer
