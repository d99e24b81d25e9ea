// Learned positions of a grid of patches, brought to the size of another grid (Dosovitskiy et al. 2021, section 3.2).
#pragma once

#include <string>

#include "base/fields.h"
#include "base/resized_grid.h"
#include "weights/weights.h"

namespace transformer {

struct GridPositionsConfig {
  std::string name = "positions";  // of the table
  int rows = 0;                    // of the table's grid; 0: there are no positions
  int columns = 0;
  int of_prefix = 0;   // how many vectors before the patches have positions too, before those of the grid
  bool fixed = false;  // they fit no other number of patches, whatever its rows and columns
  double cubic = 0;    // of the kernel, as in GridKernel
  bool antialias = false;

  bool are_there() const { return rows > 0; }
};

constexpr auto fields_of(const GridPositionsConfig*) {
  return std::tuple{
      Field{"name", &GridPositionsConfig::name},          Field{"rows", &GridPositionsConfig::rows},
      Field{"columns", &GridPositionsConfig::columns},    Field{"ofPrefix", &GridPositionsConfig::of_prefix},
      Field{"fixed", &GridPositionsConfig::fixed},        Field{"cubic", &GridPositionsConfig::cubic},
      Field{"antialias", &GridPositionsConfig::antialias}};
}

class GridPositions {
 public:
  // scope: the table [of_prefix + rows * columns, width]
  GridPositions(const WeightScope& scope, const GridPositionsConfig& config, int width);

  int of_prefix() const { return config_.of_prefix; }
  // [of_prefix, width]
  ConstView prefix() const { return table_.matrix().row_range(0, config_.of_prefix); }

  // [rows * columns, width]: a view of the table, or of `made`, which then holds them. invalid_argument for a number of
  // patches that they do not fit.
  ConstView of(const Grid& grid, Tensor& made) const;

 private:
  GridPositionsConfig config_;
  Tensor table_;
};

}  // namespace transformer
