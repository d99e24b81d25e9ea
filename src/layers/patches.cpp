#include "layers/patches.h"

#include <algorithm>

#include "kernels/elementwise.h"

namespace transformer {

namespace {

// Patches are cut in blocks of this many, so that a large picture is not in memory twice.
constexpr int kPatchesAtOnce = 256;

// Patches first, first + 1, ... of a picture [channels, height, width], in row-major order.
void cut_patches(const float* picture, const Pictures& sizes, const PatchesConfig& config, int first, View patches) {
  const int patch = config.patch, columns = sizes.width / patch;
  for (int i = 0; i < patches.rows; ++i) {
    float* to = patches.row(i);
    const int top = (first + i) / columns * patch, left = (first + i) % columns * patch;
    for (int channel = 0; channel < config.channels; ++channel) {
      for (int y = top; y < top + patch; ++y) {
        to = std::copy_n(picture + (std::ptrdiff_t{channel} * sizes.height + y) * sizes.width + left, patch, to);
      }
    }
  }
}

}  // namespace

int PatchesConfig::prefix_count() const {
  int count = 0;
  for (const PrefixVectors& vectors : prefix) count += vectors.count;
  return count;
}

const PatchesConfig& checked(const PatchesConfig& config) {
  require(config.channels > 0 && config.patch > 0, "channels and the side of a patch must be positive, got ",
          config.channels, " and ", config.patch);
  require(config.height >= 0 && config.width >= 0, "a picture's sides must not be negative, got ", config.height,
          " and ", config.width);
  for (const PrefixVectors& vectors : config.prefix)
    require(vectors.count > 0, "a prefix needs a vector, got ", vectors.count);
  const GridPositionsConfig& positions = config.positions;
  require(positions.rows >= 0 && positions.columns >= 0 && positions.of_prefix >= 0 &&
              positions.of_prefix <= config.prefix_count(),
          "positions must be of rows, columns and vectors that there are");
  return config;
}

PatchEmbedding::PatchEmbedding(const WeightScope& scope, const PatchesConfig& config, int d_model)
    : config_(checked(config)), linear_(scope / "patches", config.patch_size(), d_model, config.bias) {
  for (const auto& [name, count] : config.prefix) prefix_.push_back(scope.take(name, {count, d_model}));
  if (config.positions.are_there()) positions_.emplace(scope, config.positions, d_model);
}

Grid PatchEmbedding::grid_of(const Pictures& pictures) const {
  return {pictures.height / config_.patch, pictures.width / config_.patch};
}

int PatchEmbedding::tokens_of(const Pictures& pictures) const {
  return config_.prefix_count() + (pictures.most > 0 ? pictures.most : grid_of(pictures).cells());
}

void PatchEmbedding::put_prefix(View rows) const {
  int row = 0;
  for (const Tensor& vectors : prefix_) {
    for (int i = 0; i < vectors.axis(0); ++i) std::copy_n(vectors.matrix().row(i), rows.cols, rows.row(row++));
  }
  for (int i = 0; positions_ && i < positions_->of_prefix(); ++i) {
    add_row(positions_->prefix().row(i), rows.row(i), rows.cols);
  }
}

void PatchEmbedding::embed_pixels(const float* picture, const Pictures& sizes, View out, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const View block = workspace.arena.take(std::min(kPatchesAtOnce, out.rows), config_.patch_size());
  for (int first = 0; first < out.rows; first += block.rows) {
    const View patches = block.row_range(0, std::min(block.rows, out.rows - first));
    cut_patches(picture, sizes, config_, first, patches);
    linear_.forward(patches, out.row_range(first, patches.rows), workspace);
  }
}

void PatchEmbedding::add_positions(const Grid& grid, ConstView positions, View rows) const {
  for (int i = 0; i < rows.rows; ++i) {
    add_row(positions.row(i < grid.cells() ? i : 0), rows.row(i), rows.cols);
  }
}

void PatchEmbedding::forward(const Pictures& pictures, View out, Workspace& workspace) const {
  const int tokens = tokens_of(pictures), before = config_.prefix_count();
  const std::ptrdiff_t size = pictures.most > 0 ? std::ptrdiff_t{pictures.most} * config_.patch_size()
                                                : std::ptrdiff_t{config_.channels} * pictures.height * pictures.width;
  Tensor resized;
  ConstView positions;
  Grid last;  // whose positions these are
  for (int i = 0; i < pictures.batch; ++i) {
    const float* picture = pictures.data + i * size;
    const View own = out.row_range(i * tokens, tokens), patches = own.row_range(before, tokens - before);
    put_prefix(own);
    if (pictures.most > 0) {
      linear_.forward({picture, pictures.most, config_.patch_size(), config_.patch_size()}, patches, workspace);
    } else {
      embed_pixels(picture, pictures, patches, workspace);
    }
    const Grid grid = pictures.most > 0 ? pictures.grids[i] : grid_of(pictures);
    if (positions_ && !(grid == last)) positions = positions_->of(grid, resized);
    last = grid;
    if (positions_) add_positions(grid, positions, patches);
  }
}

}  // namespace transformer
