#include "layers/grid_positions.h"

namespace transformer {

GridPositions::GridPositions(const WeightScope& scope, const GridPositionsConfig& config, int width)
    : config_(config), table_(scope.take(config.name, {config.of_prefix + config.rows * config.columns, width})) {}

ConstView GridPositions::of(const Grid& grid, Tensor& made) const {
  const Grid own = {config_.rows, config_.columns};
  const ConstView table = table_.matrix().row_range(config_.of_prefix, own.cells());
  require(!config_.fixed || own.cells() == grid.cells(), "pos_embedding has ", table_.axis(0),
          " positions, but the images have ", config_.of_prefix + grid.cells());
  if (config_.fixed || own == grid) return table;
  made = resized_grid(table, own, grid, {config_.cubic, config_.antialias});
  return made.matrix();
}

}  // namespace transformer
